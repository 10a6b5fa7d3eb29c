import csv
import subprocess
import sys

report, *kernels = sys.argv[1:]
LEVELS = """
kernel to L1   l1tex__t_requests_pipe_lsu_mem_global_op_st.sum  requests to store
L1 to kernel   l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum  requests to load
in L1          l1tex__t_sector_hit_rate.pct                     % hit
L1 to L2       l1tex__m_l1tex2xbar_write_bytes.sum              MB
L2 to L1       l1tex__m_xbar2l1tex_read_bytes.sum               MB
in L2          lts__t_sector_hit_rate.pct                       % hit
L2 to memory   dram__bytes_write.sum                            MB
memory to L2   dram__bytes_read.sum                             MB
"""


def counters(kernel):
    ask = f"ncu --import {report} -k regex:{kernel} --page raw --csv --print-units base"
    text = subprocess.run(ask.split(), capture_output=True, text=True, check=True).stdout
    rows = [row for row in csv.reader(text.splitlines()) if len(row) > 9]
    return dict(zip(rows[0], rows[2], strict=True))  # names; units; the first launch


found = [counters(kernel) for kernel in kernels]
print(" " * 13, *(f"{kernel:>15}" for kernel in kernels))
for line in LEVELS.strip().splitlines():
    path, name, unit = line[:12], line[15:].split()[0], line[64:]
    values = [float(row[name].replace(",", "")) for row in found]
    digits = ",.0f" if unit.startswith("requests") else ",.1f"
    values = [f"{value / 1e6 if unit == 'MB' else value:15{digits}}" for value in values]
    print(f"{path:13}", *values, "", unit)

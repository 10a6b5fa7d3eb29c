import csv
import subprocess
import sys

report, kernel = sys.argv[1:]
ask = f"ncu --import {report} -k regex:{kernel} --page source --print-source cuda,sass --csv"
text = subprocess.run(ask.split(), capture_output=True, text=True, check=True).stdout
rows = list(csv.reader(text.splitlines()))
head = next(row for row in rows if row[:1] == ["Line No"])
samples, issued = head.index("# Samples"), head.index("Instructions Executed")
stalls = [i for i, name in enumerate(head) if name.startswith("stall_") and "(" not in name]
lines = [row for row in rows if row and row[0].isdigit()]  # the others are single instructions
every = [sum(int(row[column]) for row in lines) for column in (samples, issued)]
print("samples  instructions  most samples  line")
for row in lines:
    shares = int(row[samples]) / every[0], int(row[issued]) / every[1]
    if max(shares) > 0.005:
        reason = head[max(stalls, key=lambda i: int(row[i]))].removeprefix("stall_")
        print(f"{shares[0]:7.1%} {shares[1]:13.1%}  {reason:12}  {row[1].strip()[:52]}")

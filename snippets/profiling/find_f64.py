import linecache
import re
from collections import Counter

from galaxy import pull_kernel
from numba import cuda, float32

arrays = (float32[::1],) * 7
ptx, _ = cuda.compile_ptx(pull_kernel.py_func, arrays, cc=(9, 0), lineinfo=True)
line, found = 0, Counter()
for row in ptx.splitlines():
    if at := re.match(r"\s*\.loc\s+\d+\s+(\d+)", row):
        line = int(at[1])
    elif re.search(r"\.f64[ .]", row) and ".reg" not in row:
        found[line] += 1
for line, count in sorted(found.items()):
    print(f"{count:4}  {linecache.getline('galaxy.py', line).strip()}")

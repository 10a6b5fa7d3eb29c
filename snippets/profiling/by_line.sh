python by_line.py galaxy.ncu-rep pull

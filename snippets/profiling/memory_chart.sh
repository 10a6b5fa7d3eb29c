python memory_chart.py galaxy.ncu-rep drift energy pull

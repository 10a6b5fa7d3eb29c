timeout 100 python memory.py

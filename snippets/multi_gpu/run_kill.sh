timeout 120 python processes.py kill

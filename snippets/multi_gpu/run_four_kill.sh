timeout 60 python four_processes.py kill

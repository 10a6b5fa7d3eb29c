sed 's/MOST = 2,/MOST = 4,/' processes.py > four_processes.py  # the first of the four is RANKS
timeout 120 python four_processes.py

wc -l layers.py more_parallel.py
timeout 100 torchrun --standalone --nproc-per-node 4 more_parallel.py 2> errors.txt || { cat errors.txt; exit 1; }

wc -l layers.py
timeout 100 torchrun --standalone --nproc-per-node 4 parallel.py 2> errors.txt || { cat errors.txt; exit 1; }

timeout 60 torchrun --standalone --nproc-per-node 2 missing.py 2> errors.txt || { cat errors.txt; exit 1; }

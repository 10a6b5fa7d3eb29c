timeout 120 torchrun --standalone --nproc-per-node 2 sequence.py 2> errors.txt || { cat errors.txt; exit 1; }

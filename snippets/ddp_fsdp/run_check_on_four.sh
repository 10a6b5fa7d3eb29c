wc -l model.py ddp.py fsdp.py
timeout 100 torchrun --standalone --nproc-per-node 4 check.py 2> errors.txt || { cat errors.txt; exit 1; }

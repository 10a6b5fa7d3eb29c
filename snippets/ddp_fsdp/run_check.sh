wc -l model.py ddp.py fsdp.py
timeout 120 torchrun --standalone --nproc-per-node 2 check.py 2> errors.txt || { cat errors.txt; exit 1; }

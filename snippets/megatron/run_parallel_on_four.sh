wc -l layers.py
export CUDA_DEVICE_MAX_CONNECTIONS=32  # a queue for each stream: sends that wait hold up nobody
timeout 100 torchrun --standalone --nproc-per-node 4 parallel.py 2> errors.txt || { cat errors.txt; exit 1; }

timeout 60 python -m torch.distributed.run --standalone --nproc-per-node 2 torch_lost.py 2>/dev/null

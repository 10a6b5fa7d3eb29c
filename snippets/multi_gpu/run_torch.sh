timeout 120 python -m torch.distributed.run --standalone --nproc-per-node 2 torch_collectives.py

sudo nvidia-smi -i 0 -mig 1            # MIG on, when no program uses the GPU
nvidia-smi mig -lgip                   # which parts can be made, and how many of each
sudo nvidia-smi mig -cgi 1g.18gb,1g.18gb,2g.35gb -C   # three parts, each with one compute instance
nvidia-smi -L                          # their names: MIG-...
CUDA_VISIBLE_DEVICES=MIG-0123abcd-... python train.py  # one process, one part
sudo nvidia-smi mig -dci && sudo nvidia-smi mig -dgi && sudo nvidia-smi -i 0 -mig 0  # all undone

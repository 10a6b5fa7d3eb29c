nvidia-smi topo -m | sed 's/\x1b\[[0-9;]*m//g' | sed -n '1,5p' | cut -f 1-5  # the GPUs alone, without colors

nvidia-smi topo -m | sed 's/\x1b\[[0-9;]*m//g' | sed '/^$/,$d'  # without colors and legend

nvidia-smi topo -m | sed 's/\x1b\[[0-9;]*m//g' | sed -n '1,3p'  # without colors and legend

nvidia-smi --query-gpu=name,mig.mode.current --format=csv

nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv

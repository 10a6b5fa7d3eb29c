nsys profile --trace=cuda,nvtx --output=ranges python ranges.py
nsys stats --report=nvtx_gpu_proj_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum ranges.nsys-rep

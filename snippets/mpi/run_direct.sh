# With a CUDA-aware Open MPI: smcuda is the transport that maps a peer's GPU memory.
mpirun -n 2 --mca pml ob1 --mca btl smcuda,self python heat_gpu.py direct

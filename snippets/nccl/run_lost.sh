export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
python ends.py 40 'TimeoutError: rank 0 waited 3 s for the others|MPI_ABORT was invoked on rank 0' \
    mpirun -n 2 python mpi_nccl_lost.py

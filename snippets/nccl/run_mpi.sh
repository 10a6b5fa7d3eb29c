export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # Open MPI asks for this in containers
mpirun -n 2 python mpi_allreduce.py

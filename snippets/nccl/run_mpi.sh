export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # Open MPI asks for this in containers
export OMPI_MCA_plm=isolated  # all processes on this machine, so no ssh
timeout 120 mpirun -n 2 python mpi_allreduce.py  # a rank that waits forever ends here

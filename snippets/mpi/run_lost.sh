export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
two="mpirun -n 2 --oversubscribe"
python ends.py 20 'ValueError: row.*NaN' timeout -s KILL 4 $two python lost.py raises
python ends.py 15 'ValueError: row.*NaN|MPI_ABORT was invoked on rank 1' $two python -m mpi4py lost.py raises
python ends.py 15 'process rank 1|exited on signal 9 \(Killed\)' $two python -m mpi4py lost.py killed
python ends.py 15 'TimeoutError: rank 0 waited 1 s for a halo from rank 1' $two python -m mpi4py lost.py halo
python ends.py 15 'TimeoutError: rank 0 waited 1 s for a sum of all ranks' $two python -m mpi4py lost.py sum

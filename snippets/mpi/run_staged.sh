export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
for ranks in 1 2; do timeout 120 mpirun -n $ranks python heat_gpu.py staged; done

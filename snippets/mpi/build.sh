apt-get source openmpi && cd openmpi-4*/
./configure --prefix=$HOME/openmpi-cuda --with-cuda=/usr/local/cuda --disable-mpi-fortran --without-verbs
make -j 8 install
export PATH=$HOME/openmpi-cuda/bin:$PATH LD_LIBRARY_PATH=$HOME/openmpi-cuda/lib

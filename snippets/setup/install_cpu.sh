python -m venv simulator
source simulator/bin/activate
pip install "numba-cuda==0.30.4" "numpy<2.5"
export NUMBA_ENABLE_CUDASIM=1

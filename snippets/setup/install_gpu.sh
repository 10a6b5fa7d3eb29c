python -m venv gpu
source gpu/bin/activate
pip install "numba-cuda[cu13]==0.30.4" "cupy-cuda13x[ctk]==14.2.0" "cuda-toolkit==13.0.*" "numpy<2.5"

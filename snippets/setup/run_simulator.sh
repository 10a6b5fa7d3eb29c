NUMBA_ENABLE_CUDASIM=1 python double.py

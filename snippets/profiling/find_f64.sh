NUMBA_ENABLE_CUDASIM=0 python find_f64.py

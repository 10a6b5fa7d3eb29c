sed 's/from numba import cuda/from numba_cuda_mlir import cuda/' double.py > double_mlir.py
python double_mlir.py

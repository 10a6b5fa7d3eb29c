"""The same patterns in CuPy, one line each.

--8<-- [start:example]
>>> import cupy as cp
>>> g = cp.arange(1, 8, dtype=cp.float32)
>>> g * g  # map
array([ 1.,  4.,  9., 16., 25., 36., 49.], dtype=float32)
>>> g.take(cp.array([6, 0, 0]))  # gather; g[[6, 0, 0]] is the same
array([7., 1., 1.], dtype=float32)
>>> float(g.sum())  # reduction
28.0
>>> cp.cumsum(g)  # scan
array([ 1.,  3.,  6., 10., 15., 21., 28.], dtype=float32)
>>> bins = cp.zeros(4, dtype=cp.int32)
>>> cp.add.at(bins, cp.array([3, 1, 3, 3, 0, 1, 3]), 1)  # scatter, with atomics
>>> bins
array([1, 2, 0, 4], dtype=int32)
>>> cp.bincount(cp.array([3, 1, 3, 3, 0, 1, 3]), minlength=4)  # made for counting
array([1, 2, 0, 4])

--8<-- [end:example]
"""

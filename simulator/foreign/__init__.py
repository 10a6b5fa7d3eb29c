"""The stepper under code that others wrote: their test suites, scripts and kernels.

``python -m simulator.foreign.suite PATH`` runs numba-cuda's own tests, ``...scripts FOLDER`` the
scripts that sources.json lists, ``...stumpy PATH`` stumpy's tests. Each takes a checkout that lies
outside of the repository: nothing of it is kept here but names and figures.
"""

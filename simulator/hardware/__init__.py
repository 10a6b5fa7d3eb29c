"""The stepper held against a GPU: the same kernels, inputs and launches on both.

``cases`` lists the launches, ``probes`` are kernels of its own beside those of the site, ``run``
reads a GPU's counters and results (a step of ``make gpu``), and ``compare`` says where the
stepper's differ and why.
"""

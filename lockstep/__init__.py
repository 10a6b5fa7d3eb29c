"""The proving machine: pages whose code ran, and the evidence that it did.

It knows pages, includes, runs and evidence, and nothing of the subject that the
pages teach. ``languages.py`` is the one place that knows GPUs.
"""

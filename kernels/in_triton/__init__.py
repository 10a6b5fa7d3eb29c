"""Triton: the same patterns as blocks of numbers instead of threads."""

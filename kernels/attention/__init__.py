"""FlashAttention in Numba: from the online softmax to wgmma, TMA and an overlapped pipeline."""

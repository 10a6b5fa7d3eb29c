"""How large a cache of keys and values is."""


# --8<-- [start:bytes]
def cache_bytes(tokens, layers, kv_heads, head_size, bytes_per_number=2):
    """Return the bytes that the keys and the values of ``tokens`` tokens take."""
    return 2 * tokens * layers * kv_heads * head_size * bytes_per_number


# --8<-- [end:bytes]


def examples():
    """A model of 32 layers with 32 heads of 128 numbers each, in 16 bits.

    --8<-- [start:example]
    >>> cache_bytes(tokens=1, layers=32, kv_heads=32, head_size=128)
    524288
    >>> cache_bytes(tokens=8192, layers=32, kv_heads=32, head_size=128) / 1e9  # GB
    4.294967296

    --8<-- [end:example]

    --8<-- [start:grouped]
    >>> for kv_heads in (32, 8, 1):  # all heads, groups of four, one for all
    ...     print(kv_heads, cache_bytes(8192, layers=32, kv_heads=kv_heads, head_size=128))
    32 4294967296
    8 1073741824
    1 134217728

    --8<-- [end:grouped]
    """

"""Weights in blocks of 32 that share a scale: the layout of the type Q4_0 of GGUF files."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:block]
def pack(weights):
    """Return the 18 bytes of a block: scale, then 32 numbers of 4 bits."""
    extreme = weights[np.abs(weights).argmax()]  # becomes -8
    scale = np.float16(extreme / -8)
    steps = np.round(weights / scale) if scale else np.zeros(32)
    nibbles = (np.clip(steps, -8, 7) + 8).astype(np.uint8)
    return scale.tobytes() + (nibbles[:16] | nibbles[16:] << 4).tobytes()


def unpack(block):
    """Return the 32 weights of a block."""
    scale = np.frombuffer(block[:2], np.float16)[0]
    packed = np.frombuffer(block[2:], np.uint8)
    nibbles = np.concatenate([packed & 15, packed >> 4])
    return (nibbles.astype(np.float32) - 8) * np.float32(scale)


# --8<-- [end:block]


def examples():
    """A block of random weights, its size, and the largest error in steps of the scale.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(0)
    >>> weights = rng.normal(size=32).astype(np.float32)
    >>> block = pack(weights)
    >>> len(block), len(block) * 8 / 32  # bytes, bits for each weight
    (18, 4.5)
    >>> scale = abs(np.frombuffer(block[:2], np.float16)[0])
    >>> error = np.abs(unpack(block) - weights)
    >>> bool((error <= 1.01 * scale).all())
    True

    --8<-- [end:example]
    """

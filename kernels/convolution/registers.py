"""A filter on an image: four columns of several rows a thread, all that it needs in registers."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]
from kernels.patterns.wide import load4, store4


# --8<-- [start:rows]
def make_rows(w, down, i=0):
    """Return a device function that takes in row i of a thread's pixels, and those behind it.

    Each row is a function of its own, which calls the next one. So i is a constant in it: what
    tests i, and which weights i selects, is decided when it is compiled.
    """
    R, S = w.shape
    if i == down + R - 1:  # no row is left

        @cuda.jit(device=True, forceinline=True)
        def no_row(x, top, left, height, width, acc):
            pass

        return no_row
    behind = make_rows(w, down, i + 1)
    reach = -(-(S // 2) // 4) * 4  # columns to fetch on both sides: a multiple of four
    span, skip = 4 + 2 * reach, reach - S // 2

    @cuda.jit(device=True, forceinline=True)
    def rows_from_here(x, top, left, height, width, acc):
        taps = cuda.const.array_like(w)
        pixels = cuda.local.array(span, float32)
        zero = float32(0)
        row = int32(top + i - R // 2)
        for q in range(0, span, 4):
            column = int32(left + q - reach)
            four = zero, zero, zero, zero
            if 0 <= row < height and 0 <= column < width:  # outside of the image are zeros
                four = load4(x, uint32(row * width + column))
            pixels[q], pixels[q + 1], pixels[q + 2], pixels[q + 3] = four
        for k in range(down):  # output row k has these pixels under the filter's row i - k
            if 0 <= i - k < R:
                for s in range(S):
                    for c in range(4):
                        acc[k, c] += pixels[skip + s + c] * taps[i - k, s]
        behind(x, top, left, height, width, acc)

    return rows_from_here


# --8<-- [end:rows]


# --8<-- [start:kernel]
def make_registers(w, down=8):
    """Return a kernel (x, height, width, out) for one filter, R x S float32, both odd.

    x and out are flat; width is a multiple of four. A thread makes ``down`` rows of four pixels.
    """
    rows = make_rows(w, down)

    @cuda.jit
    def registers_kernel(x, height, width, out):
        acc = cuda.local.array((down, 4), float32)
        height, width = int32(height), int32(width)
        left = int32(4 * (cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x))
        top = int32(down * (cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y))
        if left < width and top < height:
            for k in range(down):
                for c in range(4):
                    acc[k, c] = float32(0)
            rows(x, top, left, height, width, acc)
            for k in range(down):
                if top + k < height:
                    four = acc[k, 0], acc[k, 1], acc[k, 2], acc[k, 3]
                    store4(out, uint32((top + k) * width + left), four)

    return registers_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def filter_launch(kernel, x, height, width, out, down=8):
    """Launch on flat device arrays, with blocks of 32 x 8 threads."""
    blocks = -(-width // 128), -(-height // (8 * down))
    kernel[blocks, (32, 8)](x, np.uint32(height), np.uint32(width), out)


def filter_registers(x, w, down=8):
    """Return an image (height, width) filtered by w, zeros outside. Width: a multiple of four.

    --8<-- [start:example]
    >>> photo = np.random.default_rng(1).standard_normal((37, 132), dtype=np.float32)
    >>> w = np.random.default_rng(2).standard_normal((7, 5), dtype=np.float32)
    >>> right = filter_image(filter_plain_kernel, photo, w)
    >>> np.allclose(filter_registers(photo, w), right, atol=1e-5)
    True

    --8<-- [end:example]

    --8<-- [start:line_example]
    >>> sound = np.random.default_rng(3).standard_normal((1, 1000), dtype=np.float32)
    >>> smooth = np.hanning(33)[1:-1].astype(np.float32)
    >>> right = np.convolve(sound[0], smooth[::-1], mode="same")
    >>> np.allclose(filter_registers(sound, smooth[None], down=1)[0], right, atol=1e-4)
    True

    --8<-- [end:line_example]
    """
    height, width = x.shape
    if w.shape[0] % 2 == 0 or w.shape[1] % 2 == 0:
        raise ValueError(f"a filter of {w.shape[0]} x {w.shape[1]} has no middle")
    if width % 4:
        raise ValueError(f"{width} columns: a multiple of four is needed; pad the image")
    out = cuda.device_array(x.size, np.float32)
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.float32).reshape(-1))
    filter_launch(make_registers(w, down), d_x, height, width, out, down)
    return out.copy_to_host().reshape(x.shape)


# --8<-- [end:host]


# --8<-- [start:separable]
def filter_separable(x, down_taps, across_taps):
    """Return x filtered by np.outer(down_taps, across_taps), in two passes.

    --8<-- [start:separable_example]
    >>> bell = np.exp(-(np.arange(-6, 7) ** 2) / 8).astype(np.float32)
    >>> right = filter_image(filter_plain_kernel, photo, np.outer(bell, bell))
    >>> np.allclose(filter_separable(photo, bell, bell), right, atol=1e-4)
    True

    --8<-- [end:separable_example]
    """
    return filter_registers(filter_registers(x, across_taps[None]), down_taps[:, None])


# --8<-- [end:separable]

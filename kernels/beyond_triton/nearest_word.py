"""Edit distance, a warp for each word: lanes hand each other cells of the table by shuffles."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def edit_distance_kernel(typed, words, lengths, out):
    """out[i]: how many letters to insert, drop or replace to turn ``typed`` into word i."""
    lane = int32(cuda.threadIdx.x % 32)
    word = cuda.grid(1) // 32
    if word < lengths.size:  # the whole warp or none of it
        columns, rows = int32(typed.size), int32(lengths[word])
        mine = typed[lane] if lane < columns else typed[0]
        here, corner = int32(lane + 1), lane  # row 0 of the table: drop the letters so far
        for step in range(rows + columns - 1):
            row = int32(step - lane)  # each lane is a row behind the lane to its left
            left = cuda.shfl_up_sync(0xFFFFFFFF, here, 1)
            if lane == 0:
                left = int32(row + 1)  # column 0: insert the letters so far
            if 0 <= row < rows:
                swap = int32(corner + (1 if words[word, row] != mine else 0))
                here = int32(min(min(left, here) + 1, swap))
                corner = left
        if lane == columns - 1:
            out[word] = here


# --8<-- [end:kernel]


# --8<-- [start:host]
def letters(words, width=32):
    """Return words as a matrix of character codes, and their lengths."""
    codes = np.zeros((len(words), width), np.int32)
    for row, word in zip(codes, words, strict=True):
        row[: len(word)] = [ord(letter) for letter in word]
    return codes, np.array([len(word) for word in words], np.int32)


def edit_distances(typed, words):
    """Return the edit distance of ``typed``, 1 to 32 letters, to each word of up to 32.

    --8<-- [start:example]
    >>> words = ["kernel", "colonel", "kernels", "nerd", "journal", ""]
    >>> edit_distances("kernal", words)
    array([1, 5, 2, 4, 3, 6], dtype=int32)

    --8<-- [end:example]
    """
    if not 1 <= len(typed) <= 32 or max(map(len, words)) > 32:
        raise ValueError("a lane for each letter: words of at most 32, and not nothing")
    codes, lengths = letters(words)
    d_typed = cuda.to_device(letters([typed])[0][0, : len(typed)].copy())
    out = cuda.device_array(len(words), np.int32)
    threads = 128
    blocks = -(-len(words) * 32 // threads)
    edit_distance_kernel[blocks, threads](
        d_typed, cuda.to_device(codes), cuda.to_device(lengths), out
    )
    return out.copy_to_host()


# --8<-- [end:host]

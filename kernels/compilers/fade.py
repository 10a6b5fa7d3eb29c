"""An expression with something for each pass of our compiler."""

# --8<-- [start:fade]
import numpy as np


def fade(image, mask, strength):
    bright = image * (1 - strength)
    dark = (1 - strength) * image * mask
    np.exp(image)  # a leftover: nobody reads it
    return np.where(mask > 0.5, bright, dark)


# --8<-- [end:fade]

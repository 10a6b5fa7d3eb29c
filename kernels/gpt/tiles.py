"""Which tile is the quickest for which product, as benchmarks/gpt_tiles.py found on an H200."""

# --8<-- [start:tuned]
# (how a and b are stored, m, n, k, products in a stack): the tile, and the parts of the sum
TUNED = {}
# --8<-- [end:tuned]

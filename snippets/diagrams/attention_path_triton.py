"""The tiles of attention in Triton: 64 queries that stay, 64 keys and values in three stages."""

from snippets.diagrams import attention_path


def draw(theme):
    """Return the picture as SVG."""
    return attention_path.draw(theme, rows=64, slots=(1, 3, 3), product="tl.dot")

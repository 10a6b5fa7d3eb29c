"""What a naive matrix product costs: arithmetic, no GPU."""


# --8<-- [start:arithmetic]
def cost(m, n, k, item=4):
    """Return the operations of an (m, k) @ (k, n) product, and two counts of bytes.

    The first count is what must move: each matrix once. The second is what the naive kernel's
    threads ask for: a row of a and a column of b for each result.

    --8<-- [start:example]
    >>> operations, needed, asked = cost(4096, 4096, 4096)
    >>> round(operations / needed, 2)  # what a product could do for each byte
    682.67
    >>> round(operations / asked, 2)  # what the naive kernel's threads do
    0.25

    --8<-- [end:example]
    """
    operations = 2 * m * n * k  # a multiplication and an addition for each k
    needed = item * (m * k + k * n + m * n)
    asked = item * (2 * m * n * k + m * n)
    return operations, needed, asked


# --8<-- [end:arithmetic]

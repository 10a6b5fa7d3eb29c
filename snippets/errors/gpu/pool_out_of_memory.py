import cupy


def right():
    cupy.empty(10**6, dtype=cupy.uint8)


def wrong():
    cupy.empty(10**13, dtype=cupy.uint8)  # 10 TB

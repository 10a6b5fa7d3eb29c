"""What the benchmarks of the parallel patterns share. It has no ``run``: it is no benchmark."""

from benchmarks.harness import BenchmarkError, Reference


class Returned:
    """In place of an ``Output``: what a library's function returned last, with no copy of it."""

    def __init__(self):
        self.value = None

    def poison(self):
        self.value = None

    def keep(self, value):
        self.value = value

    def error(self, expected):
        """Return ||value - expected|| / ||expected||."""
        if self.value is None or self.value.size != expected.size:
            raise BenchmarkError("the reference returned nothing, or as many as nobody expected")
        off = self.value.ravel().astype("float64") - expected.ravel()
        return float((off * off).sum() ** 0.5 / ((expected.ravel() ** 2).sum() ** 0.5 or 1))


def library(name, function):
    """Return a Reference that calls a function which returns its result."""
    returned = Returned()
    return Reference(name, lambda: returned.keep(function()), returned)


def copy_of(bench, answer, output):
    """Return a Reference that takes as long as a copy, and leaves the right answer.

    It is one: the right answer is copied, with cudaMemcpyAsync.
    """
    stream = bench.xp.cuda.Stream.null

    def call():
        output.array.data.copy_from_device_async(answer.data, answer.nbytes, stream)

    return Reference("a device copy of as many bytes", call, output)

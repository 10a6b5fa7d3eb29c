"""The fastest of a few shapes of one kernel. It has no ``run``: it is no benchmark."""


def fastest(bench, calls):
    """Return the key of the fastest of some calls, which do the same with other shapes."""
    times = bench.samples({str(key): call for key, call in calls.items()})
    best = min(calls, key=lambda key: times[str(key)].median)
    bench.say(f"[{bench.name}]   fastest of {len(calls)} shapes: {best}")
    return best

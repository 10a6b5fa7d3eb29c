"""What the warps of a kernel of a few lines did in the stepper: the numbers of a term's picture.

The result is that of ``common.watch``, which runs the kernels of lessons.
"""

from pathlib import Path
from types import SimpleNamespace

from simulator.stepper import Stepper


def observe(make, config, *arguments):
    """Run one launch of the kernel that ``make(cuda)`` returns. NumPy arrays are copied over.

    The result has ``counts``; ``accesses``, a list of (array, kind, block, {lane: element}) in the
    order of the run; ``masks``, a list of (line of source, lanes that ran it) for the first warp;
    and ``arrays``, what the array arguments hold in the end.
    """
    stepper = Stepper(mode="record")
    places = [stepper.cuda.to_device(a) if getattr(a, "shape", ()) else a for a in arguments]
    make(stepper.cuda)[config](*places)
    done = stepper.launches[0]
    source = Path(make.__code__.co_filename).read_text(encoding="utf-8").splitlines()
    trace = done.trace.as_dict()
    accesses, masks = [], []
    for block, warp, place, mask, touched in trace["steps"]:
        if warp < 0:  # a barrier
            continue
        lanes = [lane for lane in range(32) if mask >> lane & 1]
        if (block, warp) == (0, 0):
            line = trace["statements"][str(place)]["line"]
            masks.append((source[line - 1].split("  #")[0].strip(), lanes))
        for number, _, own, items, *_ in touched:
            site = trace["sites"][str(number)]
            elements = dict(zip(own or lanes, items, strict=True))
            accesses.append((site["array"], site["kind"], tuple(trace["blocks"][block]), elements))
    arrays = [place.copy_to_host() for place in places if hasattr(place, "copy_to_host")]
    return SimpleNamespace(counts=done.counts, accesses=accesses, masks=masks, arrays=arrays)

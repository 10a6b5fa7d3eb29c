"""The ring all-reduce on four ranks: the page's own functions, on parts that know their ranks."""

from kernels.nccl.ring import ring_all_gather, ring_reduce_scatter

RANKS = 4


class Sum(frozenset):
    """A part of an array: the ranks whose values are added up in it."""

    __add__ = frozenset.union


class Own(list):
    """The parts of one rank. Each write is passed on, as (rank, part)."""

    def __init__(self, rank, wrote):
        super().__init__(Sum({rank}) for _ in range(RANKS))
        self.rank, self.wrote = rank, wrote

    def __setitem__(self, part, value):
        super().__setitem__(part, value)
        self.wrote(self.rank, part)


def record():
    frames, arrived = [], []
    halves = (
        (ring_reduce_scatter, "Reduce-scatter", "adds what arrives"),
        (ring_all_gather, "All-gather", "keeps what arrives"),
    )

    def picture(words):
        cells, text = "", []
        for rank, own in enumerate(parts):
            for part, holds in enumerate(own):
                whole = len(holds) == RANKS
                cells += "a" if whole else "w" if (rank, part) in arrived else "."
                text.append("sum" if whole else "+".join(map(str, sorted(holds))))
        links = [
            [0, (rank - 1) % RANKS * RANKS + part, 0, rank * RANKS + part] for rank, part in arrived
        ]
        frames.append({"words": words, "cells": [cells], "text": [text], "links": links})

    def wrote(rank, part):
        arrived.append((rank, part))
        if len(arrived) == RANKS:  # a step of all ranks, which real hardware does at once
            step = (len(frames) - 1) % (RANKS - 1) + 1
            sends = ", ".join(f"part {p} to rank {r}" for r, p in arrived)
            picture(f"{name}, step {step}: {sends}. Each rank {does}.")
            arrived.clear()

    parts = [Own(rank, wrote) for rank in range(RANKS)]
    picture("Each rank has an array of its own, in four parts. A box says whose values it sums.")
    for half, name, does in halves:  # noqa: B007  (wrote() reads them)
        half(parts)
    return {
        "title": "A ring all-reduce on four ranks",
        "caption": "In every step each rank sends one part to its right neighbor and receives one "
        "from its left, so all four links carry a quarter of the array, and none waits. After "
        "three steps each rank has one finished sum; after three more, every rank has all four.",
        "step": "step",
        "panels": [
            {
                "name": "Parts of the array, on each rank",
                "rows": [f"rank {rank}" for rank in range(RANKS)],
                "columns": RANKS,
                "ends": ["part 0", f"part {RANKS - 1}"],
            }
        ],
        "legend": [["w", "has just arrived"], ["a", "the finished sum"]],
        "frames": frames,
    }

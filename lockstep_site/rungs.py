"""The matmul worklog as a game: the ceilings of each rung, the record, and the score of all bets.

``[[rung:ID]]``, on a line of its own below a bet on a rate, becomes five bars, the longest of them
lit, and what the H200 did. The bars are the least times that the parts of an H200 need for what the
stepper counted (simulator/hardware/ladder.py), and its issue slots for the loop as it was compiled.
What the H200 did is its rate, how full the profiler found each part, and why warps stalled. What
names the rate is folded until the bet is made: see bet.py. ``[[rung:score]]`` becomes the place
where ``docs/assets/js/rungs.js`` adds up the bets of the page.
"""

import html
import re

from lockstep import figures
from lockstep.evidence import Evidence
from lockstep.parts import Part

MARKER = re.compile(r"^\[\[rung:(?P<id>[a-z-]+)\]\][ \t]*$")
SCORE = "score"
# A part as ladder.py calls it: its name here, and the profiler's share of it that was in use
PARTS = {
    "issue": ("issue slots", "issue_share"),
    "L1": ("L1's data pipe", "l1_data_share"),
    "L2": ("L2", "l2_share"),
    "HBM": ("HBM", "dram_share"),
}
# Why a warp stalls, by the profiler's names. Source: Nsight Compute, statistical sampler.
STALLS = {
    "barrier": "for the other warps at a barrier",
    "branch_resolving": "for the target of a branch",
    "dispatch_stall": "for the dispatcher, which holds a ready instruction back",
    "drain": "for its last stores",
    "imc_miss": "for a constant",
    "lg_throttle": "for a place in L1's queue",
    "long_scoreboard": "for data from global memory",
    "math_pipe_throttle": "for the unit that computes",
    "mio_throttle": "for a place in the queue of shared memory",
    "no_instruction": "for its next instruction to be fetched",
    "short_scoreboard": "for data from shared memory",
    "wait": "for the fixed latency of its last instruction",
}
COMPILED = "issue, as compiled"
MOST = 3  # reasons that are told
FLOPS = 2  # of a multiply-add


def counted():
    """Return the module that has the counts; it brings the stepper, which few commands need."""
    from simulator.hardware import ladder

    return ladder


def rate(seconds: float) -> float:
    """Return the TFLOP/s of a product of the worklog that takes so long."""
    return FLOPS * counted().SIZE ** 3 / seconds / 1e12


def rows(id: str, row: dict) -> list[tuple[str, float, bool]]:
    """Return (name, least seconds, whether it binds) for each part of an H200.

    row: the benchmark's, which has the instructions of the inner loop that the compiler made.
    """
    from simulator.stepper.counts import ISSUED

    times = {
        PARTS[part][0]: seconds
        for part, seconds in counted().ceilings(counted().known()[id]).items()
    }
    if row.get("fresh"):
        issue, *others = times.items()
        products = counted().SIZE ** 3 / 32  # of a warp each
        times = dict([issue, (COMPILED, products * row["loop"] / row["ffma"] / ISSUED), *others])
    longest = max(times.values())
    return [(name, seconds, seconds == longest) for name, seconds in times.items()]


def picture(id: str, row: dict) -> str:
    """Return the bars of a rung, as HTML, with what the script needs for the score."""
    times = rows(id, row)
    most = max(seconds for _, seconds, _ in times)
    inside = "".join(
        f'<tr{_LIT if binds else ""}><th scope="row">{name}'
        f"{' <b>binds</b>' if binds else ''}</th>"
        f'<td class="rung__bar"><span style="width: {max(0.5, 100 * seconds / most):.1f}%"></span>'
        f"</td><td>{figures.quantity(seconds, 's')}</td>"
        f"<td>{figures.quantity(rate(seconds))}</td></tr>"
        for name, seconds, binds in times
    )
    known = ""
    if row.get("fresh"):
        title = html.escape(row["title"].split(", ")[-1], quote=True)
        known = f' data-rate="{row["tflops"]:g}" data-title="{title}"'
    return (
        f'<div class="rung" data-rung="{id}" data-ceiling="{rate(most):g}"{known}>'
        '<table class="rung__table"><caption>The least time that each part of an H200 needs for '
        "what the stepper counts (of HBM: each matrix once), and for the loop as compiled. "
        "The longest binds.</caption>"
        '<thead><tr><th scope="col">Part</th><td></td><th scope="col">time</th>'
        f'<th scope="col">at most, TFLOP/s</th></tr></thead><tbody>{inside}</tbody></table></div>'
    )


_LIT = ' class="is-binding"'


def record(id: str, records: Evidence) -> str:
    """Return what the H200 did, as Markdown: its rate by key, and what its profile says."""
    bench, profile = f"sgemm-{id}", f"profile-sgemm-{id}"
    row, seen = records.benchmarks.get(bench, {}), records.microbenchmarks.get(profile, {})
    if again := row.get("again"):
        runs = f"[[bench:{bench}.range]] over {len(again) + 1} runs"
    else:
        runs = f"one run, whose repeats spread by [[bench:{bench}.spread]]"
    said = [f"**On the H200: [[bench:{bench}.tflops]]**, {runs}."]
    if not seen.get("fresh"):
        return f"{said[0]} Its profile: [[micro:{profile}]]."
    used = (f"{name} {figures.quantity(seen[share], '%')}" for name, share in PARTS.values())
    said.append(f"In use, by the profiler: {', '.join(used)}.")
    stalls = sorted((-seen.get(f"stall_{reason}", 0), reason) for reason in STALLS)
    why = (
        f"{figures.quantity(-share)} {STALLS[reason]} (`{reason}`)"
        for share, reason in stalls[:MOST]
    )
    # Stalled warps for each issued instruction are a warp's cycles between two of its own.
    said.append(f"Cycles that a warp waits, for each of its instructions: {'; '.join(why)}.")
    times = seen["instructions"] / counted().known()[id]["instructions"]
    first = id == next(iter(counted().known()))  # what is left out is said once on the page
    left_out = ", which leaves out addresses and loop counters" if first else ""
    said.append(f"It issued {figures.quantity(times)} times what the stepper counted{left_out}.")
    return " ".join(said)


def render(id: str, records: Evidence, plain: bool) -> str:
    """Return what a marker stands for. Raises KeyError where it names no rung."""
    if id == SCORE:
        return "" if plain else '<div class="rungs" data-search-exclude></div>'
    known, row = counted().known(), records.benchmarks.get(f"sgemm-{id}", {})
    if id not in known:
        raise KeyError(f"no rung {id} (there are: {', '.join((*known, SCORE))})")
    if plain:
        above = "\n".join(
            f"- {name}: at least {figures.quantity(seconds, 's')}, so at most "
            f"{figures.quantity(rate(seconds), 'TFLOP/s')}{', which binds' if binds else ''}"
            for name, seconds, binds in rows(id, row)
        )
        above = f"What the stepper counts needs, on an H200:\n\n{above}"
    else:
        above = picture(id, row)
    return f"{above}\n\n{record(id, records)}"


class RungPart(Part):
    """Bets on the rungs of the matmul worklog."""

    name = "rung"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return render(marker["id"], site.records, plain)

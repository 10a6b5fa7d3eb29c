"""The lessons' exercises with a par on a GPU: the solution and tempting answers, at a size.

For each exercise all answers that are right and above par, and then as many wrong ones as make two.
Which do no harm, lockstep_site.puzzles says. Every answer is timed in turns with its solution.
"""

import numpy as np

from benchmarks.harness import ROOT, BenchmarkError
from benchmarks.micro.common import WARM
from benchmarks.micro.puzzles import TOLERANCE
from benchmarks.micro.puzzles_wrong import Fresh, Launch, kernel
from lockstep_site.puzzles import CHANCE, answers
from simulator import grade

FOLDER = "kernels/exercises"
PRODUCT = (1024, 1024, 1024)
WIDE = (4096, 4096)
# What `test` of each exercise is called with. Where its expected values are made by a loop of
# Python, the size is what that loop does in about a second; one of one block keeps its size.
SIZES = {
    "adamw": (2**20,),
    "add_bias": (64, 2**15),
    "apart": PRODUCT,
    "attend_once": (2**14, 128),
    "average_gradients": (8, 2**18),
    "best_key": (2**13, 1024),
    "block_order": WIDE,
    "bytes_along_k": WIDE,
    "cache_write": PRODUCT,
    "channels_last": (8, 64, 2**15),
    "classifier": (2**13, 128),
    "close_pairs": (2**14,),
    "column_means": (1024, 2**14),
    "copy_pages": (2**12, 128),
    "count_wrong": (2**22,),
    "cut_out": (2**21,),
    "decode_and_blur": (2**20,),
    "doubling_round": (8, 4, 2**18),
    "dust": (2**22,),
    "echo": (2**24,),
    "echoes": (256, 2**16),
    "eight_in_a_word": (2**21,),
    "flip": WIDE,
    "four_in_flight": (2**24,),
    "fuse": (2**24,),
    "fuse_and_split": (8, 2**17),
    "fuse_loops": (2**15, 64),
    "gate_gradient": (512, 1024),
    "gram": (1024, 1024),
    "horner": (2**22, 8),
    "into_slots": (2**14, 256),
    "keep_the_row": (2**12, 256),
    "kth_of_both": (2**19, 2**19),
    "letters": (2**24,),
    "load_fragment": (2**17,),
    "lookup_gradient": (2**13, 256),
    "march": (64, 128, 256),
    "merge_attention": (2**13, 64),
    "my_sequences": (8, 4096, 512),
    "nearest": (2**11,),
    "one_barrier": (2**14, 1024),
    "one_column": (2**13, 2048),
    "one_pass": (2**20,),
    "own_share": (8, 2**20),
    "pack_bucket": (256, 2**15),
    "pack_groups": (2**21,),
    "pack_halo": (2**16, 256, 100, 8),
    "part_for_all": (8, 2**18),
    "planes": (2**22,),
    "radix_four": (64,),
    "row_deltas": (2**15, 512),
    "share_the_work": (2**18,),
    "short_rows": (2**20,),
    "skewed": (1,),
    "small_chunks": (2**18,),
    "smoothstep": (2**20,),
    "softmax_in_registers": (2**12, 128),
    "sparse_row": (1024, 512),
    "stalled": (2**12, 512),
    "steps_in_one_launch": (2**11, 64, 16),
    "sum_of_matrices": WIDE,
    "swizzle": (1,),
    "symmetric": (1024,),
    "tally": (2**16,),
    "tiled": PRODUCT,
    "rotate": WIDE,
    "transposed_tile": WIDE,
    "two_experts": (2**13, 128),
    "two_points": (64, 2**14),
    "two_rows": PRODUCT,
    "two_steps": (2**20,),
    "uneven_bins": (2**18,),
    "unit_rows": (2**14, 1024),
    "update": PRODUCT,
    "variance_once": (2**12, 256),
    "wave_sums": (2**20, 32),
}


class InTurns:
    """Stands for a kernel: launches each of some kernels, {name: kernel}, on the same arrays.

    The arrays are put back between them. The last kernel's results stay, for a test that launches
    more than once. ``launches`` has the last launch of each, and ``left`` what each left, {name:
    {id of an array: its elements}}.
    """

    def __init__(self, kernels):
        self.kernels, self.launches, self.left = kernels, {}, {}

    def __getitem__(self, shape):
        def launch(*arguments):
            one = None
            for name, program in self.kernels.items():
                if one:
                    one.restore()
                one = self.launches[name] = Launch(program, shape, arguments)
                one()
                self.left[name] = {id(array): array.copy_to_host() for array in one.arrays}

        return launch


def run(bench):
    paths = {file.stem: file for file in (ROOT / FOLDER).glob("[!_]*.py")}
    known = {name: grade.read(file.read_text(encoding="utf-8")) for name, file in paths.items()}
    found = sorted(name for name, exercise in known.items() if exercise.par)
    if found != sorted(SIZES):
        wrong = set(found) ^ set(SIZES)
        raise BenchmarkError(f"no size for the exercises with a par {wrong}: add it to SIZES")
    for name in found:
        with bench.part(name):
            timed(bench, name, known[name])


def chosen(exercise, name):
    """Return the answers that are timed, {id: label}: the solution last."""
    solution, *asked = (
        (key, label, verdict)
        for key, (label, _, verdict, runs) in answers(exercise, name, "exercise").items()
        if runs
    )
    right = [row for row in asked if row[2].startswith("right")]
    others = sorted((row for row in asked if row not in right), key=lambda row: row[2] in CHANCE)
    tried = [*right, *others[: max(0, 2 - len(right))], solution]
    return {key: label for key, label, _ in tried}


def timed(bench, name, exercise):
    asked = answers(exercise, name, "exercise")
    tried = chosen(exercise, name)
    *_, solution = tried
    each = InTurns({key: kernel(asked[key][1], exercise.names) for key in tried})
    grading: dict = {}
    exec(compile(exercise.text, f"{FOLDER}/{name}.py", "exec"), grading)
    wrong = dict.fromkeys(tried, 0)
    for _, out, want, *loose in grading["test"](each, *SIZES[name]):
        for key in tried:
            got = each.left[key][id(out)]
            near = max(TOLERANCE, *loose, 0)
            wrong[key] += int(np.count_nonzero(~np.isclose(got, want, near, near, equal_nan=True)))
    for key in tried:
        if wrong[key] and asked[key][2].startswith("right"):
            raise BenchmarkError(f"{name}: {wrong[key]} elements of {tried[key]!r} are wrong")
    times = bench.samples(each.launches, Fresh())
    size = " x ".join(map(str, SIZES[name]))
    for key, label in tried.items():
        bench.micro(
            key,
            f"Exercise “{exercise.title}”: {label}, {size}",
            times[key],
            unit="us",
            kernel=f"{FOLDER}/{name}.py",
            method=f"{WARM}; the launch of the exercise's own test; median of {times[key].repeats}",
            extra={"wrong": wrong[key]},
        )

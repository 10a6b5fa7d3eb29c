"""The idle share of a pipeline of GPUs, counted on its timetable."""


# --8<-- [start:timetable]
def timetable(stages, micro_batches):
    """Return, for each stage, which micro-batch it works on at each step.

    A dot is an idle step; of a micro-batch's number only the last digit is written.
    """
    steps = stages + micro_batches - 1
    rows = []
    for stage in range(stages):
        works_on = [step - stage for step in range(steps)]
        rows.append("".join(str(b % 10) if 0 <= b < micro_batches else "." for b in works_on))
    return rows


# --8<-- [end:timetable]


def examples():
    """Four stages.

    --8<-- [start:example]
    >>> for row in timetable(stages=4, micro_batches=6):
    ...     print(row)
    012345...
    .012345..
    ..012345.
    ...012345
    >>> for micro_batches in (1, 6, 32):
    ...     table = "".join(timetable(4, micro_batches))
    ...     print(micro_batches, f"{table.count('.') / len(table):.0%} idle")
    1 75% idle
    6 33% idle
    32 9% idle

    --8<-- [end:example]
    """

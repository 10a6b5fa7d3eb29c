"""The index of error messages: its count, what is reproduced, and what the rest quote."""

import ctypes
import importlib.util
import re
from pathlib import Path

from lockstep import running
from tests.pages import PAGES as EVERY

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs/errors"
HEADING = re.compile(r"^#{2,3} (.+?) \{#([\w-]+)\}$", re.MULTILINE)
ROW = re.compile(
    r"^\| (?:`(CUDA_ERROR_\w+)`, )?`(cuda\w+|nccl\w+)` \| (\d+) \| (.+?) \|", re.MULTILINE
)


PLACES = dict.fromkeys(("numba", "stepper", "compilers"), "snippets/errors")
ON_GPU = dict.fromkeys(("cuda", "torch"), "snippets/errors/gpu")
PLACES |= ON_GPU


def told(text):
    """Return a message without marks and spaces, as a heading and an output share it."""
    return re.sub(r"[\W_]+", "", text)


def reproduced():
    """Return page, message, address and the outputs of the section that stands for each."""
    found = []
    for name, folder in PLACES.items():
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        sessions = (ROOT / folder / f"{name}.pycon").read_text(encoding="utf-8")
        parts = HEADING.split(text)
        for message, address, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            ids = re.findall(rf"{folder}/{name}\.pycon:(\w+)", body)
            outputs = [
                re.search(rf"\[start:{i}\]\n(.+?)# --8<-- \[end", sessions, re.DOTALL)[1]
                for i in ids
            ]
            found.append((name, message, address, outputs))
    return found


def quoted():
    return ROW.findall((PAGES / "driver.md").read_text(encoding="utf-8"))


def test_at_least_forty_messages_of_which_most_are_reproduced():
    assert len(reproduced()) >= 93
    assert len(reproduced()) + len(quoted()) >= 140


def test_each_reproduced_message_is_what_its_script_said_and_its_fix_passes():
    for page, message, address, outputs in reproduced():
        where = f"docs/errors/{page}.md#{address}"
        # What stands between the parts of a heading may be shortened in it: a colon joins them.
        parts = message.strip("`").split(": ") if page == "numba" else [message]
        for part in parts:
            assert told(part).rstrip(">") in told(outputs[0]), (where, part, outputs[0])
        if page in ON_GPU:  # one script does both: what works, and the mistake
            assert re.search(
                r"^right: no error\n(lost: .+\n)?wrong: (?!no error)", outputs[0], re.MULTILINE
            ), where
            continue
        fixes = outputs[1:] or re.findall(r"#(\S+)\)", (PAGES / f"{page}.md").read_text())
        assert fixes, where
        for output in outputs[1:]:
            assert output.rstrip().endswith(("no error", "no finding")), where


def test_what_the_table_calls_reproduced_is():
    text = (PAGES / "driver.md").read_text(encoding="utf-8")
    there = {address for page, _, address, _ in reproduced() if page == "cuda"}
    said = re.findall(r"\[Reproduced\]\(cuda\.md#([\w-]+)\)", text)
    assert len(said) >= 26 and set(said) <= there
    rows = {
        number: line
        for line in text.splitlines()
        for number in re.findall(r"^\| `CUDA.+?\| (\d+) \|", line)
    }
    for number in ("2", "700", "701", "710", "716", "719", "900"):
        assert "[Reproduced]" in rows[number], number


def test_each_reproduced_message_is_in_the_index():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    for page, message, address, _ in reproduced():
        assert f"| [{message}]({page}.md#{address}) |" in index, message


def test_each_quoted_number_has_the_name_and_the_sentence_of_the_library():
    from cuda.bindings import driver

    symbols = {int(member): member.name for member in driver.CUresult}
    folders = importlib.util.find_spec("nvidia").submodule_search_locations
    library = next(p for f in folders for p in Path(f).glob("cu*/lib/libcudart.so.*"))
    runtime = ctypes.CDLL(str(library))
    runtime.cudaGetErrorName.restype = runtime.cudaGetErrorString.restype = ctypes.c_char_p
    rows = [row for row in quoted() if row[1].startswith("cuda")]
    assert len(rows) >= 40
    for symbol, name, number, sentence in rows:
        assert symbol == symbols.get(int(number), ""), number
        assert name == runtime.cudaGetErrorName(int(number)).decode()
        assert sentence == runtime.cudaGetErrorString(int(number)).decode()


def test_a_page_that_needs_no_gpu_awaits_none():
    for name in ("numba", "stepper", "compilers", "driver"):
        page = next(p for p in EVERY if p.path == f"docs/errors/{name}.md")
        assert running.wanted(page) == ("cpu",)

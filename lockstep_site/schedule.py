"""The scheduler of a page, step by step: a recording of the code that the page shows.

``snippets/engine/schedules.yml`` names requests and a cache. ``python -m lockstep schedules`` runs
the page's own ``Pool``, ``Request`` and ``Scheduler`` on them, watches the lines of the scheduler,
and keeps a picture of the cache after each line that changed it, in ``docs/assets/schedules/``;
the suite makes the files again and compares. ``[[schedule:NAME]]`` on a line of its own becomes
the figure, which ``docs/assets/js/schedule.js`` plays. Nothing is computed in the browser.
"""

import html
import json
import re
import sys
from pathlib import Path

import yaml

from lockstep.page import LOADER, Mistake, PageError, read
from lockstep.parts import Part

SPECS = "snippets/engine/schedules.yml"
FOLDER = "docs/assets/schedules"
CODE = "kernels/paging/pool.py"
SECTIONS = ("imports", "pool", "scheduler")
WATCHED = ("submit", "step", "give", "release")  # methods of the scheduler
MARKER = re.compile(r"^\[\[schedule:(?P<name>[a-z][a-z0-9-]*)\]\][ \t]*$")


def specs(root: Path) -> dict[str, dict]:
    return yaml.load((root / SPECS).read_text(encoding="utf-8"), LOADER)


def shown(spec: dict, root: Path) -> str:
    """Return the code of a page that is run: its blocks of the pool and the scheduler."""
    page = read(root / "docs" / spec["page"], root)
    blocks = {block.source: block.text for block in page.blocks}
    lacking = [name for name in SECTIONS if f"{CODE}:{name}" not in blocks]
    if lacking:
        what = f"docs/{spec['page']} does not show {CODE}:{lacking[0]}"
        raise PageError([Mistake(SPECS, 1, what, "name a page with the scheduler")])
    return "\n\n".join(blocks[f"{CODE}:{name}"] for name in SECTIONS)


class Watch:
    """Runs a scheduler and keeps what its lines change."""

    def __init__(self, spec: dict, code: str):
        self.names = {}
        exec(compile(code, CODE, "exec"), self.names)  # noqa: S102
        self.pool = self.names["Pool"](spec["blocks"])
        self.scheduler = self.names["Scheduler"](self.pool, budget=spec["budget"])
        self.came, self.frames, self.line, self.number = [], [], 0, 0
        self.keep("Nobody has asked yet: all blocks are free.")

    def state(self) -> dict:
        """Return a picture of the queue, the requests and the blocks."""
        page, held = self.names["PAGE"], {}
        self.came += [r for r in self.scheduler.waiting if r not in self.came]
        for request in self.came:
            for place, block in enumerate(request.blocks):
                if self.pool.users[block]:
                    known = request.tokens[place * page : min(request.cached, (place + 1) * page)]
                    old = held.setdefault(block, ("", ()))
                    held[block] = old[0] + request.name, max(old[1], known, key=len)
        for block, tokens in self.pool.prefix.items():
            held.setdefault(block, ("", tokens[-page:]))
        return {
            "queue": [request.name for request in self.scheduler.waiting],
            "rows": [
                [r.name, self.place(r), r.cached, len(r.prompt), r.made, r.answer, [*r.blocks]]
                for r in self.came
            ],
            "blocks": [
                [held.get(block, ("",))[0], users, spelled(held.get(block, ("", ()))[1])]
                for block, users in enumerate(self.pool.users)
            ],
            "free": list(self.pool.free),
        }

    def place(self, request) -> str:
        if request in self.scheduler.running:
            return "runs"
        if request in self.scheduler.waiting:
            return "waits"
        return "is done" if request.made == request.answer else "is sent back"

    def keep(self, words: str) -> None:
        self.frames.append({"step": self.number, "line": self.line, "words": words} | self.state())

    def look(self) -> None:
        """Keep a frame if the line that has just run changed something that a reader sees."""
        new, old = self.state(), self.frames[-1]
        if any(new[key] != old[key] for key in new):
            self.keep(told(old, new))

    def trace(self, frame, event, _):
        if frame.f_code.co_filename != CODE or frame.f_code.co_name not in WATCHED:
            return None
        if event in ("line", "return"):
            self.look()
        if event == "line":
            self.line = frame.f_lineno
        return self.trace

    def run(self, spec: dict) -> None:
        coming, before = list(spec["requests"]), sys.gettrace()
        while coming or self.scheduler.waiting or self.scheduler.running:
            self.number += 1
            sys.settrace(self.trace)
            try:
                while coming and coming[0]["step"] <= self.number:
                    self.submit(coming.pop(0))
                self.scheduler.step()
            finally:
                sys.settrace(before)
            self.look()

    def submit(self, asked: dict) -> None:
        request = self.names["Request"](tuple(asked["prompt"]), asked["answer"])
        request.name = asked["name"]
        try:
            self.scheduler.submit(request)
        except ValueError as error:
            self.keep(f"{request.name} comes and is refused: {error}.")


def spelled(tokens) -> str:
    """Return tokens as letters; one that was made is a dot, for no model is asked."""
    return "".join(token if isinstance(token, str) else "•" for token in tokens)


def told(old: dict, new: dict) -> str:
    """Return in words how two pictures differ."""
    out, was = [], {row[0]: row for row in old["rows"]}
    for name, place, cached, _, made, _, table in new["rows"]:
        _, before, had, _, wrote, _, held = was.get(name, (name, "", 0, 0, 0, 0, []))
        if place != before:
            out.append(MOVES[before, place].format(name))
        if cached > had and table == held:
            out.append(f"{name} computes {_count(cached - had, 'token')}")
        if made > wrote:
            out.append(f"{name} has made its token number {made}")
        if len(table) == len(held) + 1:
            out.append(f"{name} gets block {table[-1]}")
        elif len(table) > len(held):
            out.append(f"{name} begins with the blocks {', '.join(map(str, table))}")
        elif len(table) < len(held):
            out.append(f"the table of {name} is empty")
    tables = {block for row in new["rows"] for block in row[6]}
    for number, (before, after) in enumerate(zip(old["blocks"], new["blocks"], strict=True)):
        used = after[1] - before[1]
        if used < 0:
            out.append(
                f"block {number} loses a user" if after[1] else f"block {number} is free again"
            )
        elif used and (before[1] or number not in tables):
            out.append(
                f"block {number} is found by its tokens, and {'shared' if before[1] else 'reused'}"
            )
    words = "; ".join(out) or "the order of the free blocks changes"
    return f"{words[0].upper()}{words[1:]}."


MOVES = {
    ("", "waits"): "{} comes and waits",
    ("waits", "runs"): "{} comes in",
    ("runs", "is sent back"): "no block is free: {}, the youngest, is sent back",
    ("is sent back", "waits"): "{} waits at the head of the queue",
    ("runs", "is done"): "{} is done",
}


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def record(name: str, root: Path) -> dict:
    """Run a schedule and return what the player gets."""
    spec = specs(root)[name]
    code = shown(spec, root)
    watch = Watch(spec, code)
    watch.run(spec)
    lines = code.splitlines()
    first = next(n for n, line in enumerate(lines, 1) if line.startswith("class Scheduler"))
    return {
        "title": spec["title"],
        "page": watch.names["PAGE"],
        "prompts": {asked["name"]: asked["prompt"] for asked in spec["requests"]},
        "first": first,
        "source": lines[first - 1 :],
        "frames": watch.frames,
    }


def text(data: dict) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def write(root: Path) -> int:
    """Make every schedule again; returns how many files changed."""
    changed, folder = 0, root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in specs(root):
        made, file = text(record(name, root)), folder / f"{name}.json"
        if not file.is_file() or file.read_text(encoding="utf-8") != made:
            file.write_text(made, encoding="utf-8")
            changed += 1
    return changed


# ---------------------------------------------------------------- on a page


def load(name: str, root: Path) -> dict:
    """Return a schedule as it is kept. Raises PageError where there is none."""
    file = root / FOLDER / f"{name}.json"
    if name not in specs(root):
        what = f"[[schedule:{name}]] names no schedule (there are: {', '.join(specs(root))})"
        raise PageError([Mistake(SPECS, 1, what, "correct the name, or add it there")])
    if not file.is_file():
        mend = "make it: python -m lockstep schedules"
        raise PageError([Mistake(f"{FOLDER}/{name}.json", 1, "this schedule is missing", mend)])
    return json.loads(file.read_text(encoding="utf-8"))


def sentences(name: str, root: Path) -> list[str]:
    frames = load(name, root)["frames"][1:]
    return [f"Step {frame['step']}: {frame['words']}" for frame in frames]


def figure(name: str, root: Path) -> str:
    """Return the HTML of a schedule's figure."""
    spec, told = specs(root)[name], sentences(name, root)
    items = "".join(f"<li>{html.escape(line)}</li>" for line in told)
    return (
        f'<figure class="schedule" data-schedule="{name}" data-search-exclude>\n'
        f'<div class="schedule__stage"></div>\n'
        f'<details class="schedule__words"><summary>{html.escape(spec["title"])}: '
        f"{len(told)} recorded changes, in words</summary><ol>{items}</ol></details>\n"
        f"<figcaption>{html.escape(spec['caption'], quote=False)}</figcaption>\n</figure>"
    )


class SchedulePart(Part):
    """The scheduler of a page, as a figure that plays."""

    name = "schedule"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        if plain:
            return "\n".join(f"- {line}" for line in sentences(marker["name"], site.root))
        return figure(marker["name"], site.root)

    def shared(self) -> tuple[str, ...]:
        return (SPECS,)

    def commands(self, add) -> None:
        def run(root: Path) -> int:
            print(f"{write(root)} of {len(specs(root))} schedules changed")
            return 0

        add("schedules", help=f"make the schedules of {FOLDER} again", run=run)

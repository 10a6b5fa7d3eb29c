"""Fit the weights by which the search ranks, KNOWING in web/search-worker.js, and measure them.

Nearly every question of tests/questions.yml has phrases in lockstep_site/asked that were written
for it, and the table of meanings was taught by both: asked as they stand, they tell nothing of a
question that nobody has seen. So they are cut in five folds. Those of a fold are asked of an index
and of a table without the phrases that share half of their words with one of them, or that came
with it (in the same commit, for a place that it wants). The same is done with a fifth of all
phrases, each a question for its place. What counts is the share of questions whose first result is
one that is wanted. The weights are fitted listwise: the logarithm of the share that the wanted docs
have of all.

The build does not run this. It is worth a run when a feature is added to ``rate``. ::

    python tools/ranking.py FOLDER ENTRIES MODEL FREQUENT

FOLDER keeps indexes and tables, so that a second run need not make them; the others are as for
tools/words.py, whose packages it needs. The line that it prints last goes into the worker.
"""

import json
import pickle
import random
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]
import words  # noqa: E402

from lockstep.mkdocs import search  # noqa: E402

FOLDS, MOST = 5, 60  # docs of a question that are ranked
LIKE = 0.5  # of their words a phrase and a question share: it was written for it, or might be
PHRASES = 400  # of each fold that are asked
PHRASE, SEEN = 0.1, 1.0  # what a phrase counts for, and a question with all that was written for it
SMALL, STEPS, RATE = 0.01, 300, 0.03
NAMED = 4.0  # by hand: a whole title is asked too seldom here to be fitted
WORKER = ROOT / "web/search-worker.js"


def answered(wanted: list[str], place: str) -> bool:
    return place in wanted or place.split("#")[0] in wanted


def bag(text: str) -> frozenset[str]:
    return frozenset(words.stem(word) for word in words.split(text) if word not in search.ASKED)


def git(*command: str) -> str:
    return subprocess.run(
        ["git", "-C", ROOT, *command], capture_output=True, text=True, check=True
    ).stdout


def came_with() -> dict[str, set[str]]:
    """Return for each question the phrases that its own commit brought."""

    def typed(commit: str) -> set[str]:
        files = git("ls-tree", "-r", "--name-only", commit, "--", "lockstep_site/asked").split()
        trees = (yaml.load(git("show", f"{commit}:{file}"), yaml.CBaseLoader) for file in files)
        return {p for tree in trees for said in (tree or {}).values() for p in said or ()}

    known: dict[str, set[str]] = {}
    for commit in git("log", "--reverse", "--format=%h", "--", "tests/questions.yml").split():
        groups = yaml.safe_load(git("show", f"{commit}:tests/questions.yml"))
        new = [row["ask"] for rows in groups.values() for row in rows if row["ask"] not in known]
        brought = typed(commit) - typed(f"{commit}^") if new else set()
        # Where the files were moved or first written, all of them are new
        known |= dict.fromkeys(new, brought if len(brought) < 1000 else set())
    return known


def folds(rows: list[dict], phrases: list[tuple[str, str]]) -> list[dict]:
    """Return of each fold its questions, the phrases that may know them, and a fifth of all."""
    chance, own = random.Random(7), came_with()
    bags, typed = [bag(row["ask"]) for row in rows], [bag(said) for said, _ in phrases]
    fold: dict[int, int] = {}
    order = chance.sample(range(len(rows)), len(rows))
    for n, i in enumerate(order):  # two that say nearly the same stay together
        twin = (j for j in order[:n] if len(bags[i] & bags[j]) > 0.6 * len(bags[i] | bags[j]))
        fold[i] = next((fold[j] for j in twin), n % FOLDS)
    of = [chance.randrange(FOLDS) for _ in phrases]
    parts = []
    for k in range(FOLDS):
        mine = [i for i in fold if fold[i] == k]
        gone = set()
        for i in mine:
            pages = {place.split("#")[0] for place in rows[i]["first"]}
            for j, (said, at) in enumerate(phrases):
                shared = len(typed[j] & bags[i])
                written = said in own.get(rows[i]["ask"], ()) and at.split("#")[0] in pages
                if shared and (written or shared >= LIKE * len(typed[j] | bags[i])):
                    gone.add(j)
        fifth = [j for j in range(len(phrases)) if of[j] == k]
        parts.append({"questions": mine, "gone": gone, "fifth": fifth})
    return parts


def ask(index: Path, table: Path, asked: list[dict], **more) -> list[dict]:
    command = ["node", ROOT / "tools/ranking.mjs", WORKER, index, table, str(MOST)]
    told = json.dumps([row["ask"] for row in asked])
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=True)
    return [
        {**row, **answer, **more, "want": row["first"]}
        for row, answer in zip(asked, json.loads(done.stdout), strict=True)
    ]


def gather(folder: Path, entries: str, model: str, frequent: str) -> list[dict]:
    """Return all that is asked, with what each of its results has."""
    typed = search.asked(ROOT / "lockstep_site/asked", ROOT)
    phrases = [(said, at) for at, known in typed.items() for said in known.phrases]
    suite = yaml.safe_load((ROOT / "tests/questions.yml").read_text(encoding="utf-8"))
    rows = [row for group in suite.values() for row in group]
    pages = pickle.loads(Path(entries).read_bytes())
    same = search.synonyms(ROOT / "docs/synonyms.yml", ROOT)

    def index(name: str, without: set[int]) -> Path:
        file = folder / f"{name}.json"
        if not file.exists():
            left = {at: search.Asked([]) for _, at in phrases}
            for j, (said, at) in enumerate(phrases):
                if j not in without:
                    left[at].phrases.append(said)
            told = json.dumps(search.index(pages, same, left), ensure_ascii=False)
            file.write_text(told, encoding="utf-8")
        return file

    parts = folds(rows, phrases)
    fold_of = {i: k for k, part in enumerate(parts) for i in part["questions"]}
    all_of = ask(index("all", set()), ROOT / "lockstep_site/words.bin", rows, kind="seen")
    asked = [{**row, "fold": fold_of[i]} for i, row in enumerate(all_of)]
    for k, part in enumerate(parts):
        table = folder / f"words{k}.bin"
        less = part["gone"] | set(part["fifth"])
        if not table.exists():
            hidden = {phrases[j][0] for j in less} | {rows[i]["ask"] for i in part["questions"]}
            words.main(entries, model, frequent, table, hidden)
        mine = [rows[i] for i in part["questions"]]
        asked += ask(index(f"questions{k}", part["gone"]), table, mine, kind="held out", fold=k)
        some = random.Random(k).sample(part["fifth"], min(PHRASES, len(part["fifth"])))
        mine = [{"ask": phrases[j][0], "first": [phrases[j][1]]} for j in some]
        asked += ask(index(f"phrases{k}", less), table, mine, kind="phrase", fold=k)
    return asked


def fit(has, mask, right, worth, base) -> np.ndarray:
    rule = optax.adam(optax.cosine_decay_schedule(RATE, STEPS, 0.05))

    def loss(weights):
        score = jnp.where(mask, has @ weights + base, -1e9)
        wanted = jax.nn.logsumexp(jnp.where(right, score, -1e9), 1)
        lost = jnp.minimum(jax.nn.logsumexp(score, 1) - wanted, 50)
        return (worth * lost).sum() / worth.sum() + SMALL * (weights**2).sum()

    @jax.jit
    def step(weights, state):
        change, state = rule.update(jax.grad(loss)(weights), state)
        return optax.apply_updates(weights, change), state

    weights = jnp.zeros(has.shape[-1])
    state = rule.init(weights)
    for _ in range(STEPS):
        weights, state = step(weights, state)
    return np.asarray(weights)


def main(folder: str, entries: str, model: str, frequent: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    asked = gather(Path(folder), entries, model, frequent)
    held = [row for row in asked if row["kind"] == "held out"]
    now = sum(answered(row["want"], (row["first"] or [""])[0]) for row in held)
    print(f"held out, with the worker's weights: {now} of {len(held)}")
    asked = [row for row in asked if row["docs"]]  # the others have the weights W
    names = asked[0]["names"]
    shape = (len(asked), MOST)
    has, mask, right = np.zeros((*shape, len(names)), np.float32), np.zeros(shape, bool), None
    right = mask.copy()
    for n, row in enumerate(asked):
        many = len(row["docs"])
        has[n, :many], mask[n, :many] = row["has"], True
        right[n, :many] = [answered(row["want"], place) for place in row["docs"]]
    base = has[..., names.index("base")] + NAMED * has[..., names.index("named")]
    free = [n for n, name in enumerate(names) if name not in ("base", "named")]
    spread = has[..., free][mask].std(0) + 1e-6
    plain = (has[..., free] - has[..., free][mask].mean(0)) / spread * mask[..., None]
    kind, fold = (np.array([row[key] for row in asked]) for key in ("kind", "fold"))
    worth = np.select([kind == "phrase", kind == "seen"], [PHRASE, SEEN], 1.0) * right.any(1)

    def first(rows, weights):
        score = np.where(mask[rows], plain[rows] @ weights + base[rows], -1e9)
        return right[rows][np.arange(len(score)), score.argmax(1)].sum()

    def learn(rows):
        return fit(plain[rows], mask[rows], right[rows], worth[rows], base[rows])

    good = 0
    for k in range(FOLDS):
        good += first((fold == k) & (kind == "held out"), learn((fold != k) & (worth > 0)))
    print(f"held out, with weights that have not seen them: {good} of {(kind == 'held out').sum()}")
    weights = learn(worth > 0)
    print(f"seen: {first(kind == 'seen', weights)} of {(kind == 'seen').sum()}")
    told = zip((names[n] for n in free), weights / spread, strict=True)
    print(f"named: {NAMED:g}, " + ", ".join(f"{name}: {value:.3g}" for name, value in told))


if __name__ == "__main__":
    main(*sys.argv[1:])

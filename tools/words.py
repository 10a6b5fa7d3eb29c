"""Make lockstep_site/words.bin, by which the search finds what says the same in other words.

Each stem of a word has 96 small numbers, its direction, and so has each section of the site. That
of a question is the sum of its words', and is to point where the section does that answers it. The
numbers are learned:

- from all-MiniLM-L6-v2 (Apache License 2.0), a small model of sentences, which is no part of the
  site: what it has for each word, for the site's sentences and titles, for what people type, and
  for words put together at random. Of its 384 numbers the 96 that tell most are kept. A section
  begins where the model has its text;
- from what leads where: phrases of lockstep_site/asked, questions of the tests, the names of a page
  and a section's own title and sentences come nearer to the section that they lead to, and farther
  from all others. This tells more than the model does: of questions that nobody had seen, the model
  alone finds half at the first place, what is learned from phrases three quarters. (Another 19,000
  phrases brought nothing to forty questions of a stranger, for 360 KB more of index.)

So it is worth a run whenever some hundred phrases were written, or many sections: what was written
since is known to the search by its words alone. The build does not run this, it takes some minutes.
::

    python tools/words.py ENTRIES MODEL FREQUENT

ENTRIES is a pickle of the pages that ``lockstep.mkdocs.search.index`` is given, MODEL is the
folder of the model's model.safetensors and tokenizer.json, FREQUENT has English words, the most
frequent first, one a line. It needs numpy, scipy, safetensors, tokenizers, jax and optax.
tools/ranking.py makes tables that have not learned what it asks of them.

The file has a line of the stems, and behind a tab how many sections there are; then the numbers of
the stems, those of the sections, and for each section its address as the worker's ``hash`` tells
it, in four bytes. A section that was written since is in none of them, and one whose heading has
changed is not found there any more.
"""

import itertools
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import scipy.sparse as sparse
import yaml
from safetensors.numpy import load_file
from tokenizers import Tokenizer

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from lockstep.mkdocs import search  # noqa: E402
from lockstep.mkdocs.sections import sections  # noqa: E402

WORDS, SIZE = 6700, 96
STEPS, RATE, NEAR = 500, 2e-3, 0.07
ALIKE = 1.0  # what counts that words and phrases are where the model has them
STAY = 1.0  # and that a section is
OTHER = 2.0  # how much less another section of a page is worth, as a logarithm
PIECE, PIECES = 80, 4  # words of a section that the model reads at a time, and how often
NAME = re.compile(r"(?:[a-z][a-z0-9_+]*|[а-я]{4,})$")
CYRILLIC = re.compile("[а-я]")
ENDING = re.compile(
    "(?:иями|ями|ами|иях|ях|ах|ием|ем|ом|ого|его|ому|ему|ыми|ими|ым|им|ых|их|ою|ею|ой|ей|ий|ый|ая"
    "|яя|ую|юю|ое|ее|ые|ие|ия|ию|ии|ье|ья|ью|ам|ям|ов|ев|[аеиоуыьэюяй])$"
)


def stem(word: str) -> str:
    """Return the stem of a word as web/search-worker.js does."""
    if re.fullmatch("[а-я]{4,}", word):
        short = ENDING.sub("", word)
        return short if len(short) > 2 else word
    if not re.fullmatch("[a-z]{4,}", word):
        return word
    if word.endswith("ication"):
        return f"{word[:-7]}y"
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif re.search("(?:s|x|ch|sh)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not re.search("(?:ss|us|is)$", word) and len(word) > 3:
        word = word[:-1]
    for end, left in (("ation", 4), ("ing", 3), ("ed", 3), ("er", 5), ("e", 3)):
        if word.endswith(end) and len(word) - len(end) >= left:
            word = word[: -len(end)]
    return re.sub(r"([^aeiou])\1$", r"\1", word)


def split(text: str) -> list[str]:
    return [word for word, whole in search.words(text) if whole]


class Teacher:
    """all-MiniLM-L6-v2: six layers, of which the mean of the last is the vector of a text."""

    def __init__(self, folder: Path):
        file = load_file(folder / "model.safetensors")
        self.weights = {name: jnp.asarray(part) for name, part in file.items() if part.ndim}
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.enable_truncation(128)
        self.tokens.no_padding()
        self.run = jax.jit(self._run)

    @staticmethod
    def _run(weights, ids, mask):
        def norm(x, name):
            x = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-12)
            return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

        def linear(x, name):
            return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

        def heads(x):
            return x.reshape(*ids.shape, 12, 32).transpose(0, 2, 1, 3)

        place = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        x = weights["embeddings.word_embeddings.weight"][ids] + place + kind
        x = norm(x, "embeddings.LayerNorm")
        hide = jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9)
        for n in range(6):
            at = f"encoder.layer.{n}"
            q, k, v = (
                heads(linear(x, f"{at}.attention.self.{w}")) for w in ("query", "key", "value")
            )
            share = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / 32**0.5 + hide, -1)
            seen = (share @ v).transpose(0, 2, 1, 3).reshape(*ids.shape, 384)
            x = norm(
                x + linear(seen, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm"
            )
            wide = jax.nn.gelu(linear(x, f"{at}.intermediate.dense"), approximate=False)
            x = norm(x + linear(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return (x * mask[..., None]).sum(1)

    def __call__(self, texts: list[str]) -> np.ndarray:
        """Return the model's vector of each text, of length 1."""
        out = np.zeros((len(texts), 384), np.float32)
        read = [one.ids for one in self.tokens.encode_batch(texts)]
        for less, most in itertools.pairwise((0, 8, 12, 16, 24, 32, 48, 64, 96, 128)):
            some = [n for n, ids in enumerate(read) if less < len(ids) <= most]  # of one length
            for at in range(0, len(some), 64):
                part = some[at : at + 64]
                ids, mask = np.zeros((64, most), np.int32), np.zeros((64, most), np.float32)
                mask[:, 0] = 1
                for row, n in enumerate(part):
                    ids[row, : len(read[n])], mask[row, : len(read[n])] = read[n], 1
                out[part] = unit(np.asarray(self.run(self.weights, ids, mask)))[: len(part)]
        return out


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def hash_of(place: str) -> int:
    """Return the number of an address as web/search-worker.js has it (FNV-1a)."""
    number = 0x811C9DC5
    for byte in place.encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return number


def main(
    entries: str,
    model: str,
    frequent: str,
    file: Path = ROOT / "lockstep_site/words.bin",
    hidden: Iterable[str] = (),
) -> None:
    """``hidden``: phrases and questions that the table may not learn from."""
    random.seed(1)
    chance = np.random.RandomState(0)
    teacher, hidden = Teacher(Path(model)), set(hidden)
    english = Path(frequent).read_text(encoding="utf-8").split()
    rank = {word: n for n, word in enumerate(english)}

    # What is read: sections, and what leads to them
    titles, texts, places, sentences, own, names_of, pieces = [], [], [], set(), [], [], []
    for entry in pickle.loads(Path(entries).read_bytes()):
        if entry.weight < search.ASIDE:
            continue
        for n, section in enumerate(sections(entry.html)):
            title = entry.title if n == 0 else f"{entry.title}: {section.title}"
            about, names = (entry.description, entry.names) if n == 0 else ("", [])
            prose = " ".join(section.prose)
            said = [s for part in section.prose for s in re.split(r"(?<=[.!?:;])\s+", part)]
            kept = [s for s in [about, *said] if 25 < len(s) < 220]
            sentences.update(kept)
            own += [(s, len(titles)) for s in kept]
            names_of += [(name, len(titles)) for name in [title, *names]]
            all_of = " ".join([about, *section.prose, *(row.text for row in section.rows)]).split()
            lead = " ".join([entry.title, section.title, *names[:6]])
            starts = range(0, max(1, min(len(all_of), PIECE * PIECES)), PIECE)
            pieces += [
                (f"{lead}. {' '.join(all_of[at : at + PIECE])}", len(titles)) for at in starts
            ]
            titles.append(title)
            texts.append(" ".join([entry.title, section.title, *names, about, prose[:200]]))
            places.append(f"{entry.location}#{section.anchor}".rstrip("#"))
    number = {place: n for n, place in reversed(list(enumerate(places)))}
    known = search.asked(ROOT / "lockstep_site/asked", ROOT)
    phrases = [
        (p, at)
        for at, said in known.items()
        for p in said.phrases
        if at in number and p not in hidden
    ]
    suite = yaml.safe_load((ROOT / "tests/questions.yml").read_text(encoding="utf-8"))
    rows = [row for group in suite.values() for row in group if row["ask"] not in hidden]
    typed = [(said, number[at]) for said, at in phrases]
    english_of = [said for said, _ in typed if not CYRILLIC.search(said.lower())]
    rows = [row for row in rows if any(at in number for at in row["first"])]
    some = random.sample(sorted(sentences), min(9000, len(sentences)))

    # The stems: those of the site first, then those of English
    site = Counter(word for text in [*titles, *sentences] for word in split(text))
    asked = Counter(word for said, _ in [*typed, *names_of] for word in split(said))
    words = {word for word in [*site, *asked] if NAME.match(word)}
    words |= {word for word in english[:14000] if re.fullmatch("[a-z]+", word)}
    forms: dict[str, list[str]] = {}
    for word in words - search.ASKED:
        forms.setdefault(stem(word), []).append(word)
    ours = {
        root: any(asked[word] for word in forms[root]) or sum(site[w] for w in forms[root]) > 2
        for root in forms
    }
    first = sorted(forms, key=lambda s: (not ours[s], min(rank.get(w, 10**6) for w in forms[s])))
    stems = sorted(first[:WORDS])
    at = {root: n for n, root in enumerate(stems)}

    def bag(text: str) -> list[int]:
        said = [word for word in split(text) if word not in search.ASKED]
        parts = [p for w in said for p in ([w] if stem(w) in at else re.split("[._]+", w))]
        return [at[root] for root in dict.fromkeys(map(stem, parts)) if root in at]

    def padded(said: list[str], most: int) -> np.ndarray:
        table = np.full((len(said), most), len(stems), np.int32)
        for row, text in zip(table, said, strict=True):
            some = bag(text)[:most]
            row[: len(some)] = some
        return table

    # First what the model has, as nearly as sums can: a ridge regression about each word's own
    general = [w for w in english[100:8000] if re.fullmatch("[a-z]{3,}", w)]
    common = [w for w in site if site[w] > 3 and NAME.match(w)]
    pairs = []
    for _ in range(5000):
        two = random.choices(common, k=random.choice([1, 2]))
        pairs.append(" ".join([*two, *random.choices(general, k=random.choice([1, 2]))]))
    groups = [(english_of, 2.0), (titles, 1.0), (some, 0.7), (pairs, 0.5)]
    taught = [teacher(said) for said, _ in groups]
    mean = np.vstack(taught[:3]).mean(0)
    turn = np.linalg.svd(np.vstack(taught[:3]) - mean, full_matrices=False)[2][:SIZE].T
    start = (
        (teacher([max(forms[r], key=lambda w: (asked[w], site[w])) for r in stems]) - mean)
        @ turn
        / 2
    )
    foreign = [bool(CYRILLIC.search(root)) for root in stems]  # which the model does not know
    start[foreign] = chance.normal(0, 0.01, (sum(foreign), SIZE))
    blocks, aims = [], []
    for (said, weight), vectors in zip(groups, taught, strict=True):
        bags = [bag(text) for text in said]
        row = np.repeat(np.arange(len(bags)), [len(b) for b in bags])
        share = np.concatenate([np.full(len(b), max(1, len(b)) ** -0.75) for b in bags])
        column = np.concatenate([np.array(b, int) for b in bags])
        shape = (len(bags), len(stems))
        blocks.append(sparse.csr_matrix((share * weight**0.5, (row, column)), shape))
        aims.append((vectors - mean) @ turn * weight**0.5)
    sums = sparse.vstack(blocks).tocsr()
    left = sums.T @ (np.vstack(aims) - sums @ start)
    change, way, size = np.zeros_like(left), left.copy(), (left**2).sum(0)
    for _ in range(60):  # conjugate gradients, for all 96 at once
        ahead = sums.T @ (sums @ way) + 0.3 * way
        step = size / ((way * ahead).sum(0) + 1e-12)
        change, left = change + step * way, left - step * ahead
        now = (left**2).sum(0)
        way, size = left + way * now / (size + 1e-12), now
    start = jnp.asarray(start + change, jnp.float32)

    # Then what leads where
    read = np.zeros((len(titles), taught[0].shape[1]), np.float32)
    np.add.at(read, [n for _, n in pieces], teacher([piece for piece, _ in pieces]))
    begin = jnp.asarray(unit((unit(unit(read) + unit(teacher(texts))) - mean) @ turn))
    page = {place: n for n, place in enumerate(sorted({at.split("#")[0] for at in places}))}
    on = np.array([page[at.split("#")[0]] for at in places])
    many = (256, 40, 60, 90)  # of each in a step
    leads = [
        (padded([said for said, _ in one], 16), np.array([n for _, n in one]))
        for one in (typed, names_of, own)
    ]
    asks = padded([row["ask"] for row in rows], 16)
    right = np.array(
        [[at in row["first"] or at.split("#")[0] in row["first"] for at in places] for row in rows]
    )
    latin = padded(english_of, 16), unit((taught[0] - mean) @ turn).astype(np.float32)
    plain = padded([text for said, _ in groups[1:] for text in said], 20)
    plain_aim = unit((np.vstack(taught[1:]) - mean) @ turn).astype(np.float32)

    def sums(table, rows):
        out = jnp.concatenate([table, jnp.zeros((1, SIZE))])[rows].sum(1)
        return out / jnp.sqrt((out**2).sum(1, keepdims=True) + 1e-9)  # of nothing there is no norm

    def loss(learned, said, less, general, aim):
        table, docs = learned
        docs = docs / jnp.linalg.norm(docs, axis=1, keepdims=True)
        near = sums(table, said) @ docs.T / NEAR
        found = (jax.nn.logsumexp(near, 1) - jax.nn.logsumexp(near + less, 1)).mean()
        alike = 2 - 2 * (sums(table, general) * aim).sum(1).mean()
        stay = 1 - (docs * begin).sum(1).mean()
        far = 1e-3 * ((table - start) ** 2).sum() / len(said)
        return found + ALIKE * alike + STAY * stay + far

    rule = optax.adam(optax.linear_schedule(RATE, RATE / 20, STEPS))

    @jax.jit
    def learn(learned, state, *batch):
        change, state = rule.update(jax.grad(loss)(learned, *batch), state)
        return optax.apply_updates(learned, change), state

    learned = (start, begin)
    state = rule.init(learned)
    for _ in range(STEPS):
        picked = [
            chance.choice(len(to), n)
            for (_, to), n in zip(leads, (many[0], many[2], many[3]), strict=True)
        ]
        some_of = chance.choice(len(asks), many[1])
        said = np.vstack(
            [asks[some_of], *(rows[n] for (rows, _), n in zip(leads, picked, strict=True))]
        )
        said[chance.rand(*said.shape) < 0.1] = len(stems)  # a word is missing now and then
        to = np.concatenate([to[n] for (_, to), n in zip(leads, picked, strict=True)])
        # What each may lead to: the section, and a little its page
        less = np.where(on[None, :] == on[to][:, None], -OTHER, -1e9).astype(np.float32)
        less[np.arange(len(to)), to] = 0
        less = np.vstack([np.where(right[some_of], 0, -1e9).astype(np.float32), less])
        one, other = chance.choice(len(latin[0]), 256), chance.choice(len(plain), 256)
        general = np.vstack(
            [np.pad(latin[0][one], ((0, 0), (0, 4)), constant_values=len(stems)), plain[other]]
        )
        aim = np.vstack([latin[1][one], plain_aim[other]])
        learned, state = learn(learned, state, said, less, general, aim)

    table, docs = (np.asarray(one) for one in learned)
    docs = unit(docs)
    small = [
        np.clip(np.round(one * 127 / np.quantile(np.abs(one), 0.9995)), -127, 127).astype(np.int8)
        for one in (table, docs)
    ]
    head = f"{' '.join(stems)}\t{len(places)}\n".encode()
    hashes = np.array([hash_of(place) for place in places], "<u4")
    file.write_bytes(b"".join([head, *(one.tobytes() for one in (*small, hashes))]))
    print(f"{file}: {len(stems)} words, {len(places)} sections, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])

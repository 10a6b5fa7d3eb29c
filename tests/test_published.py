"""What a published site offers besides its pages: dates and a feed from git, robots.txt, cards."""

import os
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib
from datetime import UTC, datetime

import numpy as np
import pytest

from lockstep.mkdocs import published
from lockstep.source import find_root
from tools import cards

ATOM = "{http://www.w3.org/2005/Atom}"
URL = "https://example.org/learn/"


def git(folder, *arguments, date="2026-01-01T00:00:00Z"):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    env = os.environ | who | {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """Return a repository with two pages, one of which was changed later."""
    root = tmp_path / "tree"
    (root / "docs/a").mkdir(parents=True)
    git(root, "init", "-q")
    for name, date in (("docs/index.md", "2026-01-02"), ("docs/a/b.md", "2026-03-04")):
        for text in ("one", "two") if name.endswith("b.md") else ("one",):
            (root / name).write_text(text)
            git(root, "add", ".")
            git(root, "commit", "-qm", text, date=f"{date}T01:00:00+02:00")
    return root


def test_dates_are_those_of_the_last_commit(tree):
    found = published.changed(tree, "docs")
    assert found == {
        "index.md": datetime(2026, 1, 1, 23, tzinfo=UTC),
        "a/b.md": datetime(2026, 3, 3, 23, tzinfo=UTC),
    }


def test_without_the_whole_history_there_is_no_date(tree, tmp_path, monkeypatch):
    assert published.changed(tmp_path, "docs") == {}
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{tree}", tmp_path / "shallow"], check=True
    )
    assert published.changed(tmp_path / "shallow", "docs") == {}
    monkeypatch.setenv("PATH", "/nowhere")
    assert published.changed(tree, "docs") == {}


def test_the_feed_has_the_newest_first_and_every_address_is_whole():
    rows = [
        published.Entry(f"<{n}> & more", "About", f"p{n}/", datetime(2026, 1, 1, n // 60, n % 60))
        for n in range(40)
    ]
    feed = ET.fromstring(published.feed(rows, "Learn", URL, "feed.xml"))
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == published.NEWEST
    assert entries[0].find(f"{ATOM}title").text == "<39> & more"
    assert entries[0].find(f"{ATOM}id").text == f"{URL}p39/"
    assert feed.find(f"{ATOM}updated").text == "2026-01-01T00:39:00Z"
    assert [link.get("href") for link in feed.findall(f"{ATOM}link")] == [URL, f"{URL}feed.xml"]


def test_robots():
    assert f"Sitemap: {URL}sitemap.xml\n" in published.robots(URL)


# ---------------------------------------------------------------- cards


def test_a_shape_covers_its_area():
    square = [(10.25, 20.5), (30.75, 20.5), (30.75, 40.0), (10.25, 40.0)]
    triangle = [(100.0, 100.0), (300.0, 150.0), (120.0, 350.0)]
    for points, area in ((square, 20.5 * 19.5), (triangle, (200 * 250 - 20 * 50) / 2)):
        for order in (points, points[::-1]):
            got = cards.cover(list(cards.closed(order)))
            assert got.sum() == pytest.approx(area, rel=1e-9)
    assert got[160, 160] == 1 and got[90, 90] == 0


def test_a_curve_ends_where_it_should():
    curve = cards.bezier([(0, 0), (0, 2), (2, 2)])
    assert curve[-1] == (2, 2) and (0.5, 1.5) in curve


def test_a_png_is_read_back():
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 4, (cards.HEIGHT, cards.WIDTH, 1)).repeat(3, 2).astype(np.uint8)
    data = cards.png(pixels)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    found, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (
            zlib.crc32(name + body),
        )
        found[name], at = body, at + 12 + length
    assert struct.unpack(">II", found[b"IHDR"][:8]) == cards.SIZE
    palette = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8)
    index = rows.reshape(cards.HEIGHT, cards.WIDTH + 1)[:, 1:]
    assert np.array_equal(palette[index], pixels)


def test_every_kind_has_a_card_and_they_are_small():
    root = find_root()
    names = {file.stem: file for file in (root / "docs/assets/vendor/cards").glob("*.png")}
    import tomllib

    kinds = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["lockstep"]["kinds"]
    assert set(names) == set(cards.KINDS) == set(kinds)
    assert all(file.stat().st_size < 20_000 for file in names.values())
    assert len({file.read_bytes() for file in names.values()}) == len(kinds)

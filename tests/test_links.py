"""tools/links.py: what it takes for an address, and what it says of those that are gone."""

import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lockstep.page import find_root
from tools import links

# What tells of a thing at second hand: notes, news, forums, bindings and copies of documents. A
# page's source is who made or measured it. (The library lists what others wrote: that is reading.)
SECONDARY = (
    *("gist.github.com", "pastebin.com", "medium.com", "substack.com", "dev.to", "hashnode.dev"),
    *("blogspot.com", "wordpress.com", "towardsdatascience.com", "netlify.app", "setloop.io"),
    *("reddit.com", "news.ycombinator.com", "stackoverflow.com", "stackexchange.com", "quora.com"),
    *("twitter.com", "x.com", "wikipedia.org", "wikichip.org", "docs.rs", "csdn.net", "zhihu.com"),
    *("tomshardware.com", "techpowerup.com", "anandtech.com", "arstechnica.com", "macrumors.com"),
    *("computerbase.de", "aiinsightnews.com", "theregister.com", "nextplatform.com", "hpcwire.com"),
    *("servethehome.com", "semianalysis.com", "videocardz.com", "wccftech.com", "hmc-tech.com"),
    *("thonking.ai", "fibermall.com", "techrival.com", "gamersnexus.net", "phoronix.com"),
)
AT_SECOND_HAND = re.compile(
    rf"(?i)https?://(?:[\w-]+\.)*(?:{'|'.join(map(re.escape, SECONDARY))})(?![\w.-])"
)
# An address that stands all the same, and why.
ALL_THE_SAME = {
    "https://dev.to/shresthapandey/mojo-hits-10-a-technical-look-50ga": "questions/languages.md "
    "says that Mojo's releases are dated after articles, as Modular's own page could not be opened"
}
DOCS = find_root() / "docs"


class Server(BaseHTTPRequestHandler):
    """Answers with the number in the path; HEAD is refused below /get."""

    def do_GET(self):
        status = int(self.path.rsplit("/", 1)[1])
        if self.command == "HEAD" and self.path.startswith("/get"):
            status = 405
        self.send_response(status)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write("<head><title>\n Ядра &amp; warps </title>".encode())

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def here():
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_addresses():
    text = (
        "See [a](https://a.org/x_(y)#part), <https://b.org/>.\n"
        "sources: https://c.org/d.html, and [two][https://e.org]\n"
        "http://127.0.0.1:8000/ and https://example.com/x"
    )
    assert links.addresses(text) == [
        (1, "https://a.org/x_(y)"),
        (1, "https://b.org/"),
        (2, "https://c.org/d.html"),
        (2, "https://e.org"),
    ]


def test_no_page_leans_on_what_somebody_told_at_second_hand():
    found = [
        f"{page.relative_to(DOCS)}:{line}: {address}. To fix: link who made or measured it."
        for page in sorted(DOCS.rglob("*.md"))
        if "library" not in page.parts
        for line, address in links.addresses(page.read_text(encoding="utf-8"))
        if AT_SECOND_HAND.match(address) and address not in ALL_THE_SAME
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("https://gist.github.com/a/1", True),
        ("https://en.wikipedia.org/wiki/Warp", True),
        ("http://www.tomshardware.com", True),
        ("https://github.com/a/b", False),
        ("https://phoenix.com/x.com", False),
        ("https://docs.rs.example.com/", False),
    ],
)
def test_a_host_of_the_list_is_seen(address, refused):
    assert bool(AT_SECOND_HAND.match(address)) == refused


def test_answers(here):
    assert links.ask(f"{here}/200") == 200
    assert links.ask(f"{here}/get/200") == 200  # asked again, with GET
    assert links.ask(f"{here}/404") == 404


def test_it_fails_where_a_page_is_gone(here, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(links, "OURS", links.re.compile("nothing"))
    page = tmp_path / "page.md"
    page.write_text(f"[a]({here}/200)\n[b]({here}/403)\n")
    assert links.main([str(tmp_path)]) == 0
    assert "No answer that tells: 1\n  403:" in capsys.readouterr().out
    page.write_text(f"[a]({here}/200)\n\n[b]({here}/410)\n")
    assert links.main([str(tmp_path)]) == 1
    assert f"Gone: 1\n  410: {here}/410 ({page}:3)" in capsys.readouterr().out


def test_an_entry_of_the_library_without_a_title_is_listed_with_that_of_its_page(
    here, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(links, "OURS", links.re.compile("nothing"))
    row = '  - title: "Article 1"\n    url: "{}"\n    note: "{}."\n'
    rows = row.format(f"{here}/200", "One; we could not open it to give its title")
    (tmp_path / "library.yml").write_text(rows + row.format(f"{here}/get/200", "Another"))
    assert links.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert f"name {here}/200 as its page does: Ядра & warps" in said and said.count("name ") == 1
    library = links.Path("docs/library/library.yml").read_text(encoding="utf-8")
    assert len(links.UNTITLED.findall(library)) == library.count("could not open it to give its")
    assert "no answer" in links.named(f"{here}/404")

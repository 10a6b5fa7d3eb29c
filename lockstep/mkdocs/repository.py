"""A link from each block's proof to its file in the repository."""

import html
import re
from urllib.parse import quote

SOURCE = re.compile(r'(?<=<span class="proof__source">)<code>([^<]+)</code>')


def linked(text: str, base: str) -> str:
    """Return the HTML of a page, with a link at the source of each block's proof.

    ``base``: the address of the files on a branch, ``https://github.com/OWNER/NAME/blob/BRANCH``.
    """

    def link(match: re.Match) -> str:
        path = quote(html.unescape(match[1]))
        return f'<a href="{html.escape(base.rstrip("/"))}/{path}">{match[0]}</a>'

    return SOURCE.sub(link, text)

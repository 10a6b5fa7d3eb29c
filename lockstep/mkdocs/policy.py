"""A Content-Security-Policy for each page: a browser loads and runs the site's own files alone.

Scripts that the theme writes into a page are allowed by their hashes, computed from the page as it
is written; a script that comes into it in another way does not run. Pages that are opened from the
file system have no origin that a policy could name, so an offline build has none.
"""

import base64
import hashlib
import re

HEAD = re.compile(r"<meta charset=\"?utf-8\"?\s*/?>", re.IGNORECASE)
INLINE = re.compile(r"<script(?P<attributes>(?:\s[^>]*)?)>(?P<code>.*?)</script>", re.DOTALL)
RULES = (
    "default-src 'self'",
    # WebAssembly runs Python in the page; `eval` stays forbidden.
    "script-src 'self' 'wasm-unsafe-eval'{hashes}",
    "worker-src 'self'",
    # Drawings and formulas place their parts by attributes, and the editor of Run here brings its
    # own styles. What a page's source may say of styles is checked before: ``rendered``.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",  # the theme's own icons, in its style sheet
    "connect-src 'self'",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
)


def policy(page: str) -> str:
    """Return the policy of a page, with the hashes of the scripts that stand in it."""
    hashes = []
    for script in INLINE.finditer(page):
        attributes = script["attributes"]
        if " src=" in attributes or "application/json" in attributes:
            continue
        digest = hashlib.sha256(script["code"].encode("utf-8")).digest()
        hashes.append(f" 'sha256-{base64.b64encode(digest).decode()}'")
    return "; ".join(RULES).format(hashes="".join(dict.fromkeys(hashes)))


def protect(page: str) -> str:
    """Return a whole page with its policy, before anything that it rules."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(page)}">'
    return HEAD.sub(lambda found: found[0] + tag, page, count=1)

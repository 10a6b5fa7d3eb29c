"""The colors of the drawings: the site's own, as docs/assets/css/lockstep.css names them.

tests/test_diagrams.py compares the two. They stand here because records of a GPU hold common.py by
its hash: its own two themes, which no file is drawn with any more, can go with the next run there.
"""

from snippets.diagrams import common

NAMED = {  # what a drawing calls a color, and what the style sheet does
    "ink": "ink",
    "accent": "gpu",
    "amber": "accent",
    "grid": "line",
    "faint": "wash",
    "on_accent": "ground",
}
LIGHT = {
    "name": "light",
    "ink": "#191714",
    "accent": "#0a6467",
    "amber": "#a3450a",
    "grid": "#ddd6c7",
    "faint": "#f5f1e8",
    "on_accent": "#fdfbf6",
}
DARK = {
    "name": "dark",
    "ink": "#ece6da",
    "accent": "#69ccd1",
    "amber": "#f5a767",
    "grid": "#3b352d",
    "faint": "#1f1c18",
    "on_accent": "#141210",
}


def write(name, draw, folder=common.FOLDER):
    """Write one picture, light and dark, and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for theme in (LIGHT, DARK):
        path = folder / f"{name}-{theme['name']}.svg"
        path.write_text(draw(theme), encoding="utf-8")
        paths.append(path)
    return paths

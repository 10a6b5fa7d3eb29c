"""Pictures of the pages, drawn as SVG by scripts: python -m snippets.diagrams writes them all."""

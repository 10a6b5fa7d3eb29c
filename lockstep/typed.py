"""What an author types as HTML, or as a list of attributes, carries a mark until it was checked.

The finished HTML of a page does not tell who wrote an element: the site's programs, an extension
of Markdown, or somebody who knows a class of a style sheet that hides. So the three places where
an author can write one mark what comes through them, with a secret of this process; what bears the
mark has a short whitelist of its own (``rendered.Whitelist.typed``).
"""

import re
from xml.etree.ElementTree import Element

from markdown.extensions.attr_list import AttrListTreeprocessor
from markdown.inlinepatterns import HtmlInlineProcessor
from markdown.preprocessors import Preprocessor

from lockstep import rendered

TAG = re.compile(r"<([A-Za-z][\w-]*)(?=[\s/>])")
MARKED = rf' {rendered.MARK}="{rendered.TYPED}"'
# What an extension takes away again: it stays under another name, so that the check sees it.
TAKEN = {"data-toc-label", rendered.MARK}


def _mark(text: str) -> str:
    return TAG.sub(lambda found: found[0] + MARKED, text)


class Inline(HtmlInlineProcessor):
    def backslash_unescape(self, text: str) -> str:
        return _mark(super().backslash_unescape(text))


class Blocks(Preprocessor):
    """Marks what the preprocessor of HTML takes out of the text."""

    def __init__(self, md, inner: Preprocessor):
        super().__init__(md)
        self.inner = inner

    def run(self, lines: list[str]) -> list[str]:
        stash = self.md.htmlStash.rawHtmlBlocks
        before = len(stash)
        lines = self.inner.run(lines)
        for at in range(before, len(stash)):
            there = stash[at]
            if isinstance(there, Element):
                for element in there.iter():
                    element.set(rendered.MARK, rendered.TYPED)
            else:
                stash[at] = _mark(there)
        return lines


class Attributes(AttrListTreeprocessor):
    def assign_attrs(self, elem: Element, attrs_string: str, *, strict: bool = False) -> str:
        before = dict(elem.attrib)
        rest = super().assign_attrs(elem, attrs_string, strict=strict)
        if before != elem.attrib:
            for name in [n for n in TAKEN if elem.get(n) != before.get(n)]:
                del elem.attrib[name]
                elem.set(f"typed-{name}", "")
            elem.set(rendered.MARK, rendered.TYPED)
        return rest


def watch(md) -> None:
    """Mark what authors type, in a converter that has all its extensions."""
    names, before, trees = md.inlinePatterns, md.preprocessors, md.treeprocessors
    if "html" in names and not isinstance(names["html"], Inline):
        names.register(Inline(names["html"].pattern, md), "html", 90)
    if "html_block" in before and not isinstance(before["html_block"], Blocks):
        before.register(Blocks(md, before["html_block"]), "html_block", 20)
    if "attr_list" in trees and not isinstance(trees["attr_list"], Attributes):
        trees.register(Attributes(md), "attr_list", 8)

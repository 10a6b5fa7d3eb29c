"""Backticks of docstrings: hidden, and still there for who copies."""

import re

from lockstep_site.docstrings import DocstringPart


def test_a_name_in_a_docstring_is_code_and_a_copy_has_its_backticks():
    code = '<span class="sd">"""Add ``a`` and ``b[i]``.</span> <span class="s">"``c``"</span>'
    shown = DocstringPart().content(code)
    assert "<b>a</b>" in shown and "<b>b[i]</b>" in shown and "<b>c</b>" not in shown
    assert re.sub("<[^>]*>", "", shown) == re.sub("<[^>]*>", "", code)

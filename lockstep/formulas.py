"""What a formula may hold: commands that only set letters and signs, and no number with a unit.

A renderer puts the parts of a formula wherever its commands say, so a rule that reads its source
reads another text than the reader does. Of commands there is a whitelist, then; and a formula with
a number is refused if its letters, however they stand around it, make a unit of performance.
"""

import re
from collections.abc import Iterator

from lockstep import numbers

_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi"
    " pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta"
    " Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = (
    "partial nabla infty ell hbar Re Im aleph emptyset varnothing forall exists nexists neg top bot"
    " cdot times div pm mp ast star circ bullet oplus ominus otimes oslash odot wedge vee cap cup"
    " setminus le leq ge geq ll gg ne neq equiv sim simeq approx cong doteq propto in ni notin"
    " subset supset subseteq supseteq mid nmid parallel perp to gets mapsto rightarrow leftarrow"
    " Rightarrow Leftarrow leftrightarrow Leftrightarrow iff implies uparrow downarrow"
    " longrightarrow"
    " ldots cdots vdots ddots dots prime dagger angle because therefore land lor lnot mod bmod pmod"
    " colon lbrace rbrace langle rangle lceil rceil lfloor rfloor lvert rvert lVert rVert vert Vert"
    " sum prod coprod int iint oint bigcup bigcap bigoplus log ln lg exp sin cos tan cot sec csc"
    " arcsin arccos arctan sinh cosh tanh min max inf sup lim limsup liminf arg det dim gcd ker deg"
    " hom Pr"
)
_FORMS = (
    "frac dfrac tfrac binom sqrt left right middle big Big bigg Bigg bigl bigr Bigl Bigr bar hat"
    " tilde vec dot ddot overline underline widehat widetilde overbrace underbrace text textrm"
    " textit textbf mathrm mathit mathbf mathsf mathbb mathcal mathfrak mathscr boldsymbol"
    " operatorname limits nolimits displaystyle textstyle substack begin end quad qquad"
)
COMMANDS = frozenset(f"{_GREEK} {_SIGNS} {_FORMS}".split())
ENVIRONMENTS = frozenset(
    "aligned align align* cases matrix pmatrix bmatrix vmatrix array gathered split".split()
)
COMMAND = re.compile(r"\\(?:(begin|end)\s*\{([^{}]*)\}|([A-Za-z]+)\*?|(.))", re.DOTALL)
PLAIN = frozenset("()[]{},;:>! %_&#|\\\n")  # behind a backslash: signs and narrow blanks

UPRIGHT = re.compile(r"\\(?:text\w*|math(?:rm|sf|it|bf)|operatorname\*?)\s*\{([^{}]*)\}")
_LETTERS = re.compile(r"[^A-Za-zµμ%]+")
RATE = re.compile(
    r"[kMGTPE]i?(?:B|b|bit|byte|FLOP|flop|OP)s?(?:per)?s|[kMGTPE]FLOPS|bytess|FLOPs?s|[kMGT]Hz"
    r"|(?:token|tok|element|row|frame|key)ss"
)
TIME = re.compile(r"(?:milli|micro|nano)?seconds?|[mnuµμ]s|sec|s|cycles?|clocks?|%|percent")
DIGIT = re.compile(r"\d")


def wrong(text: str) -> Iterator[tuple[str, str]]:
    """Yield (what, mend) of the text of a formula."""
    for found in COMMAND.finditer(text):
        kind, environment, name, sign = found.groups()
        bad = environment not in ENVIRONMENTS if kind else name not in COMMANDS if name else False
        if bad or (sign and sign not in PLAIN):
            yield f"'{found[0]}' in a formula", "write it in plain TeX, as it reads"
            return
    if not DIGIT.search(text):
        return
    upright = UPRIGHT.findall(text)
    words = [*upright, "".join(upright)]
    letters = COMMAND.sub("", UPRIGHT.sub(r"\1", text))
    unit = RATE.search(_LETTERS.sub("", letters))
    unit = unit or next(filter(None, (TIME.fullmatch(_LETTERS.sub("", w)) for w in words)), None)
    if unit:
        what = f"a number and the unit {unit[0]!r} in one formula, which nobody measured here"
        yield what, numbers.MEND

"""Counts and runs that a text tells, on whichever side of the number their unit stands.

``numbers`` finds a number by its unit of time or rate, ``claims`` by words of speed. Here it is
found by what only a compiler, a profiler or a run counts: registers, instructions, issue slots,
sectors, barriers; runs that crashed, draws that passed, a score of two versions. Such a number is a
key, the text of a link to its source, or worked: also where a formula of its own paragraph takes
the same number as an input, and so shows it.
"""

import re
from collections.abc import Iterator

from lockstep import claims, numbers, spoken
from lockstep.asking import Asking

_N = claims.NUMBER
_BIG = r"(?<![\w.,/-])(?:\d[\d,]*\d(?:\.\d+)?|[2-9](?:\.\d+)?|1\.\d+)"
_ABOUT = r"(?:(?:about|only|just|some|nearly|roughly|exactly|at|to|around|over|under|well)\ )*"
_END = r"(?!\ ?[\w%×x*/+=^(\[{<>|`-])(?![.,:]\d)"
# What only a compiler or a profiler counts.
THING = (
    r"(?:registers?|instructions?|sectors?|barriers?|(?:issue\ |warp\ )?slots?|wavefronts?|spills?"
    r"|stalls?|bank\ conflicts?|(?:cache\ )?misses|(?:clock\ )?cycles|clocks|sass\ lines"
    r"|(?:ffma|fma|lds|ldg|stg|sts|hmma|ldgsts|mufu|atoms?)s?\b)"
)
_CODE = (
    r"(?:kernel|loop|version|tile|code|rung|program|variant|function|thread\ of\ (?:it|ours)|ours"
    r"|compiler|ptxas|nvcc|assembler|build|binary|cubin|sass|ptx|nsight\ \w+|ncu|profiler|body"
    r"|implementation)"
)
_HAS = (
    r"(?:has|have|had|needs?|needed|uses?|used|takes?|took|executes?|executed|issues?|issued"
    r"|spends?|spent|keeps?|kept|holds?|held|costs?|makes?|made|counts?|counted|gives?|gave|gets?"
    r"|got|allots?|shows?|showed|reports?|reported|says?|said|allocates?|assigns?|generates?|emits?"
    r"|compiles?\ (?:in)?to|compiled\ (?:in)?to|comes?\ (?:out\ )?(?:to|at|with)|came\ (?:out\ )?"
    r"(?:to|at|with)|ends?\ (?:up\ )?(?:at|with)|ended\ (?:up\ )?(?:at|with)|lands?\ (?:at|on)"
    r"|stops?\ at|gets?\ by\ with|makes?\ do\ with|settles?\ (?:on|at|for)"
    r"|goes\ (?:down\ |up\ )?(?:to|from)|went\ (?:down\ |up\ )?(?:to|from))"
)
_GOES = (
    r"(?:go(?:es)?|went|are|were|is|was|wait\w*|stall\w*|do|did|spent|issue[sd]?|move[sd]?|c[ao]me"
    r"|pa(?:y|id)|loads?|stores?|serve[sd]?|remain\w*|left|lost|idle|compute[sd]?|belong\w*)"
)
_RUNS = r"(?:runs?|launch(?:es)?|tries|attempts|trials|repeats|repetitions|executions|starts|calls)"
_FAILS = (
    r"(?:crash\w*|fail\w*|hang|hung|hangs|pass(?:e[sd])?|agree[sd]?|differ\w*|end(?:s|ed)?|die[sd]?"
    r"|c[ao]me|gave|give|were|was|are|is|had|have|got|went|go|finish\w*|w[oi]n|wins|lost|lose\w*"
    r"|abort\w*|succeed\w*|survive[sd]?|complete[sd]?|deadlock\w*|stall\w*|did|produce[sd]?)"
)
RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    # Registers: 132. The register count is 37. Instructions, by the compiler's list, 82.
    (
        ("register", "instruction", "sector", "barrier", "slot", "wavefront", "spill", "stall",
         "conflict", "cycle", "clock", "misses"),
        rf"""\b{THING}(?:\ (?:used|spilled|issued|executed|needed|in\ use|in\ all)
              |,?\ (?:an?|per|each|for\ each|in\ each|for\ every)\ \w+)?
            \ ?[:=]\ {_ABOUT}{_BIG}{_END}(?!\ to\ \d)
        | \b(?:(?:number|count|total)s?\ of\ {THING}|(?:register|instruction|sector|barrier|spill
            |cycle|stall|conflict)\ counts?|{THING}\ (?:an?|per)\ thread)
            \ (?:\w+\ ){{0,3}}?(?:is|are|was|were|comes?\ to|came\ to|reach\w*|falls?\ to|fell\ to
            |drop\w*\ to|rises?\ to|rose\ to|grows?\ to|stays?\ at|stands?\ at)
            \ {_ABOUT}{_BIG}{_END}
        | \b(?:of|among)\ (?:(?:the|its|all|these|those|our|their)\ )+(?:\w+\ )?{THING}
            [^.;:\d\ufffc]{{0,20}}?\ (?:{_BIG}|(?!one\b){_N})\ (?:\w+\ )?{_GOES}\b""",
    ),
    # It keeps eleven of twelve issue slots busy. Eleven in twelve slots are used.
    (
        ("slot", "cycle", "clock", "scheduler", "lanes", "issue"),
        rf"""\b(?:keeps?|kept|fills?|filled|leaves?|left|uses|used|occup(?:y|ies|ied)|wastes?|wasted
            |loses?|lost|issues?|issued)
            \ {_ABOUT}{_N}\ (?:(?:out\ )?of|in)\ (?:(?:the|its|all|every|each)\ )?{_N}
            \ (?:\w+\ )?(?:{THING}|schedulers?)\b
        | {_N}\ (?:(?:out\ )?of|in)\ (?:(?:the|its|all|every|each)\ )?{_N}
            \ (?:\w+\ )?(?:(?:issue\ |warp\ )?slots|cycles|clocks)\ (?:\w+\ )?(?:busy|idle|empty
            |full|filled|used|free|issued?|wasted|lost|go|went|wait|stall)\b""",
    ),
    # The kernel compiles to 37 registers. Our loop has 82 instructions. ptxas: 132 registers.
    (
        ("register", "instruction", "barrier", "wavefront", "spill", "stall", "conflict", "sector"),
        rf"""(?<!any\ path\ of\ the\ )\b{_CODE}s?
            (?:,\ (?:compiled|unrolled|as\ compiled)\ [^,.;:]{{1,30}},)?\ (?:\w+\ )?{_HAS}
            \ {_ABOUT}(?:{_BIG}|(?!(?:one|two|three|four)\b){_N})
            \ (?:(?:more|fewer|less|machine|of\ the|of\ its)\ )*(?:[a-z]+\ )?{THING}\b
        | \b(?:compiles?|compiled)\ (?:\w+\ )?(?:in)?to\ {_ABOUT}(?:{_BIG}|(?!one\b){_N})
            \ (?:\w+\ )?{THING}\b(?!\s?:)
        | \b(?:ptxas|nvcc|compiler|profiler|nsight\ \w+|ncu|cuobjdump)\b
            (?:[^.;\ufffc]|\.\d){{0,60}}?[:,]\ {_ABOUT}{_BIG}\ (?:\w+\ )?{THING}\b
            (?!\ (?:an?\ \w+\ )?at\ most)
        | \b{_CODE}s?:\ {_ABOUT}{_BIG}\ (?:\w+\ )?{THING}\b
        | {_BIG}\ registers?,?\ (?:and\ )?(?:no|zero|without|0)\ spill\w*
        | {_BIG}\ {THING},?\ and\ (?:nothing|none|not\ a\ byte|no\ \w+)\ (?:is\ |was\ )?spill\w*
        | {_BIG}\ {THING}\b[^.;:\d\ufffc]{{0,30}}?\b(?:according\ to|says|by)\ (?:the\ )?
            (?:compiler|profiler|ptxas|nvcc|cuobjdump|nsight|ncu)\b""",
    ),
    # Count the instructions: compiled for the H200, the kernel has 82.
    (
        ("register", "instruction", "sector", "barrier", "spill"),
        rf"""\b{THING}\b[^.;!?\d\ufffc]{{0,20}}:\ [^.;:!?\d\ufffc]{{0,20}}compiled
            [^.;!?\ufffc]{{0,50}}?\b{_HAS}\ {_ABOUT}{_BIG}{_END}""",
    ),
    # 3 of 10 runs crashed. In all 64 runs. Seven launches in ten fail. 97 of 100 bytes.
    (
        ("run", "launch", "tries", "attempt", "trial", "repeat", "repetition", "execution",
         "starts", "calls", "times"),
        rf"""(?<!one\ of\ ){_N}\ (?:(?:out\ )?of|in)\ (?:(?:the|our|all|every|each)\ )?(?!one\b){_N}
            \ (?:(?!are\b|is\b|were\b|was\b)\w+\ )?{_RUNS}\b(?:\ {_FAILS})?
        | {_N}\ {_RUNS}\ (?:out\ of|in)\ (?:every\ )?(?!one\b){_N}\b
        | \b(?:out\ )?of\ (?:our\ |the\ |these\ )?{_N}\ (?:\w+\ )?{_RUNS},?
            \ {_N}\ (?:\w+\ )?{_FAILS}\b
        | \b(?:saw|seen|got|found|had|happen\w*|came\ out|true|same)\b[^.;:\d\ufffc]{{0,20}}?
            \ (?:in|over|across|on|for)\ (?:all|every\ one|each)\ (?:of\ )?
            (?:the\ |our\ |these\ |its\ )?{_N}\ (?:\w+\ )?{_RUNS}\b
        | \b(?:crash\w*|fail\w*|hung|hangs|deadlock\w*)\ (?:\w+\ )?{_N}\ (?:times|{_RUNS})
            \ (?:out\ of|in|of)\ {_N}\b""",
    ),
    (
        (" of 100 ", " of a hundred ", " in 100 ", "of every 100", "of each 100"),
        rf"""\b(?:at|with|reach\w*|moves?|runs\ at|gets?(?:\ to)?|to)\ {_ABOUT}{_N}
            \ (?:(?:out\ )?of|in)\ (?:every\ |each\ |a\ )?(?:100|hundred)\ (?:bytes|parts|floats
            |elements|words|operations|instructions|cycles|clocks|slots)\b""",
    ),
    # The score was 41 to 12. It won nine of ten. It took us 12.
    (
        ("score", "in favor", "in favour", "points"),
        rf"""\bscores?\ (?:\w+\ )?(?:is|was|stands?\ at|ended|came\ to|of|:)\ {_ABOUT}{_N}
            \ (?:to|against|-|–|:)\ {_N}\b | {_N}\ to\ {_N}\ in\ favou?r\ of\b""",
    ),
    (
        ("took", "cost", "needed", "need"),
        rf"\b(?:took|cost|needed)\ (?:us|me|ours|mine)\ {_ABOUT}{claims.BARE}",
    ),
    (
        (" won ", " wins ", " lost ", " loses ", " beats ", " beat ", " ahead "),
        rf"""\b(?:won|wins|lost|loses|beats?|was\ ahead|is\ ahead|ahead)\ (?:in|at|on|for)?\ ?
            {_N}\ (?:(?:out\ )?of|in)\ (?:the\ |our\ |all\ |these\ )?{_N}(?:\ (?:\w+\ )?(?:sizes
            |shapes|cases|matrices|inputs|runs|rows|columns|times|tests|problems))?(?![\w.]*\d)""",
    ),
    # In a review of forty kernels, thirty-one had no such test.
    (
        ("review", "survey", "sample", "poll", "study", "audit"),
        rf"""\b(?:review|survey|sample|poll|study|audit)\ of\ (?:about\ |over\ )?{_N}
            \ [^.;:]{{1,60}}?,?\ {_N}\ (?:\w+\ )?(?:had|have|did|do|were|was|are|failed|passed
            |lacked|forgot)\b""",
    ),
)  # fmt: skip
RULES += spoken.RULES
ASKING = Asking([words for words, _ in RULES])
# What is supposed, allowed or a limit of the hardware is no count of a run.
_MAY = re.compile(
    r"(?i)\b(?:if|suppose|imagine|assume|say|may|might|can|could|would|should|at most|up to"
    r"|limit\w*|no more than|least|allow\w*|launch_bounds|maxregcount|for example|unless"
    r"|whether|would-be"
    r"|predict\w*|expect\w*|guess\w*|estimate\w*)\b|\?\s*$"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(*A-Z\[`])")
FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")


_RUNS_RULE = next(n for n, (words, _) in enumerate(RULES) if "repetition" in words)


def runs(text: str) -> Iterator[str]:
    """Yield what a text tells of some runs, which not even a question may make up."""
    plain = numbers.plain(text)
    if _RUNS_RULE in ASKING.rules(plain.lower()):
        for found in claims.ready(RULES[_RUNS_RULE][1]).finditer(plain.lower()):
            if not _MAY.search(plain, max(0, found.start() - 30), found.end()):
                yield plain[slice(*found.span())].strip()


def find(text: str, inputs: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the counts that a text tells. ``inputs``: numbers that a formula beside it shows."""
    if not ASKING.rules(text.lower()):
        return
    for sentence in SENTENCE.split(text):
        rules = ASKING.rules(sentence.lower())
        if not rules or _MAY.search(sentence):
            continue
        plain = numbers.plain(sentence)
        low = plain.lower()
        for number in rules:
            for found in (
                claims.ready(RULES[number][1]).finditer(low) if len(low) == len(plain) else ()
            ):
                said = plain[slice(*found.span())].strip()
                digits = FIGURE.findall(said)
                if not digits or not inputs.issuperset(d.replace(",", "") for d in digits):
                    yield said

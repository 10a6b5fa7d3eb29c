"""Results that verbs and fractions say: "quadruples what it moved", "one sum in ten thousand".

``told`` looks for them with its own rules, in the prose of pages, in titles and in data files. The
sentence tells of something that runs, in the indicative: what is supposed, allowed or a limit is
none. So that arithmetic stays free, most rules ask for what only a run can tell: who does it, what
happens to it, or of which quantity it is.
"""

from lockstep import claims

_N = claims.NUMBER
_FRACTION = claims.FRACTION
_PART = rf"(?:{_FRACTION}|two\ thirds|three\ quarters|(?:two|three|four)\ fifths)"
_ABOUT = r"(?:about\ |some\ |nearly\ |almost\ |roughly\ |well\ over\ |only\ |just\ |a\ good\ )*"
_TIMES = r"(?:doubl|halv|tripl|quadrupl|quintupl)(?:es|ed|e)"
# What only a run has.
_COST = (
    r"(?:power|energy|heat|bandwidth|throughput|latency|time|cycles|clocks|stalls|conflicts"
    r"|misses|watts|wall\ clock|run-?\ ?time|waiting|pace|speed|rate)"
)
_TOOK = (
    r"(?:moves?|moved|takes?|took|needs?|needed|does|did|reach(?:es|ed)|gets?|got|runs?|ran|costs?"
    r"|delivers?|delivered|manages?|managed)"
)
_RAN = (
    rf"(?:{_TOOK}|reads?|writes?|wrote|has|had|gives?|gave|makes?|made|brings?|brought|loses?"
    r"|lost)"
)
_FATE = (
    r"(?:stalls?|stalled|waits?|waited|miss(?:es|ed)?|hits?|fail(?:s|ed)?|differ(?:s|ed)?"
    r"|hangs?|hung"
    r"|crash(?:es|ed)?|is\ wrong|are\ wrong|was\ wrong|were\ wrong|comes?\ out\ wrong|came\ out"
    r"\ wrong|is\ right|are\ right|is\ lost|are\ lost|was\ lost|were\ lost|gets?\ lost|got\ lost"
    r"|conflicts?|is\ dropped|are\ dropped|spills?|is\ busy|are\ busy|is\ idle|are\ idle"
    r"|falls?\ away|fell\ away|disappears?|vanish(?:es|ed)?|is\ answered|are\ answered|happened"
    r"|go(?:es)?\ to\ an?\ \w+\ that\ is\ \w+)"
)
_EVENTS = (
    r"(?:sums?|results?|runs?|launch(?:es)?|reads?|writes?|loads?|stores?|accesses|requests?|waits?"
    r"|additions?|elements?|values?|counts?|warps?|blocks?|threads?|cycles?|updates?|tries|attempts"
    r"|messages?|answers?|products?|kernels?|floats?|bytes|sectors?|tests?|calls?)"
)

RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    # Padding quadruples what it moved. It doubles that rate, and two quadruple it.
    (
        tuple("doubl halv tripl quadrupl quintupl".split()),
        rf"""\b{_TIMES}\ (?:what\ (?!(?:has|have|must|can)\b)[^.;:\ufffc]{{1,40}}?\ {_RAN}\b
            |(?:that|this|our|their)\ (?:\w+\ )?{_COST}\b)
        | \b(?:doubl|tripl|quadrupl)(?:es|ed)\ it\ (?:again|once\ more)\b""",
    ),
    # Twice what it moves with less. A third of what it took.
    (
        ("twice what", "double what", "thrice what", "half what", "half of what", "times what",
         "third of what", "quarter of what", "fifth of what", "triple what", "triple that",
         "times that of", "twice that of", "half that of"),
        rf"""\b(?:twice|double|triple|thrice|half(?:\ of)?|{_PART}\ of|{_N}\ times)\ what\ (?:it
            |they|we|he|the|our|its|a|an|others?|ours)\b[^.,;:\ufffc]{{0,30}}?\ ?{_TOOK}\b
        | \b(?:{_N}\ times|twice|half)\ that\ of\ (?:the\ )?(?:cu[A-Z]?\w+|cub|cutlass|cupy|numpy
            |pytorch|torch|jax|triton|library|baseline|reference|naive|obvious|plain|first)\b""",
    ),
    # A third less power. Two fifths of the wall clock.
    (
        tuple("half third quarter fourth fifth sixth seventh eighth ninth tenth".split()),
        rf"""\b{_PART}\ (?:less|more|fewer|longer|shorter|lower|higher|as\ much|as\ many)
            \ (?:\w+\ )?{_COST}\b
        | \b{_PART}\ of\ (?:the|its|our|their|that|this)\ (?:\w+\ )?(?:wall\ clock|wall\ time|power
            |energy|heat)\b
        | \b(?:are|is|was|were|makes?|takes?|costs?)\ (?:\w+\ )?an?\ (?:third|fourth|fifth|sixth
            |seventh|eighth|ninth|tenth)\ part\ of\ (?:it|that|this|them|the\ {_COST})\b""",
    ),
    # One sum in ten thousand is wrong. It happened in three sums of a million. Three reads of four.
    (
        tuple("stall wait miss hit fail differ hang hung crash wrong lost conflict dropped spill"
              " busy idle away disappear vanish answer happen occur serve waste catch skip drops"
              " lose finds found".split()),
        rf"""\b{_ABOUT}{_N}\ {_EVENTS}\ (?:out\ of|of|in)\ (?:every\ |each\ |all\ |our\ )?
            (?:an?\ )?{_N}(?![\w%.]|,\d)(?:\ (?:thousand|million|billion))?
            (?:\ (?:then|still|now))?\ {_FATE}\b
        | \b(?:happen(?:s|ed)|fail(?:s|ed)|occur(?:s|red)|saw|seen|wrong|differ(?:s|ed)|lost)
            \ (?:\w+\ )?(?:in|for|on|with)\ {_N}\ {_EVENTS}\ (?:out\ of|of|in)[ ]
            (?:every\ |each\ |an?\ )?{_N}\b
        | \b(?:answers?|answered|serves?|served|loses?|lost|wastes?|catch(?:es)?|skips?|skipped
            |drops?|dropped|finds?|found)\ {_ABOUT}{_N}\ {_EVENTS}\ (?:out\ of|of|in)
            \ (?:every\ |each\ )?{_N}\b(?!-|\ {_EVENTS})""",
    ),
    # One sum in ten thousand. Below 4,096 columns the two change places.
    (
        ("thousand", "million", "billion"),
        rf"""\b(?:one|two|three|four|five|some|a\ few|\d+)\ (?:\w+\ )?{_EVENTS}\ (?:out\ of|of|in)
            \ (?:every\ |each\ |an?\ |ten\ |a\ hundred\ )+(?:thousand|million|billion)\b""",
    ),
    (
        ("change places", "changes places", "swap places", "trade places", "changed places",
         "overtake", "pulls ahead", "takes the lead"),
        r"""\b(?:below|above|under|beyond|from|at|with|up\ to|over)\ (?:about\ )?\d[\d,]*\ \w+\b
            [^.;:\ufffc]{0,40}?
            \b(?:(?:change[sd]?|swap(?:s|ped)?|trade[sd]?)\ places|overtakes?
            |overtook|pulls\ ahead|takes\ the\ lead)\b""",
    ),
    # Every second addition stalls. Five times in a row on average.
    (
        ("every second", "every third", "every fourth", "every other", "every fifth", "every tenth",
         "on average"),
        rf"""\bevery\ (?:second|third|fourth|fifth|tenth|other)\ {_EVENTS}\ {_FATE}\b
        | \b{_N}\ times(?:\ in\ a\ row|\ over)?(?:,)?\ on\ average\b""",
    ),
    # Of a hundred bytes that a copy moves, it moves ninety-seven.
    (
        ("of a hundred", "of 100", "of a thousand", "of every hundred", "of each hundred",
         "of ten"),
        rf"""\bof\ (?:a\ |every\ |each\ )?(?:hundred|100|thousand|ten)\ (?:\w+)s\b
            [^.;:\ufffc]{{0,40}}?,
            \ [^.;:,\ufffc]{{0,25}}?\b{_RAN}\ {_ABOUT}{_N}\b""",
    ),
    # In a thousand launches that was block 0 only twice. Under a microsecond.
    (
        tuple("launches runs tries calls trials attempts repetitions".split()),
        rf"""\b(?:in|over|of|out\ of|across|after)\ (?:all\ )?(?:{_N}|an?\ (?:hundred|thousand
            |million))
            (?:\ (?:hundred|thousand|million))?\ (?:\w+\ )?(?:launches|runs|tries|calls|trials
            |attempts
            |repetitions)\b[^.;:\ufffc]{{0,50}}?\b(?:once|twice|thrice|never|every\ time|always
            |each\ time
            |not\ (?:once|one)|none|all\ but|{_N}\ times)\b
        | \b(?:once|twice|thrice|never|{_N}\ times)\ (?:in|out\ of)\ (?:all\ )?(?:{_N}
            |an?\ (?:hundred
            |thousand|million))(?:\ (?:hundred|thousand|million))?
            \ (?:\w+\ )?(?:launches|runs|tries|calls|trials|attempts|repetitions)\b""",
    ),
    (
        ("microsecond", "millisecond", "nanosecond"),
        r"""\b(?:under|below|within|hardly|barely|less\ than|not\ even|a\ good|no\ more\ than|just)
            \ (?:an?|one|half\ an?)\ (?:micro|milli|nano)second\b
        | \b(?:cost|costs|took|takes|needed|saves?|saved)\ (?:\w+\ ){0,3}?(?:an?|half\ an?)
            \ (?:micro|milli|nano)second\b""",
    ),
    # 40 thousandths of a second more.
    (
        tuple("thousandths millionths hundredths thirtieth fortieth fiftieth hundredth".split())
        + ("thousandth", "millionth"),
        rf"""(?:{_N}|\ban?)\ (?:\w+-)?(?:hundred|thousand|million|thirti|forti|fifti|sixti)
            (?:e?th)s?
            \ (?:of\ )?an?\ (?:milli|micro|nano)?second\b""",
    ),
    # The same on all of our cards, whatever the driver. Never once in a week of tries.
    (
        ("our cards", "our gpus", "our machines", "whatever the", "never once", "not once",
         "of tries", "of runs", "of use", "of tests"),
        r"""\bon\ (?:all|each|every\ one|both|none|any|most)\ (?:of\ )?our\ (?:cards|gpus|machines
            |hosts)\b
        | \b(?:same|identical|alike|right|wrong|equal|unchanged|as\ fast|agree\w*)\b
            [^.;:\ufffc]{0,50}?
            \bwhatever\ the\ (?:driver|card|gpu|machine|version|compiler)\b
        | \b(?:never|not)\ (?:once|yet)\ [^.;:\ufffc]{0,40}?\b(?:lost|fail\w*|wrong|differ\w*
            |crash\w*|hung|miss\w*|broke)\b
        | \bin\ (?:a|two|three|several|many|some)\ (?:hours?|nights?|days?|weeks?|months?|years?)
            \ of\ (?:tries|runs|use|tests|testing|running)\b""",
    ),
)  # fmt: skip

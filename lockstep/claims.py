"""Claims of speed that no unit gives away: "a throughput of 300", "it beats the library by three".

``numbers.TYPED`` finds a number by its unit. Here one is found by the words around it: a quantity
of performance, a rival, a comparison of two speeds, a rate or a time in words. What counts
something else has a noun of its own ("the throughput of 8 channels"), so a number by such words
counts where none follows.
"""

import functools
import re
from collections.abc import Iterator

from lockstep.asking import Asking

_UNITS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
_UNITS += "|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_MANY = "hundred|thousand|million|billion|trillion|dozen"
_WORD = (
    rf"(?:(?:{_TENS})(?:-(?:one|odd|{_UNITS}))?|one|{_UNITS}|(?<=\ba\ )(?:{_MANY}))"
    r"(?:[ -](?:and\ a\ (?:half|quarter)"
    rf"|(?:and\ |point\ )?(?:zero|one|{_UNITS}|{_TENS}|{_MANY})\b))*"
)
_DIGITS = r"(?<![\w.,/-])(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[+-]?\d+)?"
NUMBER = rf"(?:{_DIGITS}(?:\ (?:{_MANY}))?|\b(?:{_WORD})\b)"
DECIMAL = r"(?<![\w.,/-])\d*\.\d+"
_NTH = r"(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth|twentieth)s?"
_SMALL = r"(?:hundred|thousand|million|billion)ths?"
FRACTION = (
    rf"\b(?:(?:an?|one|\d+|{_UNITS})[ -]{_NTH}\b|(?:an?|one|\d+|(?:{_TENS})(?:-\w+)?|{_UNITS})"
    rf"[ -]{_SMALL}\b|(?:an?\ |one\ )?half\b)"
)
_TIME = r"(?:(?:pico|nano|micro|milli)?seconds?|(?:clock\ )?cycles?|clocks?)"
_SECOND = (
    r"(?:(?:milli|micro|nano)?second|sec)\b"
    r"(?!\ (?!(?:on|in|at|and|or|of|from|for|to|are|is|with|while)\b)\w)"
)
_QUANTITY = (
    r"(?:bandwidth|throughput|latency|run-?\ ?time"
    r"|(?:elapsed|execution|wall|step|running|kernel|total)\ time"
    r"|speed-?\ ?ups?|slow-?downs?|efficiency|utili[sz]ation|IPC|performance|speed|pace)"
)
_DEVICE = (
    r"(?:(?:GeForce|RTX|MI|Tesla)\ ?\d{2,4}\w*|[ABHGLTV]\d{1,3}0?\w?|M\d|GPU|machine|laptop)\b"
)
# The other side of a comparison: somebody's library, or the version before.
_OTHER = (
    r"(?:(?:the|a|our|its|that\ of|NVIDIA's)\ )*(?:cu(?:BLAS|DNN|FFT|SPARSE)\w*|CUB\b"
    r"|CUTLASS\b|NCCL\b|PyTorch\b|NumPy\b|(?:library|baseline|reference)"
    r"(?!\ ?(?:of|for|to|in|from|call|page|function|implementation|counter|name)\b))"
)
# After a number that counts nothing the clause ends, or goes on without a noun.
_ALONE = (
    r"(?:(?!\ ?[\w%×°*/+=^(\[{<>|`-])(?![.,:]\d)|(?=\ to\ \d[\d.]*[.,;:)]?(?:$|\ (?!\w+s\b)))"
    r"|(?=\ (?:on|at|against|versus|vs|than|here|there|while|where|but|now|instead|again|too"
    r"|over|because|since|when|after|before)\b))"
)
BARE = rf"(?:(?!one\b|0\b(?![.,]\d)){NUMBER}{_ALONE})"
_ABOUT = (
    r"(?:(?:about|around|nearly|almost|over|some|roughly|only|just|up\ to|(?:more|less)\ than"
    r"|as\ (?:large|high|low|much|little)\ as|at\ (?:least|most)|well|close\ to|~|≈)\ ?)*"
)
# What leads from a quantity to its figure.
_REACHES = (
    r"(?:is|was|are|were|of|at|to|near|under|above|below|around|about|by|from|reach(?:es|ed)"
    r"|hits?|gets?|got|gives?|gave|equals?|exceeds?|tops?|averages?|sustains?"
    r"|(?:c[ao]mes?|go(?:es)?|went|r[io]ses?|drop(?:s|ped)?|f[ae]ll?s?|grows?|grew|improve[sd]?"
    r"|increase[sd]?|decrease[sd]?|shrinks?|shrank|down|up)(?:\ (?:to|by|from))?)"
)
_WINS = (
    r"(?:beats?|outperform(?:s|ed)?|outruns?|outpaces?|wins?|won|los(?:es|t)|trails?|lags?|leads?"
    r"|ahead|behind|surpass(?:es|ed)|overtakes?)"
)
_FASTER = r"(?:faster|slower|quicker|speedier|swifter|sooner)"
_YIELDS = r"(?:does|did|reach(?:es|ed)|gives?|gave|gets?|got|hits?|sustains?)"
_HALVES = r"(?:halve[sd]?|double[sd]?|triple[sd]?|quadruple[sd]?)"
_BYTES = r"(?:[kMGTP]i?B|(?:kilo|mega|giga|tera|peta)bytes?|bytes)"

# What is moved or done in a time that the next sentence says.
_AMOUNT = (
    rf"{NUMBER}\ (?:[kMGTP]i?B|(?:kilo|mega|giga|tera|peta)?bytes?|[kMGTP]?FLOPs?|[kMG]?keys"
    rf"|(?:{_MANY})\ \w+|elements|tokens|operations|additions|multiplications|images|frames)"
)
_ONE_SECOND = (
    r"(?:\b(?:one|half\ an?|a\ (?:single|whole|full|mere))\ (?:milli|micro|nano)?second\b(?![-\w])"
    r"|\b(?:a|the|that|every|each)\ (?:milli|micro|nano)?second"
    r"\ (?:is|was|went|passed|suffice[sd]|later|did|for\ (?:that|it|this|all))\b)"
)

# Of two versions of a kernel, and a number that is no small count.
_VARIANT = (
    r"(?:naive|tiled|(?:un)?fused|blocked|baseline|optimi[sz]ed|(?:un)?tuned|unrolled"
    r"|vectori[sz]ed)"
)
_MEASURED = r"(?<![\w.,/-])(?:\d\d[\d,]*(?:\.\d+)?|\d\.\d+)"

# A share in words, what has a limit, and what happens to one of many accesses.
_IN = r"(?:in|out\ of|of)\ (?:every\ |each\ )?"
_PARTS = (
    rf"(?:{FRACTION}|\btwo\ thirds|\bthree\ quarters"
    rf"|{NUMBER}(?:\ parts)?\ {_IN}{NUMBER}(?:\ parts)?)"
)
_EVENT = (
    r"(?:access(?:es)?|requests?|loads?|reads?|writes?|stores?|lookups?|fetch(?:es)?|cycles?"
    r"|clocks?|transactions?|probes?|launch(?:es)?|tokens?|guesses|drafts?|queries|polls|slots"
    r"|packets?|messages?|hits|misses)"
)
_FATE = (
    r"(?:hits?|miss(?:es|ed)?|cache[sd]?|serve[sd]?|stall(?:s|ed)?|waits?|waited|wasted?"
    r"|accept(?:s|ed)?|reject(?:s|ed)?|found|idle|answered|c[ao]mes?|go(?:es)?|went|spent|lost"
    r"|drop(?:s|ped)?|succeed(?:s|ed)?|fail(?:s|ed)?|conflicts?|land(?:s|ed)?)"
)
_LIMITS = (
    r"(?:allows?|permits?|offers?|can|could|delivers?|provides?|sustains?|promises?|reaches"
    r"|manages?)"
)
_NEWER = (
    r"(?:ours?|(?:the|our)\ (?:new|second|third|last|tiled|fused|fast\w*|other|own|better)"
    r"(?:\ (?:one|kernel|version|code))?|(?:the|our)\ kernel|it)"
)

# What something costs as a multiple of what another does.
_COSTS = r"(?:takes?|took|costs?|needs?|needed|lasts?|lasted|pays?|paid|spends?|spent)"
_TIMES = rf"(?:{NUMBER}\ times|\btwice|\bthrice)"
_HEDGED = r"\b(?:about|around|nearly|almost|roughly|(?:more|less)\ than|close\ to|well\ over)\ "
_BURDEN = r"(?:run-?time|time|latency|costs?|duration|bandwidth|throughput|speed)"
_NAMES = rf"(?:{_UNITS}|{_TENS}|hundred|thousand)"

# For each rule the words of which a text must have one (in small letters), so that a search looks
# at few texts; and what it finds.
RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    # A throughput of 300. The bandwidth, 4200, is close. Latency drops from 40 to 12.
    (
        tuple(
            "bandwidth throughput latency time speed slow efficien utili ipc perform pace"
            " cycles wait".split()
        ),
        rf"""\b(?:{_QUANTITY}(?:\ \([^()]{{1,20}}\))?(?:\ [b-z](?:_\w+)?(?=\ ))?
            (?:[,:]|\ (?:on|of|over|to|for|here|there)
            \ (?:[a-z]\w*\ ){{0,2}}?[a-z]\w*(?=\ {_REACHES}\b))?
            (?:\ (?:that|which|now|can|will|then|also|here))?
            (?:\ ?{_REACHES}\b){{0,2}}\ {_ABOUT}
            (?:a\ ratio\ of\ )?(?:{BARE}|{FRACTION}(?!\ of\b|\ (?!on|at|on|in|here|now)\w))
        | {NUMBER}[ -](?:speed-?\ ?up|slow-?down|IPC)\b
        | (?:{FRACTION}|\btwo\ thirds|\bthree\ quarters)\ (?:as\ many|fewer|less)
            \ (?:\w+\ )?(?:time|cycles)\b
        | \b(?:halve|double|triple)[sd]\ the\ (?:wait|speed|pace|time)\b
        | {_QUANTITY}\ (?:(?:is|was|were|are|has|been|more\ than)\ )*{_HALVES}\b
        | (?<!\ a\ )\btime\ (?:is\ |was\ )?(?:halves|halved|doubles|triples|quadruples)\b
        | (?:cut|shave|trim|reduce|lower|bring|drop)(?:s|d|ing)?\ (?:\w+\ ){{0,3}}?(?:time|latency)
            \ (?:\w+\ ){{0,3}}?(?:to|by)\ {_ABOUT}(?:{BARE}|{FRACTION})
        | (?:{FRACTION}|{NUMBER}|{NUMBER}\ parts\ in\ (?:100|a\ hundred))\ of
            \ (?:the|its|their|a|an)
            \ (?:(?:printed|whole|total|run|elapsed|theoretical|possible|full|memory|DRAM)\ )?
            (?:{_QUANTITY}|time)\b(?!\ of\ day)
        | in\ {NUMBER}\ of\ the\ time\b)""",
    ),
    (
        ("peak", "roof"),
        rf"""(?:{FRACTION}|{NUMBER}(?:\ parts?\ in\ (?:100|a\ hundred))?)\ of
            \ (?:(?:the|its|their|a)\ )?(?:\w+\ )?(?:peak|roof)\b
        | (?:peak|roof),\ {BARE}""",
    ),
    # It runs in 3.2. It does 61 on an H200.
    (
        tuple(
            "take took need run ran finish complet reach giv gave get got hit sust do did".split()
        ),
        rf"""\b(?:(?:takes|took|needs|needed|runs|ran|finish(?:es|ed)|done|completes?d?)
            (?:\ in\ {_ABOUT}{DECIMAL}{_ALONE}|\ (?:in\ )?{_ABOUT}\d+:\d\d\b(?!\d)
              |\ {_ABOUT}{DECIMAL}{_ALONE})
        | (?:takes|took|needs|needed|runs\ at|{_YIELDS})\ {_ABOUT}{NUMBER}
            \ on\ (?:an?|the|our|my|your)\ {_DEVICE}
        | {_DEVICE}\ {_YIELDS}\ {_ABOUT}{BARE}
        )""",
    ),
    # Faster than the library, by 12. A third faster.
    (
        tuple("faster slower quicker speedier swifter sooner twice doubly".split())
        + ("as fast", "as slow", "as quick"),
        rf"""\b{_FASTER}\b[^.;!?\ufffc]{{0,40}}?(?:\bby|:|,|\(|\bat)\ ?{_ABOUT}(?:{BARE}|{FRACTION})
        | (?:{FRACTION}|\btwice|\bdoubly|\bhalf\ again)\ (?:as\ )?(?:much\ )?
            (?:{_FASTER}|fast|quick|slow)\b
        | (?:and\ (?:a\ half|a\ quarter)|{NUMBER})\ times\ (?:as\ )?(?:{_FASTER}|fast|quick|slow)\b
        | {NUMBER}\ (?:orders?|magnitudes?)\ {_FASTER}
        | (?:ten|10)\ to\ the\ (?:power\ of\ )?\w+\ (?:times\ )?as\ (?:fast|slow)""",
    ),
    # It beats the library by three. Five points behind.
    (
        tuple("beat outp outr win won lose lost trail lag lead ahead behind surpass overt".split()),
        rf"""\b{_WINS}\b[^.;!?\ufffc]{{0,40}}?\ by\ {_ABOUT}
            (?:{BARE}|{FRACTION}(?!\ (?:of\ )?an?\b)|{NUMBER}\ points?\b)
        | \b{_WINS}\ {_OTHER}\ {NUMBER}\ times
        | \b{_WINS}\ by\ {_ABOUT}{NUMBER}\ times\b
        | {NUMBER}\ times\ (?:ahead|better)\b
        | {NUMBER}\ (?:(?:percentage\ )?points?\ )?(?:ahead\ of|behind)\ {_OTHER}""",
    ),
    (
        (" point",),
        rf"""{NUMBER}\ (?:percentage\ )?points?\ (?:(?:of|in|to)\ )?(?:{_QUANTITY}|peak|ahead|behind
            |better|worse|{_OTHER})
        | (?:by|gains|loses)\ {NUMBER}\ (?:percentage\ )?points?\b""",
    ),
    # Three times the library. 0.98 of cuBLAS. Double the baseline.
    (
        tuple("cublas cudnn cufft cusparse cub cutlass nccl pytorch numpy library baseline".split())
        + ("reference",),
        rf"""(?:{NUMBER}\ (?:times|x)|{NUMBER}\ ?[x×]|{DECIMAL}\ of|{FRACTION}\ of
            |\b(?:twice|thrice|double|triple|quadruple)|\b{_HALVES})
            \ (?:as\ good\ as\ |that\ of\ )?{_OTHER}
        | \b{_HALVES}\ (?:what\ )?{_OTHER}""",
    ),
    (tuple(f"{digit} of " for digit in range(10)), rf"{DECIMAL}\ of\ {DECIMAL}(?![\w%])"),
    (
        ("times what", "times of what", "of what"),
        rf"""{NUMBER}\ times\ (?:of\ )?what\ (?:the|a|it)\b[^.;:]{{0,25}}?\ (?:takes|took)\b
        | {FRACTION}\ of\ what\ (?:the|a|it)\b[^.;:]{{0,25}}?
            \ (?:needs|needed|takes|took|does|did|reach(?:es|ed)|gets|got|scores?|scored
                |moves?|moved|manages?|managed|achieves?|achieved)\b""",
    ),
    # It takes three times what that takes. It costs nearly three times as much, or seven copies.
    (
        (
            "times as",
            "times that",
            "times what",
            "times the",
            "times a ",
            "times our",
            "times its",
            "twice ",
            "thrice ",
            "as much as",
            "as long as",
            "half again",
            "of what",
            "costs what",
            "takes what",
        ),
        rf"""\b{_COSTS}\ {_ABOUT}{_TIMES}\ (?:as\ (?:much|long)\b|that\ of\b|what\b
            |(?:the|an?|our|its)\ (?:\w+\ ){{0,2}}?(?:one|kernel|version|copy|time|launch)\b)
        | {_HEDGED}{_TIMES}\ (?:as\ (?:much|long)\b|that\ of\b|what\b)
        | \b{_BURDEN}\ (?:is|was|are|were)\ {_ABOUT}{_TIMES}\ (?:that|those)\ of\b
        | \b{_COSTS}\ (?:as\ (?:much|long)\ as|what)\ {_ABOUT}(?!one\b){NUMBER}
            \ (?!does\b|is\b)\w+s\b
        | \b{_COSTS}\ {_ABOUT}{FRACTION}\ of\ what\b
        | \bhalf\ again\ (?:as\ )?(?:much|many|long)\b""",
    ),
    # Its time equals five copies. Seven launches' worth of time. It pays for itself twice over.
    (
        (
            "equals",
            "equal to",
            "multiple of",
            "worth",
            "price of",
            "times over",
            "twice over",
            "-x",
            "to one",
            "to 1",
            "are as",
            "were as",
        ),
        rf"""\b{_BURDEN}\b[^.;:\ufffc]{{0,20}}?
            \ (?:equals?|is\ (?:a\ multiple\ of|equal\ to|worth))\ {_ABOUT}(?:a\ )?{NUMBER}\b
        | {NUMBER}\ \w+s'\ worth\ of\ (?:the\ )?{_BURDEN}\b
        | {NUMBER}\ (?:\w+\ ){{1,3}}for\ the\ price\ of\b
        | \b(?:pays?|paid)\b[^.;:\ufffc]{{0,25}}?\ {_TIMES}\ over\b
        | \b{_NAMES}-x\b
        | \b{_WINS}\b[^.;:\ufffc]{{0,30}}?\ {NUMBER}\ to\ (?:one|1)\b
        | \b(?:times|rates|speeds|costs)\ (?:are|were)\ as\ {NUMBER}\ to\ {NUMBER}\b""",
    ),
    ((":",), rf"(?<![\d:])\d+:\d+\ in\ (?:{_BURDEN}|speed)\b"),
    # A race, told: four of them end before one of those.
    (
        ("before one", "before a", "while one", "while a", "laps", "lapped", "by the time"),
        rf"""{NUMBER}\ (?:\w+\ ){{1,3}}?(?:finish|end|run|complete)(?:es|s)?
            \ (?:before|while)\ (?:an?|one)\b
        | \b(?:laps|lapped)\b[^.;:\ufffc]{{0,40}}?\ {_TIMES}\b
        | \bby\ the\ time\b[^.;:\ufffc]{{0,80}}?\b(?:run|ran|done|finished|through)
            \ {_TIMES}\b""",
    ),
    # A seventh of the cache misses.
    (
        ("misses", " hits", "stalls", "conflicts"),
        rf"{FRACTION}\ of\ (?:the|its|their)\ (?:\w+\ )?(?:misses|hits|stalls|conflicts)\b",
    ),
    # A handful of microseconds. For every second that it needs, this needs a quarter.
    (
        ("handful of", "score of", "scores of", "dozen of", "for every", "for each"),
        rf"""\b(?:a\ handful|a\ score|scores|a\ dozen)\ of\ (?:pico|nano|micro|milli)seconds\b
        | \bfor\ (?:every|each)\ (?:second|minute|cycle)\b
            [^.;:\ufffc]{{0,40}}?,[^.;:\ufffc]{{0,40}}?\ {_COSTS}
            \ {_ABOUT}(?:{FRACTION}|{NUMBER})""",
    ),
    (
        ("times as", "times ahead", "times bett", "times cheap"),
        rf"""{NUMBER}\ times\ (?:as\ (?:good|cheap)|ahead|better|cheaper)\b
        | {NUMBER}\ times\ as\ \w+\ as\ {_OTHER}""",
    ),
    (
        ("ratio", " parts in "),
        rf"""\bratio\ (?:(?:to|over|with|against)\ (?:the\ )?\w+\ )?(?:is|was|of|comes\ to)
            \ {_ABOUT}(?:{DECIMAL}|one\ to\ \w+
              |{_DIGITS}(?=[.;)]?$|\ (?:to|over|against)\ {_OTHER}))
        | {NUMBER}\ parts\ in\ (?:100(?!,?\d)|a\ hundred\b)""",
    ),
    # Rates and times in words.
    (
        ("second",),
        rf"""{NUMBER}\ (?:(?!of\b|to\b|and\b|or\b|in\b|is\b|are\b|as\b)[a-z][a-z-]*\ ){{0,2}}
            (?:an?|per|each|every|in\ (?:a|one|each|every)|within\ an?)\ {_SECOND}
        | \b(?:in|within)\ (?:a|one|each|every)\ (?:milli|micro|nano)?second,?
            \ [^.;:]{{0,25}}?\ {NUMBER}\ ?{_BYTES}\b
        | (?:{FRACTION}|\b{NUMBER}\ {_SMALL})\ of\ an?\ {_SECOND}
        | \b(?:tens|hundreds|thousands|dozens)\ of\ (?:pico|nano|micro|milli)?seconds?\b
        | \b(?:tens|hundreds|thousands)\ of\ (?:thousands|[a-z]+illions)\ of\ \w+
            \ (?:an?|per|each|every)\ {_SECOND}
        | \b(?:a\ couple\ of|several|dozens\ of)\ (?:(?:hundred|thousand|dozen)\ )?
            (?:milli|micro|nano)seconds\b
        | \b(?:some|a\ few|several)\ (?:hundred|thousand|dozen)\ (?:milli|micro|nano)?seconds\b""",
    ),
    (
        ("/s",),
        rf"{NUMBER}\ (?:[kMGT]\ )?[a-z]+/(?:s|sec|second)\b",
    ),
    (
        ("cycles", "clocks"),
        r"\b(?:tens|hundreds|thousands|dozens|a\ couple)\ of\ (?:clock\ )?(?:cycles|clocks)\b"
        r"|\b(?:some|a\ few|several)\ (?:hundred|thousand|dozen)\ (?:clock\ )?(?:cycles|clocks)\b",
    ),
    (
        ("second", "minute", "hour", " day"),
        rf"""\b(?:takes?|took|needs?|lasts?|within|(?:less|more)\ than|under|over
            |(?:done|runs?|ready|completes)\ in)\ {_ABOUT}(?:an?|one|a\ whole)
            \ (?:minute|hour|day|(?:milli|micro|nano)?second)
            (?=[.,;:)]|$|\ (?:on|and|at|for|with)\b)""",
    ),
    (
        ("micros", "mics", "millis", "nanos"),
        rf"(?:{NUMBER}|\b(?:a\ few|several))\ (?:micros|mics|millis|nanos)\b",
    ),
    # The naive copy reached 957.
    (
        ("reach", "score", "deliver", "achiev", "manag", "sustain", "clock"),
        rf"""\b(?:reach(?:es|ed)|scor(?:es?|ed)|deliver(?:s|ed)|achiev(?:es|ed)|manag(?:es|ed)
            |sustain(?:s|ed)|clock(?:s|ed)(?:\ in)?(?:\ at)?)\ {_ABOUT}(?=\d\d|\d[.,]\d)
            (?:{BARE}|{_DIGITS}(?=\ and\ (?:the|a)\b))""",
    ),
    # We saw 42. Timings: 12, 14 and 15. 96, as we measured.
    (
        tuple("saw measur timed clock timing benchmark observed recorded".split())
        + tuple("counter profiler timer watch meter nvidia-smi average".split())
        + (" run", " test"),
        rf"""\b(?:we|i)\ (?:(?:have|has|had|also|then|once|just)\ )*
            (?:saw|seen|measured|timed|clocked|observed|recorded|benchmarked)
            \ (?:(?:it|this|that|them)\ at\ )?{_ABOUT}{BARE}
        | \b(?:timings?|measurements?|measured|benchmarks?|observed|recorded)
            (?:\ (?:in|of|on|for|here|there|with|today)\b[^.;:]{{0,30}})?:\ {_ABOUT}
            {_DIGITS}(?!\ ?(?!and\ \d)[\w%×*/+(-]|[:.]\d)
        | \b(?:counter|profiler|clock|timer|stopwatch|meter|nvidia-smi)
            \ (?:reads?|said|says|show(?:s|ed)|counts?|counted)\ {_ABOUT}{BARE}
        | \bin\ (?:our|this|that|the|one)\ (?:own\ )?(?:run|test|measurement)s?,?
            \ [^.;:\d]{{0,25}}?\b(?:was|is|came\ to|reached|gave)\ {_ABOUT}{BARE}
        | \bon\ average:\ {_ABOUT}{_DIGITS}
        | {_DIGITS}(?:,|\ is|\ was|\ \()?\ ?(?:as|which|what|that)\ (?:we|i)\ (?:have\ )?
            (?:measured|saw|timed|clocked|observed|recorded)\b""",
    ),
    # Measured at 4183 for both. Nineteen twentieths of a copy. Our best so far: 4,183.
    (
        ("measured at", "timed at", "clocked at", "recorded at"),
        rf"\b(?:measured|timed|clocked|recorded)\ at\ {_ABOUT}(?=\d\d|\d[.,]\d){_DIGITS}"
        rf"(?:{_ALONE}|)(?=\ (?:for|with|by)\ )",
    ),
    (
        ("of a copy", "of the copy", "copy's"),
        rf"\b(?:{_UNITS})\ (?:{_NTH}|fiftieths|hundredths)\ of\ (?:a|the)\ copy\b",
    ),
    (
        ("best", "record"),
        rf"\b(?:our|my|the)\ (?:best|record|fastest)(?:\ \w+)?(?:\ (?:so\ far|yet|today"
        rf"|until\ now))?:"
        rf"\ {_ABOUT}(?=\d\d|\d[.,]\d){_DIGITS}(?:{_ALONE}|(?=\ (?:with|for|by)\b))",
    ),
    (
        (
            "times the first",
            "times the second",
            "times the last",
            "times the naive",
            "times the old",
        ),
        rf"\b(?:versions?|kernels?|rungs?)\ (?:is|was|are|were|has|had)\ {_ABOUT}{NUMBER}\ times"
        r"\ the\ (?:first|second|last|naive|old)\b",
    ),
    # 0.31 and 0.62, both in milliseconds.
    (
        ("both in", "each in", "all in", "both given in", "all given in"),
        rf"(?:{DECIMAL}|\b\d\d+)\b[^.;:\ufffc]{{0,40}}?,?\ (?:both|each|all)\ (?:given\ )?in"
        r"\ (?:(?:milli|micro|nano)?seconds|[mnµ]s|cycles|percent|[kmgt]b/s|[gt]flop/s)\b",
    ),
    # Eleven times the naive version. Half of a copy.
    (
        (" times the ", " times a ", " times our ", " times its "),
        rf"{NUMBER}\ times\ (?:the|a|our|its)\ (?:\w+\ )?(?:naive|first|old|plain|simple|serial"
        r"|tiled|baseline|previous|other)\ (?:version|kernel|rung|loop|one|code"
        r"|program|variant)s?\b",
    ),
    (
        ("of a copy", "of the copy", "of a plain copy", "of the plain copy"),
        rf"(?:{FRACTION}|\b(?:twice|two\ thirds|three\ quarters))\ of\ (?:a|the)\ (?:plain\ )?"
        r"copy\b(?!'s)",
    ),
    # An order-of-magnitude gain. A factor 8. A fortieth of the speed.
    (("order-of", "orders-of"), r"\b(?:an?|two|three|\d)[ -]orders?-of-magnitude\b"),
    (("factor ",), rf"\bfactor\ {_ABOUT}{_DIGITS}(?!\ ?[/%\w*×^])"),
    (
        ("th of the", "th of its", "th the"),
        rf"\b(?:an?|one)\ (?:mere\ )?[a-z]+th\ (?:of\ )?(?:the|its)\ (?:{_QUANTITY}|rate|time)\b",
    ),
    (
        ("hundred", "100"),
        rf"{NUMBER}\ (?:in|out\ of)\ (?:every|each)\ (?:100\b(?!,)|(?:a\ )?hundred\b)"
        rf"|{NUMBER}\ out\ of\ a\ hundred\b"
        rf"|{NUMBER}\ per\ hundred\b",
    ),
    # It went from 41 to 12. A hit rate of 0.93.
    (
        ("from ",),
        rf"\b(?:went|goes|f[ae]lls?|drop(?:s|ped)|r[io]ses?|down|up)\ from\ {_DIGITS}\ to\ "
        rf"{_DIGITS}(?:{_ALONE}|(?=\ once\b))",
    ),
    (
        ("hit rate", "occupancy", "mfu", "accuracy", "power draw", "reading "),
        r"\b(?:hit\ rate|occupancy|MFU|accuracy|power\ draw|reading)"
        r"\ (?:of|is|was|(?:f[ae]lls?|rose|rises|went|goes|c[ao]mes?|drops|dropped)\ to|reache[sd])"
        rf"\ {_ABOUT}(?:{DECIMAL}|{BARE})",
    ),
    # 3:07.4 and 2'30" of time. 184 GB a minute. 2.1 billion keys, each second.
    ((":",), r"(?<![\d:.])\d{1,2}:\d\d\.\d\b"),
    (("'", "′", "″"), r"(?<![\w'])\d+\ ?[′']\ ?\d+(?:\.\d+)?\ ?(?:[″\"]|''|′′)"),
    (
        ("minute", "hour", " day", "/min", "/h"),
        rf"{_DIGITS}\ [a-z]+\ ?(?:(?:an?|per|each|every)\ (?:minute|hour|day)\b|/\ ?(?:min|h)\b)",
    ),
    (
        ("second",),
        rf"{NUMBER}\ [^.;:]{{0,30}}?(?:,\ (?:each|every)|(?:per|each|every)\ (?:single|passing))"
        rf"\ (?:{_SECOND}|cycle\b|clock\b)",
    ),
    # It moved 4.1 TB. One second was enough. And the other way round.
    (
        ("second",),
        rf"""{_AMOUNT}\b[^.;:!?]{{0,60}}?[.,;:!?]\ [^.;:!?]{{0,40}}?{_ONE_SECOND}
        | {_ONE_SECOND}[^.;:!?]{{0,60}}[.;:!?]\ [^.;:!?]{{0,60}}?{_AMOUNT}\b""",
    ),
    # The ratio t_a / t_b = 0.31. S = 3.2 for the speedup. T_ms = 41.2.
    (
        ("= ", "≈ "),
        rf"""(?<![\w.])[a-z]\w*(?:\([a-z]\))?\ ?/\ ?[a-z]\w*(?:\([a-z]\))?
            \ ?[=≈]\ {_ABOUT}{DECIMAL}(?!\w|\ ?[*/+·×])
        | \b(?:{_QUANTITY}|measured|we\ (?:find|found|get|got|see|saw)|ratio\ of\ times)
            \b[^.;!?\ufffc]{{0,30}}?\ [a-z]\w{{0,9}}\ ?[=≈]\ {_ABOUT}{DECIMAL}(?!\w)
        | \b[a-z]\w{{0,9}}\ ?[=≈]\ {_ABOUT}{DECIMAL}\ (?:as|for|of|is|in)\ (?:the|a|our|its)
            \ (?:\w+\ )?{_QUANTITY}
        | (?<![\w.])(?:[tsbr]_(?:[munµ]s|s|[kmgtp]i?b)|t_(?!max|min|end|start|stop|step)[a-z]{{3,}})
            \ ?[=≈]\ {_ABOUT}{DECIMAL}(?!\w)""",
    ),
    # Naive 957, tiled 4120. 41.2 for the naive one.
    (
        tuple("naive tiled fused blocked baseline optimi tuned unrolled vectori".split()),
        rf"""\b{_VARIANT}(?:\ (?:kernel|version|one|code|loop|product|copy|variant|run))?
            (?:,|:|\ =|\ -|\ is|\ was|\ needs|\ needed|\ had)?\ {_ABOUT}{_MEASURED}
            (?!\ ?(?!and\b|but\b|while\b|against\b|versus\b|vs\b)[\w%×*/+(-]|[:.]\d)
        | {_MEASURED}\ (?:for|with|by)\ (?:the\ |our\ |an?\ )?{_VARIANT}\b""",
    ),
    # It started at 14:02:03.1. Start: 0. End: 41.2. It was over after 41.
    ((":",), r"(?<![\d:.])\d{1,2}:\d\d:\d\d[.,]\d"),
    (
        ("start", "begin"),
        rf"\b(?:start\w*|begin\w*)(?::|\ at)\ \d[\d.]*[.;,]\ (?:and\ )?(?:end|stop|finish)\w*"
        rf"(?::|\ at)\ {_ABOUT}{_MEASURED}{_ALONE}",
    ),
    (
        ("after", "before", "within", " in ", "past"),
        rf"\b(?:over|done|finished|through|back|ready|complete|ended)\ (?:after|within|in)\ "
        rf"{_ABOUT}"
        rf"(?:{DECIMAL}{_ALONE}|(?<=after\ )\d\d+{_ALONE})",
    ),
    (
        ("clock", "timer", "watch"),
        rf"\b(?:clock|stopwatch|timer|watch)\ (?:stop(?:s|ped)|st(?:ood|ands)|was|is)\ at\ {_ABOUT}"
        rf"{BARE}",
    ),
    # 41.2 → 8.1. 8.1 (was 41.2).
    (("→", "->", "⟶", "⇒"), rf"{DECIMAL}\ ?(?:→|->|⟶|⇒)\ ?\d*\.\d+(?!\w)"),
    (
        ("was", "before", "formerly", "previously", "once"),
        rf"\d\ \((?:it\ )?(?:was|before|formerly|previously|once)[,:]?\ {_ABOUT}{_MEASURED}",
    ),
    # The speedup is S = 41 / 8. T_1 / T_p = 41 / 8 = 5.1. t = 41.2 - 8.1
    (
        ("= ", "≈ "),
        rf"""(?<![\w.])(?:s|t|η|speed-?up)(?:_\w+|\ \w)?(?:\ ?\(\w+\))?\ ?[=≈]\ {_ABOUT}
            (?:\d\d|\d\.\d)[\d.,]*\ ?[/÷-]\ ?\d
        | (?<![\w.])[ts](?:_\w+|\d)?(?:\ ?\(\w+\))?\ ?/\ ?[ts](?:_\w+|\d)?(?:\ ?\(\w+\))?
            \ ?[=≈]\ {_ABOUT}\d[\d.,]*\ ?/\ ?\d
        | (?<![\w.])e(?:_\w+)?\ ?[=≈]\ s(?:_\w+)?\ ?/\ ?[a-z]\w*
            \ ?[=≈]\ {_ABOUT}\d[\d.,]*\ ?/\ ?\d""",
    ),
    # Ours: 712. Ours has 4.1 of them. Five passes of ours for each of theirs.
    (
        ("ours",),
        rf"""\bours(?::|,)?
            (?:\ (?:has|had|is|was|needs|needed|does|did|gets|got|makes|moves|comes\ to))?
            \ {_ABOUT}{_MEASURED}(?:{_ALONE}|(?=\ of\ (?:them|those|these)\b))
        | {NUMBER}\ \w+\ of\ ours\ (?:for|to|against|in)\b""",
    ),
    # While cuBLAS multiplies one pair, our kernel multiplies five.
    (
        ("while", "by the time", "before", "until"),
        rf"\b(?:while|by\ the\ time|before|until)\b(?:\ that)?\ {_OTHER}[^.;\ufffc]{{0,50}}?"
        rf",\ ours?\b[^.;\ufffc]{{0,40}}?\ {NUMBER}",
    ),
    # The copy comes to 4100. It draws 640.
    (
        ("comes to", "came to", "make", "made", "moves", "moved", "gets", "got", "drew", "draws"),
        rf"""\b(?:copy|kernel|transpose|gather|scatter|softmax|version|implementation|{_OTHER})
            \ (?:c[ao]mes?\ to|makes|made|moves|moved|gets|got)\ {_ABOUT}
            (?=\d\d\d|\d,\d\d\d|\d*\.\d){_DIGITS}(?:{_ALONE}|(?=\ (?:and|out\ of)\b))
        | \b(?:draws|drew)\ {_ABOUT}(?=\d\d\d|\d+\.\d){_DIGITS}{_ALONE}""",
    ),
    # With 8 blocks it was 712. The least time: 41. 5.2 times, on the H200. Up by a good third.
    (
        ("with ",),
        r"\bwith\ \d+\ [a-z]+,?\ (?:it\ (?:was|took|needed|gave)\ (?=\d\d)|(?=\d\d\d|\d+\.))"
        r"\d+(?:\.\d+)?"
        r"(?=;|\.(?!\d)|,\ |\ and\b|$)",
    ),
    (
        ("time", "bandwidth", "rate", "latency"),
        rf"\b(?:least|most|shortest|longest|best|lowest|highest)\ (?:time|bandwidth|rate|latency)"
        rf"\b[^.;:\d\ufffc]{{0,20}}:\ {_ABOUT}{_DIGITS}",
    ),
    (
        (" times",),
        rf"{DECIMAL}\ times,?\ on\ (?:an?|the|our|my|your)\ {_DEVICE}",
    ),
    (
        ("up by", "down by"),
        rf"\b(?:up|down)\ by\ (?:{FRACTION}|an?\ (?:good|full|mere|whole)\ (?:{_NTH}|half))\b",
    ),
    # The efficiency η of 0.91. What a profiler is said to count.
    (("η",), rf"η(?:_\w+)?\ ?[=≈]\ {_ABOUT}{DECIMAL}(?!\w|\ ?[*/+·×])"),
    # Nine tenths of what the memory allows. Nine in ten accesses hit the cache.
    (
        ("of what", "of all that", "of all the", "of that which"),
        rf"""{_PARTS}\ of\ (?:what|all\ that|all\ the\ \w+\ that|that\ which)
            \ (?:the|a|its|our|this|that|one|your|an)\b[^.;:]{{0,25}}?\ {_LIMITS}\b""",
    ),
    (
        tuple("access request load read write store lookup fetch cycle clock transact".split())
        + tuple("probe launch token guess draft quer poll slot packet message hits misses".split()),
        rf"""{NUMBER}\ {_IN}{NUMBER}\ (?:\w+\ ){{0,2}}?{_EVENT}\ (?:\w+\ ){{0,2}}?{_FATE}\b
        | \bevery\ (?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\ {_EVENT}
            \ (?:\w+\ ){{0,2}}?{_FATE}\b
        | {NUMBER}\ {_EVENT}\ {_IN}{NUMBER}\ (?:\w+\ ){{0,2}}?{_FATE}\b
        | \b(?:out\ )?of\ (?:every\ |each\ )(?:{NUMBER}|{_MANY})\ (?:\w+\ ){{0,2}}?{_EVENT}\b,?
            (?:\ \w+){{0,3}}?\ {NUMBER}\b""",
    ),
    (
        (" to ",),
        rf"\b(?:use[sd]?|fill(?:s|ed)?|load(?:s|ed)?|saturate[sd]?|busy|utili[sz]e[sd]?)\b"
        rf"[^.;:]{{0,30}}?\ to\ {_ABOUT}{_PARTS}(?=\W*$|[.,;:)]|\ (?:on|by|with|and|while)\b)",
    ),
    # In the time that the old one needs for one row. By the time it ends, ours is done twice.
    (
        ("in the time", "in the same time", "in that time", "by the time"),
        rf"""\bin\ (?:the|that)\ (?:same\ )?time\b[^.;:\ufffc]{{0,50}}?
            \b(?:needs?|needed|takes?|took|does|did|reads?|finish\w*|gets?|manages?|sorts?|moves?
            |(?:wants|wanted|spends|spent))\b[^.;:\ufffc]{{0,20}}?\ (?:{NUMBER}|{FRACTION})
        | \bby\ the\ time\b[^.;\ufffc]{{0,60}}?,\ {_NEWER}\b[^.;\ufffc]{{0,40}}?
            \ (?:{NUMBER}\ times|twice|thrice)\b""",
    ),
    # A build is done in a few minutes.
    (
        ("minutes", "hours", "seconds", "days"),
        rf"""\b(?:takes?|took|needs?|needed|lasts?|lasted|within
            |(?:done|ready|runs?|ran|finish\w*|over|trains?|trained|builds?|built|compiles?|compiled
              |starts?|started|sorts?|sorted|loads?|loaded|through|answers?|converges?)
            \b[^.;:]{{0,60}}?\ (?:in|within|for|after))\ {_ABOUT}
            (?:several|a\ (?:few|couple\ of|dozen)|(?:tens|dozens|hundreds)\ of)
            \ (?:seconds|minutes|hours|days)\b""",
    ),
    (
        (" times over", "twice over"),
        rf"\b(?:done|finished|over|complete|through|ready|ended|back)\ (?:with\ (?:it|them)\ )?"
        rf"(?:{NUMBER}\ times|twice|thrice)\ over\b",
    ),
    (
        ("nsight", "ncu ", "nsys ", "profiler ", "cuobjdump ", "ptxas "),
        r"\b(?:nsight\ \w+|ncu|nsys|profiler|cuobjdump|ptxas)"
        r"\ (?:shows?|says|reports?|sees|gives|finds)\b[^.;:\ufffc]{0,60}?"
        r"\ \d+\ (?:registers|bank\ conflicts|sectors|spills|instructions|stalls)",
    ),
    # Units that are written otherwise.
    (
        (" pc", "tf", "gf", "pf", "flop", "tera", "watt", "tbs", "gbs", "kw", " p/s"),
        rf"""{NUMBER}\ ?(?:pc\b|TF|GF|PF|tera|tflops|gflops|(?:kilo|mega)watts?|TBs|GBs|kW
            |[TG]B\ p/s)(?![\w/])
        | \b(?:half\ an?|a)\ (?:kilo|mega)watt\b""",
    ),
    (
        ("reach", "give", "get", "does", "hit", "at "),
        rf"\b(?:{_YIELDS}|at)\ {_ABOUT}{NUMBER}\ [TGP](?:FLOP)?(?![\w/-])",
    ),
    (
        ("dollar", "cent", "euro", "$"),
        rf"""costs?\ {NUMBER}\ (?:dollars|cents|euros)\b
        | (?:{NUMBER}\ (?:dollars|cents|euros)|\$\ ?{_DIGITS})
            \ (?:an?|per)\ (?:hour|GPU|token|million)""",
    ),
)

# The largest error was 3e-7. It is off by 3.1e-7. They agree to 2.4e-7. In prose and comments
# alone: a program may print so of its own results.
_SMALL_FIGURE = r"(?<![\w.,/-])(?!1(?:\.0+)?(?!\d))\d[\d.]*(?:e-?\d+|\ ?[·×]\ ?10-\d+)"
_SOME_FIGURE = rf"(?:{_SMALL_FIGURE}|(?<![\w.,/-])(?!1\.0+(?!\d))\d*\.\d+(?!\w|\.\d))"
_ANY_FIGURE = rf"(?:{_SOME_FIGURE}|(?<![\w.,/-])(?:1e-?\d+|10-\d+|\d+)(?!\w|\.\d))"
_ERROR = r"(?:errors?|deviations?|discrepanc(?:y|ies)|residuals?|differences?|mismatch(?:es)?)"
ERRORS = rf"""\b{_ERROR}\b[^.;:!?\d\ufffc]{{0,40}}?\b(?:is|are|of|at|to|by|below|under|within|than)
    \ {_ABOUT}{_SOME_FIGURE}
| \b{_ERROR}\b[^.;:!?\d\ufffc]{{0,40}}?\b(?:was|were|came\ to|reached|stayed\ (?:below|under)
    |turned\ out(?:\ to\ be)?|did\ not\ exceed|never\ exceeded)\ {_ABOUT}{_ANY_FIGURE}
| \b(?:off|wrong)\ by\ {_ABOUT}{_SOME_FIGURE}
| \b(?:accurate|exact|right)\ to\ {_ABOUT}{_SMALL_FIGURE}
| \b{_ERROR}\b[^.;:!?\d\ufffc]{{0,40}}?\b(?:is|was|of|by)\ {_ABOUT}{NUMBER}\ parts?\ in\b
| \b(?:differ(?:s|ed)?|deviate[sd]?)\b[^.;:!?\d\ufffc]{{0,30}}?\ by\ {_ABOUT}{_SOME_FIGURE}
| \bagree[sd]?\b[^.;:!?\d\ufffc]{{0,30}}?\ (?:to|within)\ {_ABOUT}{_SMALL_FIGURE}
| {_SMALL_FIGURE}\ (?:is|was)\ (?:the|our|its)\ (?:\w+\ )?{_ERROR}\b
| \b{_ERROR}:\ {_ABOUT}{_SMALL_FIGURE}
| \b(?:loss|perplexity)\ (?:\w+\ )?(?:was|is|fell|falls|drop(?:s|ped)|ends|ended|reache[sd]|went)
    \ (?:to\ |at\ |by\ )?{_ABOUT}{DECIMAL}"""
# What a run counts, and nothing says before it: its most memory, its tries, how often something
# happens, the code that a compiler makes. In prose and comments alone, as errors are.
_AGAIN = r"(?:iterations?|steps|sweeps|rounds|epochs|passes|tries|attempts|launches|runs)"
_TOOL = r"(?:nvidia-smi|htop|profiler|max_memory_\w+|memory_allocated)"
_LARGE = r"(?<![\w.,/-])(?:\d[\d,]*\d(?:\.\d+)?|\d\.\d+)"
COUNTS = rf"""\b(?:peak(?:s|ed)|(?:top|max)(?:s|es|ed|ped)\ out|level(?:s|ed)\ off|plateau(?:s|ed)
    |settle[sd]|clear(?:s|ed))\ (?:at\ )?{_ABOUT}(?=\d\d|\d[.,]\d){_DIGITS}
    (?:\ ?[kMGT]i?B\b|{_ALONE}|(?=\ and\b))
| {_DIGITS}\ ?[kMGT]i?B\ (?:\w+\ ){{0,3}}?(?:in\ use|at\ (?:its|the)\ peak)\b
| \b{_TOOL}`?\ (?:then\ )?(?:shows?|says|reports?|gives|reads|counts)\b
    [^.;:\ufffc]{{0,30}}?\ {_DIGITS}\ ?[kMGT]i?B\b
| \b(?:converge[sd]?|settle[sd]?|terminate[sd]?|stop(?:s|ped)|finish(?:es|ed)|done)\ (?:\w+\ )?
    (?:after|in|within)\ {_ABOUT}{NUMBER}\ {_AGAIN}\b
| \b(?:took|takes|needs|needed)\ (?:us\ |it\ )?{_ABOUT}{NUMBER}\ {_AGAIN}\ (?:until|before
    |to\ (?:converge|see|find|reach|show|hit))\b
| \bdiffer(?:s|ed)?\b[^.;:\ufffc]{{0,40}}?\ in\ {_ABOUT}{NUMBER}\ (?:out\ )?of\ {NUMBER}
| {NUMBER}\ (?:out\ )?of\ (?:the\ |all\ )?{NUMBER}\ (?:\w+\ )?(?:elements|values
    |numbers|results|pixels|rows|tokens)\ (?:differ|are\ (?:wrong|different|lost)|c[ao]me\ out)\b
| \b(?:once|twice|{NUMBER}\ times)\ (?:in|every|out\ of)\ {_ABOUT}{NUMBER}
    \ (?:runs|launches|tries|attempts)\b
| \bin\ {_ABOUT}{NUMBER}\ (?:runs?|launch(?:es)?|tries|attempts?)\ (?:in|(?:out\ )?of)\ {NUMBER}
| \bin\ {_ABOUT}every\ (?:second|third|fourth|fifth|tenth)\ (?:run|launch|try|attempt)\b
| \b(?:over|of|in|across|after)\ {_ABOUT}{NUMBER}\ (?:runs|repetitions|trials|repeats|launches),?
    \ (?:the\ |our\ |its\ )(?:median|mean|average|spread|minimum|maximum|best|worst|least|most)\b
| {_LARGE}\ (?:against|versus|vs\.?|compared\ (?:to|with))\ {_ABOUT}{_LARGE}{_ALONE}
| \b(?:the|our|this|its)\ [a-z-]+\ (?:kernel|version|variant|loop|one|tile|copy|rung)
    \ (?:needs|uses|takes|has|gets|got|used|needed)\ {_ABOUT}{NUMBER}\ registers\b
| \bafter\ the\ \d+(?:st|nd|rd|th)\ (?:launch|run|try|attempt|call|repeat)\b
| \bagree[sd]?\b[^.;:\ufffc]{{0,20}}?\ (?:in|to|on)\ the\ first\ (?:{NUMBER}\ )?
    (?:digits|decimals|places)\b
| {NUMBER}\ (?:lines|instructions|bytes)\ of\ (?:PTX|SASS|machine\ code|assembly)\b"""
_COUNTED = (
    *"peak top max level plateau settle clear use converge terminate stop finish done".split(),
    *"took take need differ of once twice times every runs launch against versus vs".split(),
    *"compared register ptx sass machine assembly repetitions trials repeats agree".split(),
    *"nvidia-smi htop profiler memory_".split(),
)
_OFF = (
    *"error deviat discrepan residual differ mismatch agree accurate exact loss perplexity".split(),
    *("off by", "wrong by", "right to"),
)


def errors(text: str) -> list[str]:
    """Return the errors and counts of results that a text gives, which a run alone can tell."""
    low = text.lower()
    return [
        text[slice(*found.span())].strip()
        for words, rule in ((_OFF, ERRORS), (_COUNTED, COUNTS))
        if any(word in low for word in words)
        for found in ready(rule).finditer(low)
    ]


ASKING = Asking([words for words, _ in RULES])


@functools.cache
def ready(rule: str) -> re.Pattern:
    """Return a rule on small letters, which is quicker than to search for both."""
    return re.compile(rule.lower(), re.VERBOSE)


def find(text: str) -> Iterator[str]:
    """Yield the claims of a text, as ``numbers.plain`` returns one."""
    low = text.lower()
    for number in ASKING.rules(low):
        for found in ready(RULES[number][1]).finditer(low):
            yield text[slice(*found.span())].strip()

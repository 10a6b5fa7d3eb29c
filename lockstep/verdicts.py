"""Words for how a run came out: what is faster, what scales, who passed, and where it was tried.

``outcomes`` holds the prose of pages to them, ``shown`` the comments of code that pages show, and
``data`` the words of data files.
"""

import re
from collections.abc import Iterator

from lockstep.asking import Asking
from lockstep.claims import FRACTION
from lockstep.english import SENTENCE, TAG
from lockstep.worked import CARDS

_FASTER = r"(?:faster|slower|quicker)"
_DEGREE = (
    r"(?:noticeably|measurably|clearly|visibly|markedly|significantly|considerably|substantially"
    r"|distinctly|slightly|marginally|hardly|barely|scarcely|somewhat|(?:many|several)\ times"
    r"|an?\ (?:\w+\ )?(?:deal|bit|lot|little|touch|hair|trifle)|much|far|no|not|never|even|any)"
)
_CARD = rf"(?:{CARDS}|T4|M[1-9](?:\ (?:Pro|Max|Ultra))?|Hopper|Blackwell|Ampere|Volta|Turing|Ada)\b"
_TOOL = (
    r"(?:Nsight(?:\ Compute|\ Systems)?|ncu|nsys|(?:the\ )?profiler|ptxas|cuobjdump"
    r"|(?:the\ )?counters?)"
)
_COSTS = r"(?:speed|rate|times?|bandwidth|throughput|latency|performance|run-?time|pace)"
# For each rule the words of which a sentence must have one, in small letters.
RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("faster", "slower", "quicker", "ahead", "behind"),
     rf"\b{_DEGREE}\ (?:{_FASTER}|(?:ahead|behind)\b(?!\ (?:the|an?|it|its|them)\b))\b"),
    (("faster", "slower", "quicker", "fastest", "slowest", "quickest"),
     rf"(?<!\bthat\ )(?<!\bwhich\ )\b(?:is|was|are|were|runs?|ran|gets?|got|becomes?|became"
     rf"|c[ao]mes?"
     rf"|turn(?:s|ed)\ out|proved|stay(?:s|ed))\ (?:out\ )?(?:the\ )?"
     rf"(?:{_FASTER}|fastest|slowest|quickest)\b"),
    (("faster", "slower", "quicker"),
     rf"\b(?:made|makes|making)\b[^.;:]{{0,40}}?\ (?:kernel|version|variant|loop|code|copy"
     rf"|tile|rung"
     rf"|program|scan|sort|sum|reduction|it|them|everything|this|one)\ (?:\w+\ )?{_FASTER}\b"),
    (("difference", "effect"),
     r"\b(?:ma(?:kes?|de)|is|was|saw|see|found|had|has|shows?|showed)"
     r"\ (?:\w+\ )?(?:no|little|any)\ (?:\w+\ )?(?:difference|effect)\b(?!\ between)"),
    (("scale", "scaling"),
     r"\bscale[sd]?\ (?:\w+\ )?(?:perfectly|linearly|well|badly|poorly|as\ it\ should|nicely"
     r"|beautifully|ideally)\b|\b(?:perfect|linear|ideal)\ scaling\b"
     r"|\bscaling\ (?:is|was|stays)\ (?:\w+\ )?(?:perfect|linear|ideal|good|bad|poor)\b"),
    (("order", "rank", "picture", "pattern", "outcome", "winner", "gap"),
     r"\b(?:(?:order|pattern)s?(?:\ of\ (?:the\ |our\ |all\ )?(?:\w+\ )?(?:rungs|kernels|versions"
     r"|variants|times|rates|speeds|figures|results))?|ranking|picture|outcome|winner|gap)s?\b"
     r"(?!\ of)[^.;:]{0,40}?\b(?:is|was|are|were"
     r"|stay(?:s|ed)|remain(?:s|ed)|c[ao]mes?\ out|h[eo]lds?)\ (?:\w+\ )?(?:the\ same|unchanged"
     r"|alike|too)"
     r"(?=\W*$|[.,;:)]|\ (?:on|with|for|at|in|and|here|there|as)\b)"),
    (("depend", "change", "move", "suffer", "drop", "fall", "vary", "constant", "flat"),
     rf"\b(?:the|our|its|this)\ (?:\w+\ )?{_COSTS}\b[^.;:]{{0,30}}?\ (?:(?:does|do"
     rf"|did)(?:\ not|n't)"
     r"\ (?:depend\ on|change|move|suffer|drop|fall|vary)"
     r"|(?:is|was|stay(?:s|ed)|remain(?:s|ed))\ (?:flat|constant))\b"),
    (("nsight", "ncu", "nsys", "profiler", "ptxas", "cuobjdump", "counter"),
     rf"\b{_TOOL}\ (?:then\ |also\ )?(?:shows?|says?|reports?|finds?|sees|counts|gives|showed|said"
     rf"|reported|found|saw)\ (?:no|few|hardly\ any|not|none|zero|nothing|only|many)\b"),
    (("counted", "counts", "said", "says", "showed", "shows", "reported", "measured", "timed",
      "profiled", "clocked"),
     rf"\b(?:as|so|what)\ {_TOOL}\ (?:\w+\ )?(?:count(?:ed|s)|sa(?:id|ys)|show(?:ed|s)"
     rf"|report(?:ed|s)|measure[ds]|timed|sees|saw|found)\b"
     rf"|\b(?:measured|timed|profiled|clocked|counted)\ (?:\w+\ )?on\ (?:an?|our|the|my)\ {_CARD}"),
    (("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
      "twelfth", "twentieth", "hundredth", "thousandth"),
     rf"\b(?:los[et]s?|lost|loses|leaves?|left|brings?|brought|gain(?:s|ed)?|saved|costs?|won"
     rf"|(?:keeps?|kept)(?!\ half)|reach(?:es|ed)|score[sd]?|recover(?:s|ed))\ (?:\w+\ ){{0,2}}?"
     rf"(?:{FRACTION}|another\ (?:half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth"
     rf"|twentieth)|an?\ twentieth|(?:two\ thirds|three\ quarters|\w+\ (?:tenths|eighths|fifths)))"
     r"(?=[.,;:)]|$|\ (?:on|more|to|of\ (?:it|them|that|what|the|its)|and|but|here|there|in"
     r"|with)\b)"),
    ((" hair", "neck and neck", "on a par", "on par", "indistinguishable", "equally", "just as",
      "by far", "hands down", "at all sizes", "at every size", "every time"),
     r"\b(?:within\ a\ hair|neck\ and\ neck|on\ (?:a\ )?par\b|indistinguishable"
     r"|(?:equally|just\ as)\ (?:fast|slow|quick)"
     r"|(?:wins?|won|los(?:es|t)|beats?|leads?|trails?)\ (?:\w+\ )?(?:by\ far|hands\ down|easily"
     r"|clearly|by\ a\ (?:hair|nose|wide\ margin)|(?:at|for|on)\ (?:all|every)\ sizes?"
     r"|every\ time))\b"),
    (("same", "unchanged", "faster", "slower", "quicker", "wins", "won", "loses", "lost", "ahead",
      "behind", "holds", "difference", "order", "ranking", "better", "worse"),
     rf"\b[Oo]n\ (?:an?|the|our|any|every|each|my|some|all)\ (?:NVIDIA\ |AMD\ |Apple\ )?{_CARD}"
     rf"[^.;:]{{0,60}}?\b(?:the\ same(?!\ (?:kernel|code|program|page))|unchanged|{_FASTER}"
     rf"|wins|won|loses|lost|ahead|behind|holds?"
     rf"|no\ difference|better|worse)\b"
     rf"|\b(?:the\ same|unchanged|{_FASTER}|wins|won|loses|lost|ahead|behind|holds?|no\ difference"
     rf"|better|worse)\b[^.;:]{{0,30}}?\ on\ (?:an?|the|our|any|every|each|my|some|all)"
     rf"\ (?:NVIDIA\ |AMD\ |Apple\ )?{_CARD}"),
    (("accurate", "precise"),
     r"\b(?:is|was|are|were|gets?|got|stay(?:s|ed))\ (?:\w+\ )?(?:(?:more|less|as|equally|just\ as"
     r"|most|least)\ (?:accurate|precise))\b"),
    (("memory", "register", "power", "energy", "bandwidth"),
     r"\b(?:uses?|used|needs?|needed|takes?|took|has|had|draws?|drew|gets?|got)\ (?:\w+\ )?(?:less"
     r"|fewer|more|half\ the|twice\ the|the\ same|as\ much|as\ many)\ (?:shared\ )?(?:memory"
     r"|registers|power|energy|bandwidth)\b"  # and no limit: more than it has
     r"(?!\ than\ [^.;]*\b(?:has|have|had|may|fits?|are\ there)\b)"),
    (("best", "fastest", "record"),
     r"\b(?:our|my|the)\ (?:best|fastest|record)\ (?:so\ far|yet|of\ all|until\ now|today)\b"),
    # A run of which the page tells, and where it was.
    (("our lab", "our office", "our cluster", "our test", "our machine room", "our desk",
      "our rack", "our farm", "our bench"),
     r"\b(?:in|at|on)\ our\ (?:lab(?:oratory|s)?|office|cluster|test\ \w+|machine\ room|desks?"
     r"|racks?|farm|bench)\b"),
    (("pass", "surviv", "clear"),
     r"\b(?:passed|survived|cleared|have\ passed|has\ passed)\ (?:\w+\ )?(?:all|every|each)"
     r"\ (?:of\ )?(?:the\ |its\ )?(?:\w+\ )?(?:tests?|checks?|trials?|batter(?:y|ies))\b"
     r"(?!\ (?:of\ (?:the|this|our)\ (?:page|site|suite)|here|below|above))"),
    (("as many", "as few", "as much", "the same number"),
     r"\b(?:exactly|precisely|just)\ (?:as\ (?:many|few|much)|the\ same\ number\ of)\ (?:\w+\ )?"
     r"(?:cycles|clocks|registers|instructions|sectors|slots|stalls|conflicts|time|wavefronts)\b"),
    (("we ran", "we let", "we tried", "we timed", "we profiled", "we looked", "we saw",
      "we compared", "we raced", "i ran", "i let", "i tried", "i timed"),
     r"\b(?:when|as|once|after|where|whenever|until|since|each\ time|every\ time)\ (?:we|I)"
     r"\ (?:ran|let|tried|timed|profiled|compared|raced)\b"
     r"|\b(?:this|that|it|which)\ is\ what\ (?:we|I)\ (?:saw|found|got|measured)\b"),
    (("more", "fewer", "extra", "few"),
     r"\b(?:needs?|takes?|took|needed|costs?|cost|saves?|saved|loses?|lost|wastes?|wasted|gains?)"
     r"\ (?:it\ |us\ )?(?:(?:a\ (?:few|couple\ of|handful\ of)|several|some|many)"
     r"\ (?:more|fewer|extra)\ (?:(?:micro|milli|nano)?seconds|cycles|clocks)|a\ few"
     r"\ (?:micro|milli|nano)?seconds)\b"),
    (("nose", "length", "whisker", "margin", "landslide", "inch"),
     r"\bby\ (?:a|an|two|three|several|many)\ (?:\w+\ )?(?:nose|lengths?|whisker|(?:wide|narrow"
     r"|comfortable|clear|good)\ margin|landslide|inch)\b(?!\ of\b)"),
    (("behind", "ahead"),
     r"\b(?:leaves?|left|leaving)\ (?:[\w`'-]+\ ){1,5}?(?:far|well|a\ long\ way|miles)\ behind\b"
     r"|\b(?:falls?|fell|lags?|lagged)\ (?:far\ |well\ )?behind\ (?:the\ |our\ )?\w+"),
    (("than before", "than the one before"),
     r"\b(?:better|worse|faster|slower|quicker)\ than\ (?:it\ was\ )?(?:before|the\ one"
     r"\ before)\b"),
    (("digit", "decimal place"),
     r"\b(?:same|equal|alike|agree\w*|reach\w*|identical|match\w*)\b[^.;:]{0,40}?\bto\ the"
     r"\ (?:first|second|third|fourth|fifth|last)\ (?:digit|decimal)\b"),
    (("came out first", "came out last", "come out first", "comes out first", "came out on top",
      "comes out on top", "came in first"),
     r"\bc[ao]mes?\ (?:out|in)\ (?:first|last|on\ top)\b(?!\ (?:in|of)\ (?:the\ )?(?:order"
     r"|row|line|queue|list|file|memory))"),
    (("daily", "nightly", "weekly", "every day", "every night", "each night", "around the clock",
      "in production"),
     r"\b(?:run|runs|ran|tested|measured|trained|built|checked|compared|used|served)\ (?:\w+\ )?"
     r"(?:daily|nightly|weekly|every\ (?:day|night|week)|each\ (?:day|night|week)"
     r"|around\ the\ clock|in\ production)\ (?:on|at|by|with|against)\b"),
    (("in front", "on top", "keep up", "puts", "put "),
     r"\bputs?\ (?:ours|it|them|this|that|us|the\ \w+)\ (?:in\ front|ahead|on\ top|far\ ahead)\b"
     r"|\b(?:(?:cu|roc|hip)[A-Z]\w+|CUB|CuPy|PyTorch|NumPy|JAX|Triton|(?:the|their)\ library)"
     r"\ (?:cannot|can't|couldn't|doesn't|does\ not|did\ not|didn't|barely|hardly)\ keeps?\ up\b"),
    (("lunch", "coffee", "weekend", "overnight", "blink", "instant"),
     r"\b(?:until|by|before|over)\ (?:lunch|the\ weekend|dinner|your\ coffee)\b"
     r"|\b(?:in|within)\ (?:a\ blink|an\ instant)\b"),
)  # fmt: skip
ASKING = Asking([words for words, _ in RULES])
# What a comment says of its own code, and no run: an axis that runs fastest, half the memory.
_OF_CODE = frozenset(
    number
    for number, (words, _) in enumerate(RULES)
    if {"memory", "fastest"} & {*words} and "best" not in words
)
_READY = tuple(re.compile(rule, re.VERBOSE | re.IGNORECASE) for _, rule in RULES)
# What is supposed, asked, or said of most GPUs and by somebody else.
HEDGE = re.compile(
    r"(?i)\b(?:if|whether|can|could|would|should|may|might|must|suppose|imagine|probably|likely"
    r"|expect\w*|predict\w*|guess\w*|perhaps|maybe|suspect\w*|seems?|usually|often|mostly|typically"
    r"|in\ general|generally|sometimes|why|how|unless"
    r"|(?:know|learn|see|find\ out|tells?|says?|decide)s?\ (?:\w+\ ){0,2}?when)\b".replace(
        "\\ ", " "
    )
)
_PROVED = re.compile(r"\[\[(?:bench|micro|worked):")


# Who is said to be ahead of a library, where no page has figures: a title, a name, a caption.
LIBRARY = (
    r"(?:(?:cu|roc|hip)[A-Z]\w+|CUB|CUTLASS|NCCL|CuPy|(?:Py)?[Tt]orch|NumPy|SciPy|JAX|Triton|Thrust"
    r"|MAGMA|MKL|TensorRT|FlashAttention|(?:the|a|its|any|every|NVIDIA's|the\ vendor's)\ (?:\w+\ )?"
    r"(?:librar(?:y|ies)(?:'s)?|vendor's|reference|baseline|compiler|copy))"
)
_RIVAL = re.compile(
    r"\b(?:(?:ahead\ of|(?:fast|quick|bett|slow)er\ than|as\ (?:fast|quick|good)\ as"
    r"|beat(?:s|en|ing)?|outperform\w*|outrun\w*|surpass\w*|overtak\w*|leav(?:es|ing)\ behind"
    rf"|(?:w[oi]n(?:s|ning)?|los(?:es|t|ing))\ (?:over|against|to))\ {LIBRARY}"
    rf"|(?:leaves?|left|leaving)\ (?:\w+\ ){{0,2}}?{LIBRARY}\ (?:\w+\ ){{0,2}}?behind"
    rf"|(?:keep(?:s|ing)?|kept)\ (?:up|pace)\ with\ {LIBRARY})\b"
)
# None that could: no supposition, whatever the verb. And whose it is, in Russian, as names are.
_NONE = re.compile(
    r"\b[Nn]o\ (?:other\ )?(?:librar(?:y|ies)|kernels?|compilers?|versions?|rivals?|vendors?)\b"
    r"[^.;:]{0,20}?\ (?:could|can|will)\ (?:\w+\ )?(?:outrun|beat|match|touch|reach|catch|follow|do"
    r"\ better|keep\ up)\b"
    r"|\b(?:[Nn]o|[Nn]one\ of\ the|[Nn]ot\ one)\ (?:other\ )?(?:librar(?:y|ies)|compilers?|rivals?"
    r"|vendors?)\b"
    r"[^.;:]{0,30}?\ (?:outruns?|beats?|match(?:es)?|touch(?:es)?|keeps?\ up|reach(?:es)?"
    r"|surpass(?:es)?"
    r"|does\ better|is\ (?:faster|quicker|ahead)|are\ (?:faster|quicker|ahead))\b"
    r"|\b(?:вдвое|втрое|вчетверо|впятеро|вполовину|\w+кратно|наполовину|у\ нас)\b"
)


def told(sentence: str, without: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yield the first outcome that a sentence tells, if it tells one."""
    rules = ASKING.rules(sentence.lower())
    if not rules or HEDGE.search(sentence):
        return
    said = TAG.sub("", sentence)
    for number in rules if not said.rstrip(' "”)').endswith("?") else ():
        if number not in without and (found := _READY[number].search(said)):
            yield found[0]
            return


def find(text: str, code: bool = False) -> Iterator[str]:
    """Yield the outcomes that words tell outside of a page: a comment, a caption, a name."""
    rival = None if code else _RIVAL.search(text)
    if none := None if code else _NONE.search(text):
        yield none[0]
    if rival and not (_PROVED.search(text) or HEDGE.search(text) or text.rstrip().endswith("?")):
        yield rival[0]
    if ASKING.rules(text.lower()):
        for sentence in SENTENCE.split(text):
            if not _PROVED.search(sentence):
                yield from told(sentence, _OF_CODE if code else frozenset())

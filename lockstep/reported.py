"""Words of what only a run can tell, by who or what is said to have told it.

``verdicts`` knows words for outcomes, ``told`` what a run counts. Here the subject counts, whatever
the verb: a device of which there is no record, a tool that nothing has started, and what somebody
did once. ``accounts`` holds the sentences of a page to that, ``data`` those of data files and front
matter, ``shown`` comments and what sessions print.
"""

import ast
import re
from collections.abc import Iterator

from lockstep import numbers, verdicts
from lockstep.english import SENTENCE
from lockstep.mistakes import walk
from lockstep.worked import CARDS

# ---------------------------------------------------------------- what lets a sentence pass

FIGURE = re.compile(r"\[\[(?:bench|micro|worked):")
LINK = re.compile(r"\]\(https?:")  # to who says so
INNER = re.compile(r"\]\((?!#|\S*glossary/|\S*evidence/index|https?:|\S+\.(?:txt|html|log))")
# Of what is not, or not yet.
UNTRIED = re.compile(
    r"(?i)\b(?:we|I|ours?|nobody|nothing|no)\ (?:\w+\ ){0,3}?(?:not|never|no|nothing|none|neither"
    r"|yet)\b|\b(?:not|without)\ (?:yet\ |putting\ it\ )?(?:on\ record|run|tried|measured"
    r"|tested)\b|\bnot\ yet\b"
    r"|\bwas\ not\ run\b|\bhas\ not\ run\b|\bhave\ not\ run\b"
)


def free(said: str) -> bool:
    """Whether a sentence supposes, asks or says that it was not tried."""
    return bool(
        verdicts.HEDGE.search(said) or UNTRIED.search(said) or said.rstrip(' *_"”)').endswith("?")
    )


# ---------------------------------------------------------------- devices without a record

_CARD = (
    rf"(?!L[12]\b|V\d\b)(?:{CARDS})[SX]?(?:\ ?\d{{3,4}}\w*)?|[PK]\d0{{1,2}}|Quadro|T4"
    r"|M[1-9](?:\ (?:Pro|Max|Ultra))?(?![-\w]|\ ?[=<>×])|G[BH]\d{3}|GTX(?:\ \d+)?|Radeon(?:\ \w+)?"
    r"|Instinct|Jetson\w*|DGX|Hopper|Blackwell|Ampere|Volta|Turing|Ada(?:\ Lovelace)?|Pascal"
    r"|Kepler|Maxwell|Rubin|[CR]DNA(?:\ \d)?"
)
_MAKER = r"(?:AMD|Intel|Apple(?:\ silicon)?|TPUs?|Gaudi|Trainium|Arc|Qualcomm|Adreno|Mali)"
_KIND = r"(?:laptop|phone|desktop|workstation|notebook|MacBook|Mac|console|tablet)"
DEVICE = re.compile(
    rf"\b(?=[A-Z])(?<!without\ a\ )(?<!without\ an\ )(?:{_CARD})(?:s\b|\b)"
    r"|\b(?:an?|the|my|our|one)\ [2345]0[5-9]0(?:\ Ti)?\b"
    rf"|\b(?:[Oo]n|[Ww]ith|[Uu]nder|[Ff]or)\ (?:an?\ |the\ |our\ |my\ )?"
    rf"(?:\w+\ )?{_MAKER}\b(?!'s?\b)"
    rf"|\b[Oo]n\ (?:an?|my|our|the|any|every)\ (?:\w+\ )?{_KIND}\b"
    r"|\b[Oo]n\ (?:every|any|all|both)\ (?:of\ (?:the|our|these)\ |our\ )?(?:\w+\ )?cards?\b"
    r"|\b[Oo]n\ (?:our\ |my\ )?(?:other|second|older|newer|smaller|bigger)\ cards?\b"
    r"|\b[Oo]n\ our\ other\ (?:cards?|GPUs?|machines?)\b"
)
PLACED = re.compile(
    r"^(?:[Oo]n|[Ww]ith|[Uu]nder|[Ff]or)\ (?:an?\ |the\ |our\ |my\ |any\ |every\ )?"
)
# What a sentence says of a race: who is in it, and how it stands.
RACE = re.compile(
    r"(?i)\b(?:our\ (?!tables?|hypothes|machines?|cards?|GPUs?|pages?|glossary|lists?|sources?)"
    r"|needs?\ (?:more|less|fewer|twice|half|longer|a\ few|only)\b(?!\ than)|takes\ (?:longer"
    r"|more|less"
    r"|twice|half|only)|leaves?\ (?:[\w`-]+\ ){1,4}?behind|gains?|beats?|saturates?|unchanged"
    r"|no\ difference|drew|bound\ by|keeps?\ up"
    r"|ours|we|us|rungs?|ladder|rank(?:ing|ed)|lead|leads|winners?|wins?|won|los(?:es|t)|verdict"
    r"|prefers?|likes|favou?rs?|rewards?|punish\w*|forgives?|faster|slower|quicker|fastest"
    r"|slowest|quickest|as\ (?:fast|slow|quick|above|here)|on\ par|par|level\ with|overtak\w+"
    r"|(?:is|are|was|stays?|falls?|far|well|further|comes?)\ (?:ahead|behind)(?!\ the\b)"
    r"|(?:a|the)\ (?:copy|library|peak)'s\ (?:rate|speed|pace|time)|order(?=\ (?:of\ (?:the"
    r"|our|all|these)|is|holds|stays|there)\b|\W*$|[;,.])"
    r"|(?<!all\ the\ )same(?=\W*$|[.,;:)]|\ (?:there|here|as|on|with|order|picture)\b(?!-))|alike"
    r"|no\ different|(?:an?other|different)\ (?:story|picture|matter)|halves\ (?:it|that|this"
    r"|the\ \w+)"
    r"|doubles\ (?:it|that|this|the\ \w+)"
    r"|(?:the|a|our|this|that)\ (?:\w+\ )?(?:run|trial|log)\b(?!\ on\b.*\bneeds)"
    r"|kernel\ (?:of\ \w+\ )?(?:keeps|holds|gets|reach\w*|needs\ (?:more|less|twice|half)|takes"
    r"|moves"
    r"|is\ (?:bound|limited)|runs\ (?:at|in)|stays|gains?|drops))\b"
)


# ---------------------------------------------------------------- tools that did not run

_NAMED = r"(?<![\w./-])(?:{})(?![\w/-])"
# A family of tools, and how a page's code, its outputs and the records of its figures name it.
TOOLS = tuple(
    (re.compile(_NAMED.format(said)), re.compile(shown, re.IGNORECASE))
    for said, shown in (
        (r"Nsight\ Systems|nsys|(?:[Tt]he|[Aa]|[Oo]ur)\ (?:GPU's\ )?(?:timeline|trace)",
         r"nsys|nsight systems|profil|trace"),
        (r"Nsight(?:\ Compute)?|ncu|nvprof|profilers?|(?:hardware\ |performance\ )counters?",
         r"\bncu\b|nsight compute|profil|counter"),
        (r"compute-sanitizer|[Cc]ompute\ Sanitizer|sanitizers?|(?:[Mm]em|[Rr]ace|[Ii]nit"
        r"|[Ss]ync)check"
         r"|[Vv]algrind",
         r"sanitizer|memcheck|racecheck"),
        (r"ptxas|nvdisasm|cuobjdump|[Tt]he\ disassembl(?:y|er)",
         r"ptxas|nvdisasm|cuobjdump|machine code|sass|cubin"),
        (r"(?:the\ |a\ )(?:power\ meter|watt\ meter|stopwatch|wall\ clock)",
         r"nvml|power|watt|clock|time"),
    )
)  # fmt: skip
# It says something: "shows", "is content with", "calls", "had nothing to say".
SAYS = re.compile(
    r"`?(?:'s\ [\w-]+(?:\ [\w-]+)?)?(?:\ (?:\w+ly|then|also|now|still|never|always|only"
    r"|itself))?\ "
    r"(?:(?!is\ an?\ |has\ an?\ |is\ the\ |as\b|this\b|us\b|its\b|process\b)[a-z]+s|[a-z]+ed|saw"
    r"|said|found|gave|told|read"
    r"|had|was|did|came|made|drew|put|kept|took|bore|agree|show|say|tell|find|see|report|count"
    r"|have"
    r"|were|confirm|give)\b(?!\ (?:like|on\ which|that\ (?:hold"
    r"|need)))"
)
BY = re.compile(
    r"(?:\b(?:by|from|per|under|[Aa]ccording\ to)\ (?:the\ |a\ |our\ |its\ )?"
    r"|\b(?:so|as)\ sa(?:ys|id)\ (?:the\ )?)[*_`]*$"
)
RESULT = re.compile(
    r"(?i)\b(?:clean|quiet|silent|content|happy|satisfied|fine|pass(?:es|ed)?"
    r"|no\ (?:\w+\ )?(?:gaps?"
    r"|hazards?|errors?|races?|conflicts?|stalls?|spills?|findings?|complaints?|warnings?|leaks?)"
    r"|nothing|none|zero|without\ (?:a|one|any)|not\ (?:one|a\ single)|agrees?|confirm\w*"
    r"|the\ same"
    r"|touch|back\ to\ back|full|idle|busy|bound|flat|as\ expected)\b"
)
HOW_TO = re.compile(
    r"^\W*(?:To|Use|Run|Press|Call|Choose|Find|Take|Look|Open|Start|Ask|Compile|Read|Try|Watch|Put"
    r"|See|Let|Compare|Check|Give|Add|Write|Set|Turn|Leave|Go|Profile|Count|Measure)\b"
)


# ---------------------------------------------------------------- what somebody did once

_AUX = r"(?:\ (?:have|had|has|also|then|once|only|even|just|again|already|all|both|\w+ly))*"
_DID = (
    r"(?:(?!need|feed|speed|exceed|proceed|succeed|compiled|suspected|supposed|expected|wanted"
    r"|hoped|assumed|decided|promised|called)\w+ed|ran|run|let|saw|seen|got|gotten"
    r"|found|took|taken|gave|given|went|gone|came|put|kept|lost|won|built|held|left|set|cut"
    r"|drew|fed|had(?!\ (?:expected|hoped|thought|wanted|supposed))|did)"
)
# Who did it, at the head of a sentence or a clause: "the best we reached" is none.
_HEAD = (
    r"(?:^|(?<=[,;:(]\ )|(?<=[.!?]\ )|(?<=\()|\b(?:and|but|so|then|when|once|as|because|since"
    r"|after|before|while"
    r"|until|night|week|month|year|day|time|ago|later|too|here|there|now|often)\ )[*_\W]*"
)
WHO = (
    r"(?:[Ww]e|I|(?:[Oo]ne|[Tt]wo|[Ss]ome)\ of\ us"
    r"|(?:[Aa]|[Oo]ur|[Tt]wo)\ (?:\w+\ )?(?:colleague|reader|friend|student|reviewer"
    r"|maintainer)s?)\b"
    rf"{_AUX}\ {_DID}\b(?!\ (?:only|\w+\ (?:\w+\ )?only)\b)"
    r"|\b[Nn]obody\ (?:could|noticed|heard|told)\b"
)
WE = re.compile(rf"(?i:{_HEAD}){WHO}")
# What was done, without a word of what came of it: "we compared each call with the headers". Of
# these verbs each runs something, or tells what came of that; a clause with a subject of its own
# does so, and a condition ("when we gave it that, it ended").
_TELLS = re.compile(
    r"(?:saw|seen|found|got|gotten|had|did|lost|won|ran|run|let|cut|went|gone|came|gave|held|left"
    r"|kept"
    r"|(?:gain|reach|sav|notic|observ|watch|need|halv|doubl|remov|avoid|reduc|improv|lower|rais"
    r"|match|test|tri|repeat|verifi|confirm|search|swapp|switch|turn|replac|stopp|fix|cur"
    r"|profil|launch|rerun|rebuil)\w*)\b"
)
_OWN_CLAUSE = re.compile(
    r"(?:[,;:]\ (?:(?:and|but|so|yet)\ )?|\b(?:and|but|so)\ )(?:which|it|its|they|their|that|this"
    r"|the|an?|not|nobody|nothing|none|no|all|every\w*|each|both|\d+)\ [^,;:]*?"
    r"\b(?:is|are|was|were|has|have|had|\w{2,}ed|\w{3,}s|went|came|fell|ran|hung|fit|lay|did|got"
    r"|took|gave|lost|won|stood|rose|drift|agree|hold|stay|wait)\b"
)


def tells(sentence: str, found: re.Match) -> bool:
    """Whether a sentence on what somebody did says that it ran, or what came of it."""
    verb = found[0].split()[-1]
    behind = sentence[found.end() :]
    clauses = re.split(r",\ (?:and\ |then\ )?|\ and\ (?:then\ )?", behind)[1:]
    return bool(
        _TELLS.match(verb)
        or re.match(
            r"(?i)(?:when|once|after|until|before|as|since|because)\b", found[0].lstrip(' *_"')
        )
        or any(_TELLS.match(clause) for clause in clauses)
        or _OWN_CLAUSE.search(behind)
        or RESULT.search(behind)
    )


# How something that ran came out, in the past, whoever says so.
CAME = re.compile(
    r"(?i)\b(?:it|this|that|they|which)\ (?:then\ |also\ |indeed\ )?(?:came\ (?:out\ (?:so|right"
    r"|that\ way|as)|true)|turned\ out\ so"
    r"|was\ so|was\ borne\ out|took\ that\ (?:way|branch|path)|did\ just\ that|proved\ (?:right"
    r"|true))\b"
    r"|\b(?:bore|borne)\ (?:it|this|that|them|us)?\ ?out\b|\btook\ that\ (?:way|branch|path)\b"
    r"|\b(?:came|turned)\ out\ (?:wrong|right|equal|the\ same|alike|identical|clean|correct)\b"
    r"|\b(?:bought|gained|saved|cost|earned|brought|gave|taught)\ us\b|\bgot\ (?:us\ )?rid\ of\b"
    r"|\btell\ the\ (?:two|three|four)\ apart\b|\b(?:lost|gained|saved|won"
    r"|changed)\ (?:us\ )?(?:next\ to\ |hardly\ |almost\ )?(?:nothing|anything)\b"
    r"|\b(?:took|takes)\ (?:\w+\ )?(?:evenings|nights|days|weeks|weekends|attempts|tries)\b"
    r"|\bovernight\b|\bfor\ (?:hours|days|weeks|nights)\b"
)
# How a race stands, in the present, in words that no list of verdicts has: where something lands
# among what was measured, what a change leaves the time at, and data that do as other data.
LANDS = re.compile(
    r"(?i)\b(?:lands?|falls?|ends?\ up|comes?\ in|ranks?)\ (?:\w+\ )?(?:between|among"
    r"|beside)\ (?:their|its|the)\ (?:\w+\ )?(?:neighbou?rs?|others|rest|rivals?)\b"
    r"|\bleaves?\ the\ (?:\w+\ )?(?:time|rate|speed|bandwidth|throughput)s?\ (?:where|as|what"
    r"|alone|untouched|unchanged|unmoved)\b"
    r"|\bthe\ (?:time|rate|speed|bandwidth|throughput)s?\ (?:stays?|remains?)\ (?:put|where|as|what"
    r"|the\ same|unchanged)\b"
    r"|\b(?:behaves?|fares?|does|do)\ (?:\w+\ )?(?:like|as)\ the\ (?:\w+\ )?(?:values|data|numbers"
    r"|inputs?|arrays?|keys|images?|rows|ones)\b"
    r"|\b(?:launch|run|trace|timeline|profile)\ (?:that\ |which\ )?we\ (?:have\ )?(?:traced"
    r"|recorded"
    r"|profiled|timed|watched|captured)\b"
)
RACED = re.compile(
    r"(?i)\b(?:kernel|version|rung|loop|tile|variant|port|build|binary|scan|sum|reduction"
    r"|transpose|histogram|shuffles?"
    r"|launch(?:es)?)\ (?:(?:in|on|with|by|without|for|from|of)\ (?:[\w-]+\ ){1,3}?)?(?:then\ "
    r"|also\ |only\ |still\ )?"
    r"(?:took|lost|won|gained|saved|needed|got|fell|rose|dropped|survived|beat|trailed|matched"
    r"|agreed|slowed|suffered)\b(?!\ (?:by|on|turns)\b)"
)


# ---------------------------------------------------------------- places without a record

# A system, a service or a kind of device, and what the name of a record's device has if it is one.
_ADVERB = r"(?:\ (?:then|also|now|still|each|all|both|only|even|once|too|\w+ly))*"
_HOME = (
    r"(?:under|on|in|beside)\ (?:the|my|a|our)\ (?:\w+\ )?(?:desk|closet|basement|office|home"
    r"|shelf)"
)
_SORT = (
    r"(?:gaming|consumer|desktop|notebook|borrowed|newer|older|smaller|cheaper|bigger|second|spare)"
)
PLATFORM = (
    r"(?:(?:Google\ )?Colab|Kaggle|WSL(?:\ ?2)?|Windows(?:\ 1[01])?|macOS|iOS|Android"
    r"|ChromeOS|FreeBSD"
    r"|(?:MacBook|Mac|iMac|iPhone|iPad|Chromebook|laptop|phone|tablet|workstation|console|netbook"
    r"|desktop)s?(?:\ (?:Pro|Air|mini|Studio))?(?!-)"
    r"|TPUs?(?:\ ?v\d\w?)?|v\d[ep]?(?=\ (?:slices?|pods?|chips?|hosts?)\b)|Trillium|Ironwood"
    r"|Trainium\d?|Inferentia\d?|Gaudi(?:\ ?\d)?|Jetson\w*|Raspberry\ Pi"
    rf"|{_SORT}\ (?:cards?|GPUs?)|(?:cards?|GPUs?|machines?|computers?)\ {_HOME}"
    r"|(?:[Ee]very|[Aa]ny|[Aa]ll|[Ee]ither|[Bb]oth)\ (?:other\ |of\ (?:the|our"
    r"|these)\ )?(?:\w+\ )?cards?"
    r"|(?:[Tt]wo|[Tt]hree|[Oo]ther|[Aa]ll)\ (?:of\ )?(?:our\ )?(?:other\ )?cards)"
)
_OF_PLATFORM = {"Linux": "Linux", "mac": "Apple", "Mac": "Apple"}
_DOES = (
    r"(?:ran|agree[sd]?|came\ (?:out|back|through)|went\ through|passe[sd]|returned|printed"
    r"|finished"
    r"|confirm(?:s|ed)|reproduce[sd]|gave|did\ (?:so|it|this|that|the\ same|as)|took|worked"
    r"|has\ run"
    r"|have\ run|said|behave[sd]|match(?:es|ed)|repeat(?:s|ed)|managed|does\ (?:so|the\ same"
    r"|as\ well)"
    r"|needed|saw|reache[sd]|beats?|gives\ (?:it|them|these|those|that|the\ same))"
)
_THING = (
    r"(?:(?:[Tt]his|[Oo]ur|[Tt]he|[Tt]hese|[Aa]ll|[Ss]ame|[Ee]ach|[Ee]very"
    r"|its)\ (?:\w+\ ){0,3}?(?:site"
    r"|lessons?|pages?|kernels?|examples?|blocks?|notebooks?|rows|pairs?|tests?|labs?"
    r"|programs?|suite"
    r"|puzzles?|exercises?|scripts?|code|loop)|[Oo]urs|[Ii]t|[Tt]hey|[Bb]oth|[Ee]verything"
    r"|[Aa]ll|[Pp]hase\ \d)"
)
_SITE = (
    r"(?:[Tt]his\ (?:site|page|lesson)|[Tt]he\ (?:lessons|pages|notebooks"
    r"|kernels)(?:\ of\ this\ (?:site"
    r"|page))?|(?:[Oo]ur|[Aa]ll|[Ee]ach|[Ee]very)\ (?:\w+\ ){0,2}?(?:lessons?|pages?|kernels?"
    r"|examples?"
    r"|blocks?|notebooks?|labs?)|[Ee]verything\ (?:here|on\ this\ (?:site|page)))"
)
_AT = r"\b(?:on|under|in|through|inside|with|via|across|over)\ (?:[\w-]+\ ){0,3}?"
_THERE = (
    r"(?:\ (?:we|I)\ (?:have|own|use|borrowed|rented)|\ (?:slices?|pods?|chips?|hosts?|GPUs?))?"
)
# A gaming card agrees; the rows through a v5e slice came back; this site runs on Colab.
ELSEWHERE = re.compile(
    rf"(?<![\w.])(?P<a>{PLATFORM}){_THERE}(?:\ {_HOME})?{_ADVERB}\ {_DOES}\b"
    rf"|{_THING}\b[^.;:?]{{0,60}}?\b{_DOES}\b[^.;:?]{{0,40}}?{_AT}(?P<b>{PLATFORM})(?!\w)"
    rf"|{_THING}\b[^.;:?]{{0,40}}?{_AT}(?P<c>{PLATFORM}){_THERE}\ {_DOES}\b"
    rf"|{_SITE}{_ADVERB}\ (?:runs?|works?|passe?s?|agrees?|goe?s?\ through)\b[^.;:?]{{0,30}}?{_AT}"
    rf"(?P<d>{PLATFORM})(?!\w)"
)
# What ran, and the words do not say where. A page with a record of a run may say "here".
HERE = re.compile(
    r"\bran\ (?:here|(?:here\ )?(?:as\ (?:it\ is|they\ are|is)|unchanged))\b"
    r"|\b(?:went|came)\ through(?:\W*$|[.,;]|\ (?:here|at\ once|unchanged|fine|without)\b)"
)
_THEM = r"(?:it|both|them|that\ one|these|those|each|all\ (?:three|four|of\ them))"
THERE = re.compile(rf"\b(?:ran|went\ through|came\ through|passed|worked)\ (?:\w+\ )?on\ {_THEM}\b")
# What one has tried, or another version of what it ran under, and no figure in the same sentence.
_RELEASES = ("release", "version", "update", "upgrade", "generation")
_LATER = ("later", "ago", "earlier")
_MADE = ("driver", "compiler", "toolkit")
_OTHER = ("last", "next", "previous", "newer", "older", "other", "newest", "two", "three", "every")
# Each with what stands in a text, in small letters, if it can find something.
TRIED = (
    (
        ("tried", "tested", "checked", "repeated"),
        re.compile(
            r"\b(?:[Ww]e|I)\ (?:have\ |had\ |also\ |once\ |only\ )*(?:tried|tested|checked"
            r"|repeated)\b"
            r"[^.;:?]{0,60}?(?:[,;]|\b(?:and|but|so))\ (?:so\ )?(?:it|that|this|they|which"
            r"|the\ \w+)"
            r"\ (?:\w+\ )?(?:came|was|were|did|turned|held|stayed|ran|lost|won|agreed|took"
            r"|gave|fell"
            r"|rose|worked)\b"
        ),
    ),
    (
        tuple(f"{one}{s} {then}" for one in _RELEASES for s in ("", "s") for then in _LATER),
        re.compile(
            r"\b(?i:driver|compiler|toolkit|CUDA|Numba|CuPy|PyTorch|Triton|firmware)s?(?:'s)?"
            r"\ (?:releases?|versions?|updates?|upgrades?|generations?)\ (?:later|ago|earlier"
            r")\b"
        ),
    ),
    (
        tuple(f"{one} {made}" for one in _OTHER for made in _MADE),
        re.compile(
            r"\b(?i:with|under|on|by|from)\ (?:the\ )?(?:last|next|previous|newer|older|other"
            r"|newest|two"
            r"|three|every)\ (?:drivers?|compilers?|toolkits?)\b[^.;:?]{0,60}?\b(?:was|were|came"
            r"|stayed|did|lost|won|gave|took|fell|rose|gained|agreed|ran)\b"
        ),
    ),
    (
        ("where it had", "where they had", "where it has", "where it always", "where it ever"),
        re.compile(
            r"\b(?:is|was|were|are|stays?|stayed|stood|came\ out)\ (?:still\ |just\ "
            r"|exactly\ )?where"
            r"\ (?:it|they)\ (?:had\ been|has\ been|always\ was|ever\ was)\b"
        ),
    ),
    (
        ("what the ", "what our ", "what its ", "what that ", "as much as ", "as long as "),
        re.compile(
            r"\b(?:saves?|saved|gains?|gained|costs?|loses?|lost|brings?|brought|takes?|took"
            r"|holds?|is"
            r"|was)\ (?:just\ |about\ |nearly\ |almost\ |exactly\ |only\ )*(?:what|as\ much\ as"
            r"|as\ long\ as)\ (?:the|our|its|that|this)\ [\w ]{1,30}?\ (?:promise[sd]?"
            r"|predict(?:s|ed)|said|suggest(?:s|ed)|let\ us)\b"
        ),
    ),
    (
        ("our record", "the record", "on record"),
        re.compile(
            r"\b(?:stands?|is|are|lies?|kept|stood)\ (?:\w+\ )?(?:in|among)\ (?:our"
            r"|the)\ records?\b"
            r"|\b(?:is|are|was|were)\ (?:all\ |both\ |now\ )?on\ record\b(?!\ as\b)"
        ),
    ),
)
TRIES = tuple(rule for _, rule in TRIED)


def elsewhere(sentence: str, known: str = "") -> str | None:
    """Return the place that something is said to have run at, and that no record is of.

    ``known``: the names of the devices that have a record.
    """
    for found in ELSEWHERE.finditer(sentence):
        name = next(filter(None, found.groups()))
        record = next((of for word, of in _OF_PLATFORM.items() if word in name), name)
        start = max(sentence.rfind(sign, 0, found.start()) for sign in ";:(") + 1
        clause = re.split(r"[;:)]", sentence[start:], maxsplit=1)[0]
        if record not in known and not free(clause):
            return name
    return None


# ---------------------------------------------------------------- words outside of pages

_OWN_CARD = re.compile(
    r"\b(?:on|with|by)\ our\ (?:own\ )?(?:\w+\ )?(?:card|GPU|machine|hardware|H\d00|device)s?\b"
    r"|\b[Ww]e\ (?:reach|get|see|measure|manage|lose|gain|need|move)\b"
)
CARD_DID = re.compile(
    r"\b(?:[A-Z]{1,2}\d{2,3}\w*|card|GPU|machine|device)\ (?:\w+ly\ |then\ |also\ )?(?:took|lost"
    r"|won|gained|saved"
    r"|needed|got|gave|ran|moved|chose|preferred|finished|kept|came|went)\b"
)


_HERE = re.compile(r"(?:H[12]00|Hopper)s?")  # of which code says what it is for


def told(text: str, code: bool = False) -> Iterator[str]:
    """Yield what words outside of a page tell of a run: a note, a caption, a comment, a reason.

    ``code``: they stand beside code, which may say what it does with a card.
    """
    if not _ANYWHERE.search(text):
        return
    for sentence in SENTENCE.split(text):
        if FIGURE.search(sentence) or LINK.search(sentence) or UNTRIED.search(sentence):
            continue
        if place := elsewhere(sentence):
            yield place
            continue
        if sentence.rstrip().endswith((":", "?")) or numbers.PLACE.match(sentence):
            continue
        device, hedged = DEVICE.search(sentence), verdicts.HEDGE.search(sentence)
        here = code and device and _HERE.fullmatch(PLACED.sub("", device[0]))
        if device and not here and not hedged and RACE.search(sentence):
            yield device[0]
        elif found := _report(sentence, _CODED if code else _OURS, bool(hedged)):
            yield found
        elif not hedged and (found := heard(sentence, code)):
            yield found


def ours(text: str) -> Iterator[str]:
    """Yield what the words of an entry with a source tell of runs of our own."""
    if _ANYWHERE.search(text):
        for sentence in SENTENCE.split(text):
            if FIGURE.search(sentence) or UNTRIED.search(sentence):
                continue
            if found := _report(sentence, (WE, _OWN_CARD, CARD_DID, *TRIES, HERE, THERE), False):
                yield found
            elif place := elsewhere(sentence):
                yield place


def _report(sentence: str, rules: tuple[re.Pattern, ...], hedged: bool) -> str | None:
    for rule in rules:
        if (found := rule.search(sentence)) and not (hedged and rule is not WE):
            return found[0].strip()
    return None


# compute-sanitizer: 0 errors. racecheck (clean).
_VERDICT = re.compile(
    r"(?i)`?(?:\ (?:is|was|stays?|stayed)|\s?[:=(,→-]|\ —)\s?(?:\w+\ ){0,2}?(?:0|no|zero"
    r"|without)\ (?:\w+\ )?"
    r"(?:errors?|hazards?|races?|warnings?|leaks?|findings?|conflicts?|spills?|stalls?)\b"
    r"|`?(?:\ (?:is|was|stays?|stayed)|\s?[:=(→-])\s?(?:\w+\ )?(?:clean|ok|okay|passed|silent"
    r"|green|✓|quiet)"
    r"(?!\w)"
)


def heard(sentence: str, code: bool) -> str | None:
    """Return the tool that is said to say something: in code, also who gave a number."""
    for tool, _ in TOOLS[:4]:
        found = tool.search(sentence)
        if not found or HOW_TO.match(sentence):
            continue
        behind = sentence[found.end() :]
        by = code and re.search(
            r"(?i)(?:^|[,;(]\ ?)(?:as\ (?:\w+\ )?)?(?:by|from|per)\ (?:the\ )?$",
            sentence[: found.start()],
        )
        if by or (SAYS.match(behind) and RESULT.search(behind)) or _VERDICT.match(behind):
            return found[0]
    return None


def printed(want: str, tree: ast.AST) -> str | None:
    """Return the name of a tool or a device that a session prints, and that its line has typed."""
    names = {found[0] for tool, _ in TOOLS[:4] for found in tool.finditer(want)}
    names |= {PLACED.sub("", found[0]) for found in DEVICE.finditer(want)}
    if names:
        for node in walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if name := next((n for n in sorted(names) if n in node.value), None):
                    return name
    return None


_CODED = (WE, CAME, RACED, *TRIES)
_OURS = (WE, CAME, RACED, _OWN_CARD, CARD_DID, *TRIES, HERE, THERE)
_ANYWHERE = re.compile(
    rf"{DEVICE.pattern}|\b{WHO}|{CAME.pattern.removeprefix('(?i)')}"
    rf"|{RACED.pattern.removeprefix('(?i)')}"
    rf"|{_OWN_CARD.pattern}|{CARD_DID.pattern}|{'|'.join(t.pattern for t, _ in TOOLS[:4])}"
    rf"|{'|'.join(rule.pattern for rule in TRIES)}|{HERE.pattern}|{THERE.pattern}|{PLATFORM}"
)

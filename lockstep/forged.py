"""Texts that read like a stamp, a proof or the end of a test, which a run alone can give."""

import re

from lockstep import numbers
from lockstep.asking import Asking
from lockstep.worked import CARDS

# Prose that reads like a stamp or a proof, which the core alone writes.
_PLACE = (
    rf"(?:{CARDS}|T4|NVIDIA|AMD|Apple|[GC]PUs?|simulator|hardware"
    r"|machines?|every\ (?:push|commit|build|run))\b"
)
_CHIP = (
    rf"\b(?:(?:{CARDS}|T4|G[BH]\d{{3}}|[DH]GX)(?:\ \d{{4}}\w*)?|Hopper|Blackwell|Ampere"
    r"|CPU|simulator)\b"
)
_CARD = rf"\b(?:(?:{CARDS}|T4)\b|(?:Hopper|Blackwell|Ampere|NVIDIA|AMD)\b)"
_MANY = r"(?:(?:all|both|our|two|four|eight|\d+)\ ){1,3}(?:\w+\ )?GPUs?\b"
_WHEN = (
    r"(?:(?:last|this)\ (?:week|month|year|night|morning|spring|summer|autumn|fall)"
    r"|yesterday|today|recently|(?:in|on|since)\ (?:\w+\ )?20\d\d|on\ \w+day|twice"
    r"|three\ times|by\ hand"
    r"|without\ (?:an?\ |any\ )?(?:error|failure|problem|warning|change)s?|and\ (?:it\ )?"
    r"(?:pass(?:es|ed)|works?|worked|agrees?|agreed|match(?:es|ed)?))\b"
)
_DAY = (
    r"(?:(?:the\ )?\d{1,2}(?:st|nd|rd|th)?\ (?:of\ )?)?"
    r"(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|20\d\d)"
)
# That somebody or something, whoever it is, has run what is here: in any order of the words.
_PAST = (
    r"(?:(?:re-?)?(?:ran|run|executed|tested|verified|checked|validated|confirmed|certified|tried"
    r"|proved|proven|exercised|built)|reproduced|repeated|replayed|vetted|signed\ off)"
)
_SOMEBODY = (
    r"(?:maintainers?|authors?|reviewers?|colleagues?|readers?|contributors?|engineers?|editors?"
    r"|students?|teams?|bots?|robots?|runners?|servers?|pipelines?|nightly\ \w+|workflows?"
    r"|suites?|somebody|someone|others|everyone|everybody|people|friends?|volunteers?"
    r"|we|I|CI|continuous\ integration|GitHub\ Actions)"
)
_CHECKER = r"(?:CI|continuous\ integration|nightly\ (?:job|build|run)s?|GitHub\ Actions|our\ bot)"
_OURS = (
    r"(?:pages?|lessons?|chapters?|blocks?|code|listings?|examples?|sessions?|snippets?|programs?"
    r"|scripts?|kernels?|outputs?|results?|it|they|this|these|those|everything|above|here)"
)
_SYSTEM = (
    r"(?:(?:CUDA|driver|Numba|CuPy|NumPy|PyTorch|Triton|Python|ROCm|macOS|Ubuntu|Debian)"
    r"\ (?:version\ )?\d"
    r"|(?:Windows|Linux|macOS|WSL|Colab|Kaggle)\b)"
)
_WHERE = (
    rf"(?:{_CHIP}|{_MANY}|\b(?:real|actual|physical)\ (?:\w+\ )?(?:hardware|GPUs?|cards?|machines?)"
    rf"|\b{_CHECKER}|\b(?:a|our|the|two|several|many)\ (?:\w+\ )?"
    r"(?:maintainers?|authors?|reviewers?|colleagues?|contributors?|engineers?|editors?)\b)"
)
_DONE = r"(?:match(?:es|ed)?|pass(?:es|ed)?|agreed?|succeed(?:s|ed)?|held|came\ out\ right)"
_WELL = (
    r"(?:(?:all\ )?(?:green|ok|okay|clean|fine|good|well)|pass(?:es|ed|ing)?|success\w*|succeeded"
    r"|verified|works|worked|match(?:es|ed)?)"
)
# The cells of a row: a device, and how it went there.
_CELL = rf"(?:(?:\d+|all)\ ?(?:of|/)\ ?\d+(?:\ \w+)?|{_WELL}|✓|✔|☑|✅)"
ROW = re.compile(
    rf"(?=(?:.*\|)?\ (?:an?\ |the\ |NVIDIA\ |AMD\ )*{_CHIP}(?:\ \w+)?\ \|)(?:.*\|)?\ {_CELL}\ \|",
    re.IGNORECASE,
)
STAMP = re.compile(
    rf"""^\W*(?:(?:(?:web)?gpu|cpu|simulator|compiled|read|shown|awaiting|proof|stamp|status|level)\b\W*)?
      (?:ran|proved|proven|verified|tested|executed|measured|checked|passed|recorded|validated
        |certified|confirmed|benchmarked|compiled)\b
      (?:\ \w+){{0,3}}?\ (?:on|with|by|in)\b(?:\ \S+){{0,3}}?\ {_PLACE}
  | \b(?:every|all|each)(?:\ of)?(?:\ the)?(?:\ \w+)?\ (?:block|example|listing|line|kernel)s?
      (?:\ of\ code)?\ (?:of|on|in)\ this\ (?:page|lesson|section|chapter)\b[^.]{{0,20}}?
      \b(?:ran|passed|was|were|has|have)\b
  | \b(?:proved|proven|verified|certified)\ (?:on|by|with)\b(?:\ \S+){{0,2}}?\ {_PLACE}
  | \b(?:code|blocks?|examples?|listings?|page|lesson)\b[^.;:]{{0,25}}?\ (?:been|was|were|are|is)
      \ (?:executed|run|tested|verified|proved|proven|checked)\ (?:on|by|with)
      \ (?:\w+\ ){{0,3}}?{_PLACE}
  | \b(?:we|I)\ (?:have\ )?(?:ran|run|tested|executed|verified)\ (?:each|every|all)\b[^.;:]{{0,20}}?
      \b(?:block|example|listing)
  | [·|]\ (?:passed|proved|verified)\b
  | \b(?:all|\d+|\d+\ (?:of|/)\ \d+)\ (?:\d+\ )?(?:tests|checks|cases)\ (?:pass(?:ed)?|ok)\b
  | \b\d+\ (?:tests|checks|cases)\b\W{{1,3}}(?:0|no|zero)\ (?:failures|errors|failed)\b
  | \b(?:every|each)\ (?:commit|push|build|pull\ request|night)\b[^.;:]{{0,25}}?
      \ (?:tested|run|checked|verified)\ on\ (?:\w+\ ){{0,3}}?{_PLACE}
  | ^\W*(?:works|worked|reproduced|confirmed(?:\ working)?,?|(?:runs|ran)\ (?:fine|green|clean\w*)
        |executed|no\ (?:failures?|errors?))\b
      [^.;:]{{0,40}}?(?:\ (?:on|with|in)\b|,)[^.;:]{{0,20}}?{_CHIP}
  | ^\W*(?:CI|tests?|hardware|platform|device|status)\ ?[:=][^;]{{0,60}}?(?:
        \b(?:OK|green|pass(?:ed|es|ing)?)\b[^;]{{0,40}}?{_CHIP}
      | {_CHIP}[^;]{{0,60}}?\b(?:OK|green|pass(?:ed|es|ing)?)\b)
  | ^\W*{_CHIP}\ ?[·|,][^;]*\b20\d\d-\d\d-\d\d\b
  | \b(?:outputs?|results|figures|numbers)\ (?:of|on)\ this\ (?:page|lesson)\b
      [^.]{{0,20}}?\ (?:recorded|printed|measured|taken)\b
  | \b(?:tested|tried|ran|run|verified|checked|executed|validated|confirmed|proved|timed)
      \ (?:\w+\ ){{0,3}}?(?:on|with|under)\ (?:(?:an?|the|our|my|one|two|both|real)\ ){{0,2}}
      (?:\w+\ )?{_CHIP}[^.;]{{0,25}}?\ {_WHEN}
  | \b(?:we|I|somebody|a\ (?:colleague|friend|reader))\ (?:(?:have|has|had|also|then|once)\ )*
      (?:tested|tried|ran|verified|checked|executed)\ (?:it|this|that|them|these|all\ of\ \w+
      |the\ (?:code|page|block|kernel|example|listing|program)s?)\ (?:\w+\ ){{0,2}}?
      (?:on|with|under)\ [^.;]{{0,15}}?{_CHIP}
  | \b(?:known|confirmed|seen|reported|found|said)\ to\ (?:work|run|pass)\b[^.;]{{0,20}}?{_CHIP}
  | ^\W*(?:pass(?:es|ed|ing)|green|clean)\ (?:\w+\ ){{0,2}}?(?:on|with)\ [^.;]{{0,12}}?{_CHIP}
  | \b(?:CI|builds?|suite|tests?)\ (?:was|is|were|are|ran|runs?|came\ out)
      \ (?:green|passing|clean|OK)\b[^.;]{{0,20}}?{_CHIP}
  | \b(?:reproduced|repeated|re-?ran|confirmed)\ (?:this|it|them|that|the\ \w+)
      \ (?:on|with)\ [^.;]{{0,15}}?{_CHIP}
  | \b(?:pages?|lessons?|blocks?|codes?|scripts?|programs?|examples?|listings?|kernels?)
      \ (?:\w+\ ){{0,2}}?(?:ran|run|passed|executed|tested|verified|measured)\ (?:on|with)
      \ (?:\w+\ ){{0,3}}?{_PLACE}[^.;]{{0,40}}?\ (?:on|in|since)\ {_DAY}
  | \b(?:compute-sanitizer|(?:mem|race|init|sync)check|valgrind)
      \ (?:found|reported|saw|gave|printed|ended\ with|came\ back\ with)
      \ (?:no|zero|0|nothing|none|not\ (?:one|an?|a\ single))\b
  | \b(?:blocks?|codes?|examples?|listings?|lines?|scripts?|programs?|snippets?|run)\b
      (?!\ of\ this\ page)[^.;:?]{{0,40}}?\b(?:ran|(?:was|were|has\ been|have\ been)\ run|passed
        |(?:printed|gave)\ the\ same)\ (?:\w+\ ){{0,2}}?on\ (?:(?:\w+\ ){{0,3}}?{_CARD}|{_MANY})
  | \bproof\ of\ (?:the|this|that|each|every)\ (?:block|code|page|example|listing|kernel)\b
      [^.;]{{0,20}}?:\ \w
  | \b(?:ran|run|executed|passed|covered|complete|proof)\b[^.;]{{0,30}}?
      \b\d+\ of\ \d+\ lines\b(?!\ of)
  | \b(?:we|I)\ (?:have\ |also\ )?(?:ran|run|re-?ran)
      \ (?:the|this|that|these|it|them|each|every|all)\b[^.;:?]{{0,40}}?
      \ on\ (?:(?:\w+\ ){{0,3}}?{_CARD}|{_MANY})
  | (?:^\W*|[.!?;]\ )(?:and\ )?(?:the\ )?
      (?:compute-?\ ?sanitizer|sanitizer|(?:mem|race|init|sync)check|valgrind)
      \ (?:finds|reports|sees|says|shows)
      \ (?:no\ \w+|zero\ \w+|0\ \w+|nothing|none|not\ (?:one|an?)(?:\ \w+)?)
      (?=\W*$|[.,;:!]|\ (?:here|in|for|with|on|of)\b)
  | \b{_OURS}\ (?:\w+\ ){{0,3}}?(?:was|were|is|are|has\ been|have\ been)\ (?:\w+\ ){{0,2}}?{_PAST}
      \ (?:\w+\ )?(?:with|on|under|in|against)\ (?:\w+\ ){{0,2}}?{_SYSTEM}
  | \b(?:tests?|suite|checks?|block|code|example)\ (?:all\ )?pass(?:es|ed)?\ (?:\w+\ )?(?:on|with)
      \ (?:\w+\ ){{0,3}}?(?:{_CARD}|Apple\b|{_SYSTEM})
  | \bpass(?:es|ed)?\ (?:its|their|the|all)\ (?:\w+\ )?tests\ (?:on|with|under)
      \ (?:\w+\ ){{0,3}}?(?:{_CARD}|Apple\b|{_SYSTEM})
  | ^\W*(?:(?:the|this|our)\ \w+\W+)?(?:ends?|ended|exits?|exited|finishe[sd])
      \ with\ (?:(?:exit\ )?(?:status|code)\ )?0\b
  | \b{_SOMEBODY}\ (?:(?:have|has|had|also|then|once|just|already|since|personally)\ )*
      (?:{_PAST}\ and\ )?{_PAST}
      \ (?:it|them|this|these|that|everything|all|each|every|the|its|our)\b[^.;?]{{0,40}}?
      \b(?:on|with|under|using|by|across)\ [^.;?]{{0,25}}?{_WHERE}
  | \b{_OURS}\b[^.;:?]{{0,30}}?\ (?:has|have|had|was|were|been|is|are|got)\ (?:\w+\ ){{0,2}}?{_PAST}
      \ (?:\w+\ ){{0,3}}?(?:on|with|by|under|in|across)\ (?:\w+\ ){{0,3}}?{_WHERE}
  | [:;(–-]\W*(?:ran|executed|passed|verified|tested|proved|checked|validated|confirmed)
      \ (?:on|with|by|in)\ (?:\w+\ ){{0,3}}?{_PLACE}
  | \b{_CHECKER}\b[^.;?]{{0,30}}?\ (?:{_PAST}|pass(?:es|ed)?|runs?|tests?|executes?|checks?
      |agree[sd]?
      |confirms?|verif(?:y|ies)|reproduces?|proves?)\b
  | \b(?:each|every|all|both|\w+)\ (?:of\ )?(?:the\ |its\ |these\ )?(?:\w+\ )?
      (?:blocks?|examples?|listings?|snippets?|sessions?|outputs?)\ (?:(?:all|has|have|\w+ly)\ )?
      (?:{_DONE}|(?:is|are|was|were|came\ out)\ (?:green|right|correct))
      (?=\W*$|[.,;!]|\ (?:on|there|here|too|again|with)\b)
  | \b(?:{_OURS}|tests?|builds?|runs?|suite|jobs?|checks?|all)\b[^.;:?]{{0,30}}?
      \ (?:is|are|was|were|stay(?:s|ed)?|c[ao]mes?\ (?:out|back)|turned)\ (?:all\ )?green
      (?=\W*$|[.,;!]|\ (?:on|in|with|for|since|again|today|there|here)\b)
  | ^\W*(?:\w+\ ){{0,2}}{_CHIP}[^.;]{{0,30}}?\ ?[:|,–-]\ ?
      (?:\d+\ ?(?:of|/)\ ?\d+\ (?:\w+\ )?)?{_WELL}\W*$
  | \b(?:logs?|transcripts?|protocols?)\ (?:of\ \w+\ )?(?:is|are|was|were)
      \ (?:kept|held|archived|stored)\ (?:by|with|at)\b
  | ^\W*[✓✔☑✅]""",
    re.VERBOSE | re.IGNORECASE,
)
# Without one of these words a text is none: a search looks at few of them.
STAMPED = "ran prove verif teste execu measured checked passed record valida certif benchm".split()
STAMPED += "compiled confirmed checks tests cases tried repeated".split()
STAMPED += "work reproduc executed failure error clean green hardware device status ·".split()
STAMPED += ["passes on", "passes with", "passing", " to work", " to run", " to pass", "suite "]
STAMPED += [" run ", "in this ", "of this ", "on this ", *"✓✔☑✅"]
STAMPED += ["proof of", "the same on", "with 0", "status 0", "code 0", "passed on"]
STAMPED += [
    "match",
    "agree",
    "succe",
    "held",
    "right",
    "correct",
    "log",
    "transcript",
    "protocol",
    "ok",
]
STAMPED += ["vetted", "replayed", "signed off", "exercised", "built", "integration", "nightly"]
STAMPED += ["proves", "github", "well", "fine", "good"]
STAMPED += ["sanitizer", "memcheck", "racecheck", "initcheck", "synccheck", "valgrind"]
ASKING = Asking([STAMPED])


# That a device has had it all, whatever the verb.
_HAD = (
    r"(?:had|have\ had|has\ had|have\ seen|has\ seen|saw|took|got|went\ through"
    r"|came\ (?:through|from|out\ of)|been\ (?:through|on|to)|passed\ through|was\ on|were\ on"
    r"|visited|agreed|gave)"
)
_ITS = (
    r"(?:(?:these|those|the|all|both|two|three|every|each|no)\ (?:\w+\ )?(?:blocks?|lines?"
    r"|listings?|examples?|pages?|snippets?)|everything\ here|all\ of\ (?:it|this|them)"
    r"|them\ all|nothing\ here)"
)
MET = re.compile(
    rf"""\b{_ITS}\b[^.;:?]{{0,40}}?\ {_HAD}\b[^.;:?]{{0,30}}?
      \ (?:an?|the|our|one)\ (?:\w+\ )?(?:{_CARD}|hardware\b|GPU\b)
  | (?:{_CARD}|\bhardware\b)[^.;:?]{{0,12}}?\ {_HAD}\b[^.;:?]{{0,25}}?\ {_ITS}\b
  | \bhardware\b[^.;:?]{{0,20}}?\ last\ word
  | ^\W*(?:(?:web)?gpu|cpu|simulator)\ [·–]
  | \b(?:each|all|every\ \w+|both)\ (?:of\ \w+\ )?
      (?:run|checked|tested|verified|proved|tried|executed)\ (?:on|with|by)
      \ (?:an?\ |the\ |our\ )?(?:\w+\ )?(?:{_CARD}|GPU\b|hardware\b)
  | \b(?:GPU|{_CARD})\ and\ (?:the\ |a\ )?(?:simulator|stepper|CPU)
      \ (?:gave|give|agree\w*|said|print\w*|say)\b[^.;:?]{{0,30}}?
      \b(?:all|every|each|one\ answer|same)
  | \b(?:blocks?|lines?|listings?|examples?)\b[^.;:?]{{0,30}}?\b(?:is|are|was|were)\ (?:\w+\ )?
      (?:only\ )?(?:shown|simulated)\b[^.]{{0,40}}?{_CARD}""",
    re.VERBOSE | re.IGNORECASE,
)
_MEETS = re.compile(
    r"(?i)\b(?:block|line|listing|example|page|snippet)|everything|all of|them all|nothing"
    r"|last word|\b(?:each|all|every|both)\b|gpu [·–]|cpu [·–]|simulator [·–]"
)
_DEVICES = re.compile(
    r"(?i)\b[abhg][a-z]?\d{2,3}|hopper|blackwell|ampere|hardware|gpu|cpu|rtx|nvidia|·"
)


def stamp(text: str) -> str | None:
    """Return the words of a text that read like a stamp, or None."""
    plain = text if text.isascii() else numbers.plain(text)
    found = ASKING.rules(plain.lower()) and STAMP.search(plain.strip())
    if not found and _DEVICES.search(plain) and _MEETS.search(plain):
        found = MET.search(plain.strip())
    return found[0] if found else None


# Words of a label, such as a title, that a run alone can say: where, when, and how it went.
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_LABEL = re.compile(
    rf"[✓✔☑✅]|\b(?i:proofs?|stamped|reviewed|certified|validated)\ (?:by|on|from|of|:)"
    rf"|\b(?i:[gc]pu|simulator|device)[\ -](?i:proofs?|proved|proven|checked|verified|tested)\b"
    rf"|\bproof:|\b\d{{1,2}}\.?\ {_MONTH}\ 20\d\d\b|\b{_MONTH}\ \d{{1,2}},?\ 20\d\d\b"
    rf"|\b(?i:ran|executed|passed|proved|proven|verified)\b[^.;]{{0,40}}?{_CARD}"
    rf"|{_CARD}[^.;]{{0,40}}?\b(?i:(?:every|each|all)\ (?:\w+\ )?(?:blocks?|lines?|examples?)"
    r"|passed|proved|proven)\b"
)
_LABELED = re.compile(
    r"(?i)[✓✔☑✅]|proo|prov|stamped|review|certif|valid|20\d\d|ran\b|execut|pass|verif"
)


def label(text: str) -> str | None:
    """Return the words of a label, or of an entry of data, that a run alone can say; or None."""
    found = _LABEL.search(text) if _LABELED.search(text) else None
    return found[0] if found else None


# And of the title of a block, which stands where its mark does.
_TITLE = re.compile(
    rf"(?i:\b(?:outputs?|prints?|printed|results?|logs?|gave|gives|as\ it\ ran|proofs?|reviewed"
    rf"|proved|proven|stamp)\b)|{_CHIP}|\bNVIDIA\b|\b20\d\d\b|\b{_MONTH}\b",
)
FILE = re.compile(r"[\w./+-]+\.[A-Za-z]\w{0,8}")


def title(text: str) -> str | None:
    """Return the words of a block's title that its mark alone may say, or None."""
    if FILE.fullmatch(text):
        return None
    found = _TITLE.search(text)
    return found[0] if found else label(text)


def row(cells: list[str]) -> str | None:
    """Return the cells of a row that say of a device how a run there went, or None."""
    said = " ".join(f"{cell.strip()} |" for cell in ("", *cells))
    return said.strip("| ") if ROW.search(said) else None

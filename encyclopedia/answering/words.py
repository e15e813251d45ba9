"""The words of a question and of a passage as they are compared: folded, without their endings, without what says nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from unicodedata import normalize


def listed(text: str) -> frozenset[str]:
    """The words of a text, for a list that is read more easily so."""
    return frozenset(text.split())


STOP = listed("""
    a about after again all also am an and any are aren't as at away be because been before being below between both but by can
    can't cannot could did didn't do does doesn't doing don't down during each either else etc every few for from further
    get gets give given gives had has have having he her here hers him his how however i if in into is isn't it its itself
    just let like made make makes many may me might mine more most much must my neither no nor not now of off on once one
    only or other our ours out over own per please rather same say says shall she should show so some such tell than that
    the their theirs them then there these they thing things this those through thus to too under until up upon us use
    used uses using very was we were what when where whether which while who whom whose why will with within without would
    you your yours mean means meant explain describe define name happen happens want need needs know""")
"""Words that a question may hold without asking for them."""

WEAK = listed("""
    way ways work works working kind kinds type types sort sorts example examples difference differences compare compared
    comparison relate relates related relation relationship overview main role purpose reason best good better help helps
    different advantage advantages benefit benefits drawback drawbacks disadvantage disadvantages problem problems solve
    solves handle handles stop keep avoid doing create created add adds put take takes taken took set sets kept keeps allow
    allows provide provides support supports new several various important possible common typical differ differs depend
    depends together both book books corpus document documents note notes write typically usually often always never
    versus vs choose chosen chose decide decided decision choice consider considered recommend recommended suggest
    suggested apply applies applied enable enables find found look ask call called change changed exactly actually really
    currently current
    كم كيف ماذا لماذا متى أين هل wie warum wann welche welcher wieviel comment pourquoi combien quand quel quelle quoi
    cómo cuánto cuántos cuándo qué quién сколько как почему когда где
    specific general particular context case cases situation situations concept notion term idea part parts feature
    features""")
"""Words that ask for something without being what is asked about: their absence from a passage says little."""

NEGATIVE = listed("""
    not no never none neither nor cannot without nothing nobody nowhere hardly rarely unlike lacks fails n't""")
"""Words that turn the sense of a sentence around."""

HEDGES = listed("may might could sometimes usually often typically occasionally possibly probably likely rarely generally")
"""Words that make a sentence hold in part only."""
STRONG = listed("""
    all every always only must forever completely entirely exclusively guaranteed guarantees immediately permanently
    impossible whole solely fully""")
"""Words that make a sentence hold without exception."""

COUNTS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905 - read more easily
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "once": "1", "twice": "2"}
SCALES = listed("hundred thousand million billion dozen half double percent")
"""Words for numbers, and words that change one."""

_UNSPACED_ASKS = (
    r"为什么|為什麼|什么|什麼|多少|怎么样|怎么|怎麼|怎样|如何|哪[些个里裡]?|[谁誰几幾吗嗎呢吧请請的了是在和与及]"
    r"|どのように|どうして|なぜ|いくつ|いくら|どこ|どう|どの|どれ|いつ|なに|何(?=[がをでのか])|誰|(?<=[\u30a0-\u9fff])[\u3040-\u309f]+"
)
"""What asks, joins and bends in scripts without spaces: it says nothing by itself."""

_WORD = r"[^\W_]+(?:[._+#/'’-][^\W_]+)*[+#]*"  # noqa: RUF001 - the apostrophe of good typesetting
_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"

_QUOTED = r"\n[ \t]*(?:>[ \t]?)+"
"""What begins each further line of quoted text."""


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


_ENDINGS = (
    *(
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("mentations", ""),
        ("mentation", ""),
        ("ations", "at"),
        ("ation", "at"),
        ("ing", ""),
    ),
    *(("edly", ""), ("ed", ""), ("ions", ""), ("ion", ""), ("ers", ""), ("er", ""), ("ors", ""), ("or", ""), ("ments", "")),
    *(("ment", ""), ("es", ""), ("s", ""), ("ly", ""), ("e", "")),
)


def fold(text: str) -> str:
    """The text as quotations are compared: NFKC, plain quotes and dashes, no marks of quoted lines, runs of blanks as one."""
    text = _pattern(_QUOTED).sub("\n", normalize("NFKC", text))
    for marks, plain in (("‘’‚‛′`´", "'"), ("“”„‟″«»", '"'), ("‐‑‒–—−", "-")):  # noqa: RUF001 - what is folded away
        text = text.translate(dict.fromkeys(map(ord, marks), plain))
    return " ".join(text.split())


def shown(text: str) -> str:
    """A quotation as it is shown: runs of blanks as one, but items of a list begin lines, and code between fences keeps its."""
    parts = _pattern(r"((?:```|~~~)[\s\S]*?(?:```|~~~))").split(text)
    plain = (part if at % 2 else _lines(part) for at, part in enumerate(parts))
    return "\n".join(part.strip() for part in plain if part.strip())


def _lines(text: str) -> str:
    items = _pattern(r"\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])").split(_pattern(_QUOTED).sub("\n", text))
    return "\n".join(" ".join(item.split()) for item in items)


def words(text: str) -> list[str]:
    """The words of a text in order, as they stand there; each character of a script without spaces is one."""
    found = []
    for word in _pattern(_WORD).findall(normalize("NFKC", text)):
        if _pattern(_CJK).search(word):
            found += _pattern(_CJK).findall(word)
        else:
            found.append(word)
    return found


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word in small letters without the commonest English endings; names with digits or marks stay whole."""
    small = word.casefold().replace("’", "'").removesuffix("'s")  # noqa: RUF001 - the apostrophe of good typesetting
    if not small.isascii() or not small.isalpha() or len(small) < 4:  # noqa: PLR2004 - nothing would be left
        return small
    for ending, rest in _ENDINGS:
        if small.endswith(ending) and not small.endswith("ss") and len(small) - len(ending) >= 3:  # noqa: PLR2004 - as above
            return _undoubled(small.removesuffix(ending) + rest)
    return small


def _undoubled(small: str) -> str:
    small = small.removesuffix("e") if len(small) > 4 else small  # noqa: PLR2004 - as above
    return small[:-1] if len(small) > 3 and small[-1] == small[-2] and small[-1] not in "lsz" else small  # noqa: PLR2004 - as above


def telling(text: str) -> dict[str, str]:
    """The words that mean something as they stand there, each once, in order, by their stems."""
    found: dict[str, str] = {}
    for word in words(_pattern(_UNSPACED_ASKS).sub(" ", text)) or words(text):
        if word.casefold() not in STOP and (len(word) > 1 or not word.isascii()):
            found.setdefault(stem(word), word)
    return found


def content(text: str) -> tuple[str, ...]:
    """The stems of the words that mean something, each once, in order."""
    return tuple(telling(text))


def stems(text: str) -> frozenset[str]:
    """All stems of a text, and of the parts of its compound words."""
    found = set()
    for word in words(text):
        found.add(stem(word))
        parts = re.split(r"[._/'’-]|(?<=[a-z])(?=[A-Z])", word)  # noqa: RUF001 - the apostrophe of good typesetting
        if len(parts) > 1:
            found.update(stem(part) for part in parts if part)
    return frozenset(found)


def hard(text: str) -> frozenset[str]:
    """What a statement may not have of its own: numbers, versions, identifiers, and names that do not begin the sentence."""
    found = set()
    for at, word in enumerate(words(text)):
        small = word.casefold()
        if any(char.isdigit() for char in word) or any(mark in word for mark in "_/+#") or ("." in word):
            found.add(small)
        elif (at and small not in STOP and word[0].isupper()) or any(char.isupper() for char in word[1:]):
            found.add(stem(word))
    return frozenset(found)


def counts(text: str) -> frozenset[str]:
    """The numbers of a text as digits, those written as words too, and the words that change a number."""
    said = [word.casefold() for word in words(text)]
    return frozenset(COUNTS.get(word, word) for word in said if word in COUNTS or word in SCALES or word[0].isdigit())


def negations(text: str) -> int:
    """How many words of a text turn its sense around."""
    folded = fold(text).casefold()
    return sum(word in NEGATIVE or word.endswith("n't") for word in words(folded))

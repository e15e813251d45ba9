"""What kind of question a query is, and which repository and library it names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import QueryType, Question
from encyclopedia.stages.tokens import HIDDEN, clean, compose, plain, tokenise

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.query import Query, Token

HINTS = {
    "doc": QueryType.LIBRARY_DOCS,
    "docs": QueryType.LIBRARY_DOCS,
    "code": QueryType.CODE_CONTEXT,
    "web": QueryType.GENERAL_SEARCH,
    "repository": QueryType.REPOSITORY,
}
RECENT = frozenset(
    "latest newest current currently recent recently news today yesterday tonight tomorrow now nowadays".split()  # noqa: SIM905 - data
)
# After one of these a number is a name or a place, not a year: RFC 2045, port 1935, line 2001.
COUNTED = frozenset("rfc iso iec ieee pep port issue error code line lines page pr bug ticket step version v".split())  # noqa: SIM905
DEFINING = frozenset(("def", "class", "function", "import"))
# "function of", "class is", "import from": prose, not a definition.
PROSE = frozenset(("of", "in", "to", "for", "from", "the", "and", "or", "is", "are", "with", "that", "on", "as", "vs", "not"))
HINT = r"(docs?|code|web|repository):(?!:|//)\s*(?=\S)"
# A bare "repo:" before a word without a slash is prose.
REPO = r"(?i)(?<!\S)repo:(?:([^ \t\r\n]+)|(?=\s+\S*/))"
OWNER_NAME = r"(?!.*\.\.)[A-Za-z0-9][\w.-]{0,99}/(?!\.?$)[\w.][\w.-]{0,99}"
ADDRESS = r"(?i)\b(?:https?|ftp)://\S|\bwww\.[^\s.]+\."
YEAR = r"(?:19|20)\d\d"
DATE = rf"(?:\d\d?[-/]){{0,2}}{YEAR}(?:'?s|[-–/]{YEAR}|(?:[-/]\d\d?){{1,2}})?"  # noqa: RUF001 - an en dash joins years


class _Form(NamedTuple):
    """What the text says about itself before its words are looked at."""

    text: str
    repository: str
    hint: QueryType | None
    rule: str


def classify(
    query: Query,
    *,
    libraries: Callable[[str], bool],
    english: frozenset[str],
    max_chars: int,
    stop_words: frozenset[str] = frozenset(),
) -> Question:
    """The question that ``query`` asks.

    ``libraries`` tells whether a lower-case word names a known library, ``english`` are common words (a library of such a name
    is not sure to be meant), ``max_chars`` is how much of a query is kept. Raises ``UsageError`` for an empty query and for a
    ``repo:`` that names no repository.
    """
    query, notes = _cleaned(query, max_chars)
    form = _hinted(query)
    text = form.text or form.repository
    tokens = tokenise(text)
    if not any(token.text.lower() not in stop_words for token in tokens):
        notes.append("the query has no words with content: it is searched as it is")
    type, rule, defined = _rule(form, text, tokens)
    if defined is not None:
        tokens = tuple(replace(t, protected=True) if at == defined else t for at, t in enumerate(tokens))
    library, sure = _library([t.text.lower() for t in tokens if t.text.lower() not in stop_words], libraries, english)
    return Question(
        query=query,
        text=text,
        type=type,
        rule=rule,
        tokens=tokens,
        repository=form.repository or (_bare_repository(tokens) if type is QueryType.REPOSITORY else ""),
        library=library,
        unsure=rule == "default" and not sure,
        notes=tuple(notes),
    )


def _cleaned(query: Query, max_chars: int) -> tuple[Query, list[str]]:
    """The query with its text made safe, folded and cut, and what was done to it."""
    for match in re.finditer(REPO, query.text):
        if re.search(HIDDEN, match[1] or ""):
            raise _not_a_repository(clean(match[1])[0])
    text, dropped = clean(query.text)
    notes = ["control and other invisible characters were removed from the query"] if dropped else []
    text = " ".join(text.split())
    length = len(text)
    # Cut before composing: ordering a long run of combining marks takes quadratic time. Composing may lengthen the text again.
    text = compose(text[:max_chars])[:max_chars].rstrip()
    if length > max_chars:
        notes.append(f"the query was cut to {max_chars} of its {length} characters")
    if not text:
        raise UsageError("The query is empty", 'Say what to search for: encyclopedia search "kubernetes pod limits"')
    return (query if text == query.text else replace(query, text=text)), notes


def _hinted(query: Query) -> _Form:
    """The text without its hints, and what the hints said; the option for the type goes before a hint."""
    text, hint, rule = query.text, None, ""
    if match := re.match(HINT, text, re.IGNORECASE):
        rule = f"hint:{match[1].lower()}"
        hint, text = HINTS[match[1].lower()], text[match.end() :]
    if query.type is not None:
        hint, rule = query.type, "type option"
    names = {_repository(match[1] or "") for match in re.finditer(REPO, text)}
    if len(names) > 1:
        raise UsageError(
            "A query can name one repository", "Ask once for each: " + ", ".join(f"repo:{n}" for n in sorted(names))
        )
    return _Form(" ".join(re.sub(REPO, " ", text).split()), next(iter(names), ""), hint, rule)


def _repository(name: str) -> str:
    """``owner/name`` in its own case, without ``.git`` and the punctuation of the sentence around it."""
    found = name.rstrip(".,;:!?)").removesuffix(".git")
    if not found.isascii() or not re.fullmatch(OWNER_NAME, found):
        raise _not_a_repository(name)
    return found


def _not_a_repository(name: str) -> UsageError:
    return UsageError(
        f"repo:{name[:100]} names no repository",
        "Write repo:owner/name, in letters, digits, '-', '_' and '.'; put quotes around it to search for the words themselves",
    )


def _bare_repository(tokens: tuple[Token, ...]) -> str:
    """The first word, where it is an ``owner/name`` by itself."""
    first = tokens[0].text if tokens else ""
    return first if first.isascii() and re.fullmatch(OWNER_NAME, first) else ""


def _rule(form: _Form, text: str, tokens: tuple[Token, ...]) -> tuple[QueryType, str, int | None]:
    """The type, the rule that fired, and which token is a name that the text defines or imports."""
    code = _definition(text, tokens)
    if form.hint is not None:
        return form.hint, form.rule, code
    if form.repository:
        alone = not form.text
        return (QueryType.REPOSITORY, "repo alone", code) if alone else (QueryType.CODE_CONTEXT, "repo", code)
    if re.search(ADDRESS, text):
        return QueryType.GENERAL_SEARCH, "url", code
    if code is not None:
        return QueryType.CODE_CONTEXT, f"code pattern:{tokens[code - 1].text}", code
    if rule := _recency(tokens):
        return QueryType.GENERAL_SEARCH, rule, None
    return QueryType.LIBRARY_DOCS, "default", None


def _definition(text: str, tokens: tuple[Token, ...]) -> int | None:
    """The index of the ``x`` of the first ``def x``, ``class x``, ``function x`` or ``import x``."""
    for at, token in enumerate(tokens[1:], 1):
        before = tokens[at - 1]
        if before.text in DEFINING and not text[before.end : token.start].strip():
            name = re.match(r"[^\W\d]\w*", token.text)
            if name and name[0] not in PROSE:
                return at
    return None


def _recency(tokens: tuple[Token, ...]) -> str:
    """The rule that a word for the present or a year fires; words in quotes and versions such as 2023.1 fire none."""
    before = ""
    for token in tokens:
        word = token.text.lower()
        named = word.removesuffix("'s")
        if named in RECENT and not (token.protected and plain(token.text)):
            return f"recency word:{named}"
        if word[:1].isdigit() and before not in COUNTED and re.fullmatch(DATE, word):
            year = re.search(YEAR, word)
            return f"year:{year[0]}" if year else ""
        before = word
    return ""


def _library(words: list[str], known: Callable[[str], bool], english: frozenset[str]) -> tuple[str, bool]:
    """The first library that the text names, and whether it is sure; a sure one goes before one that is also a common word."""
    doubtful = ""
    for names in (_exact, _rooted):
        for word in words:
            for name in names(word):
                if not known(name):
                    continue
                if name not in english:
                    return name, True
                doubtful = doubtful or name
    return doubtful, False


def _exact(word: str) -> tuple[str, ...]:
    """The word as it stands, and as PEP 503 spells a package (runs of ``-_.`` become one hyphen)."""
    folded = re.sub("[-_.]+", "-", word)
    return (word,) if folded == word else (word, folded)


def _rooted(word: str) -> tuple[str, ...]:
    """The package that a longer name starts with: ``numpy.asarray``, ``django>=5``, ``fastapi[all]``, ``@angular/core``."""
    root = re.match(r"@([\w-]+)/|([\w-]+)[.\[(=<>~!@]", word)
    return (root[1] or root[2],) if root else ()

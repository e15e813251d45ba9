"""What kind of question a query is, and which repository and library it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import QueryType, Question
from encyclopedia.stages.credentials import without_credentials
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
    (
        *(
            "latest",
            "newest",
            "current",
            "currently",
            "recent",
            "recently",
            "news",
            "today",
            "yesterday",
            "tonight",
            "tomorrow",
        ),
        *("now", "nowadays"),
    )
)
# After one of these a number is a name or a place, not a year: RFC 2045, port 1935, line 2001.
COUNTED = frozenset(
    (
        *("rfc", "iso", "iec", "ieee", "pep", "port", "issue", "error", "code", "line", "lines", "page", "pr", "bug", "ticket"),
        *("step", "version", "v"),
    )
)
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


def classify(
    query: Query,
    *,
    libraries: Callable[[str], bool],
    english: frozenset[str],
    max_chars: int,
    stop_words: frozenset[str] = frozenset(),
) -> Question:
    """The question that ``query`` asks.

    ``libraries`` tells whether a lower-case word names a known library; a name that is also one of the ``english`` words is not
    sure to be meant. ``max_chars`` of the text are kept. Raises ``UsageError`` for an empty query and a malformed ``repo:``.
    """
    query, notes = _cleaned(query, max_chars)
    asked = _hinted(query)
    tokens = tokenise(asked.text)
    words = [word for word in (token.text.lower() for token in tokens) if word not in stop_words]
    if not words:
        notes.append("the query has no words with content: it is searched as it is")
    type, rule = _rule(asked, tokens)
    library, sure = _library(words, libraries, english)
    return asked._replace(
        type=type,
        rule=rule,
        tokens=_guarded(asked.text, tokens),
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
    if (bare := without_credentials(text, "")) != text:
        text, notes = bare, [*notes, "credentials in an address were removed from the query"]
    text = " ".join(text.split())
    length = len(text)
    # Cut before composing: ordering a long run of combining marks takes quadratic time. Composing may lengthen the text again.
    text = compose(text[:max_chars])[:max_chars].rstrip()
    if length > max_chars:
        notes.append(f"the query was cut to {max_chars} of its {length} characters")
    if not text:
        raise UsageError("The query is empty", 'Say what to search for: encyclopedia search "kubernetes pod limits"')
    return (query if text == query.text else query._replace(text=text)), notes


def _hinted(query: Query) -> Question:
    """The question without its hints, and with what they say; without a rule if they leave the type open.

    The option for the type goes before a hint. A repository alone is also the text, so that there is something to ask.
    """
    text, type, rule = query.text, QueryType.LIBRARY_DOCS, ""
    if match := re.match(HINT, text, re.IGNORECASE):
        rule = f"hint:{match[1].lower()}"
        type, text = HINTS[match[1].lower()], text[match.end() :]
    if query.type is not None:
        type, rule = query.type, "type option"
    names = {_repository(match[1] or "") for match in re.finditer(REPO, text)}
    if len(names) > 1:
        raise UsageError(
            "A query can name one repository", "Ask once for each: " + ", ".join(f"repo:{n}" for n in sorted(names))
        )
    repository = query.scope.repository or next(iter(names), "")
    text = " ".join(re.sub(REPO, " ", text).split()) or repository
    if type is QueryType.REPOSITORY and not repository:
        repository = _bare_repository(text)
    return Question(query=query, text=text, type=type, rule=rule, repository=repository)


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


def _bare_repository(text: str) -> str:
    """The first word, where it is an ``owner/name`` by itself."""
    first = text.partition(" ")[0].rstrip(",:;?!")
    return first if first.isascii() and re.fullmatch(OWNER_NAME, first) else ""


def _rule(asked: Question, tokens: tuple[Token, ...]) -> tuple[QueryType, str]:
    """The type, and the rule that fired."""
    if asked.rule:
        return asked.type, asked.rule
    if asked.repository:
        alone = asked.text == asked.repository
        return (QueryType.REPOSITORY, "repo alone") if alone else (QueryType.CODE_CONTEXT, "repo")
    if re.search(ADDRESS, asked.text):
        return QueryType.GENERAL_SEARCH, "url"
    if code := _definition(asked.text, tokens):
        return QueryType.CODE_CONTEXT, f"code pattern:{tokens[code - 1].text}"
    if rule := _recency(tokens):
        return QueryType.GENERAL_SEARCH, rule
    return QueryType.LIBRARY_DOCS, "default"


def _guarded(text: str, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """``tokens`` with the name that the text defines or imports protected, however plain it looks."""
    if not (code := _definition(text, tokens)):
        return tokens
    return (*tokens[:code], tokens[code]._replace(protected=True), *tokens[code + 1 :])


def _definition(text: str, tokens: tuple[Token, ...]) -> int:
    """The index of the ``x`` of the first ``def x``, ``class x``, ``function x`` or ``import x``; 0 if there is none."""
    for at, token in enumerate(tokens[1:], 1):
        before = tokens[at - 1]
        if before.text in DEFINING and not text[before.end : token.start].strip():
            name = re.match(r"[^\W\d]\w*", token.text)
            if name and name[0] not in PROSE:
                return at
    return 0


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

"""HTML to plain text, for sources that say that they answer in HTML.

A scanner of our own: Python's parser takes ``vector<int>`` for an element, differs between versions on unclosed markup, and
needs quadratic time on some of it.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.sanitize import CONTENT, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELEMENTS = _words(
    "a abbr acronym address applet area article aside audio b base bdi bdo big blockquote body br button canvas caption center"
    " cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font"
    " footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link"
    " main map mark math menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt"
    " ruby s samp script section select small source span strike strong style sub summary sup svg table tbody td template"
    " textarea tfoot th thead time title tr track tt u ul var video wbr"
)
_DROPPED = _words(
    "applet audio canvas datalist embed frameset iframe noscript object script select style svg template textarea video"
)
_VOID = _words("area base br col embed frame hr img input link meta param source track wbr")
_BLOCKS = _words(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody tfoot thead title tr"
    " ul"
)
_SWITCHES = _words(
    "allowfullscreen async autoplay checked controls default defer disabled download hidden inert itemscope loop multiple muted"
    " nomodule nowrap open readonly required reversed selected"
)
_NAME = r"[^\s\"'<>/=]+"
_VALUE = r"\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>=`]+)"
_TOKEN = re.compile(rf"<!--|<![a-z][^<>]*>|<(/?)([a-z][\w:-]*)((?:\s+{_NAME}(?:{_VALUE})?)*)\s*/?>", re.IGNORECASE)
_ATTRIBUTES = re.compile(rf"\s+({_NAME})({_VALUE})?")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
_CUT_OFF = re.compile(r"<(?:/?[a-z]{1,10}|[a-z]{1,10}\s+[\w-]+=[^<>]*)$", re.IGNORECASE)
_MARKED_UP = re.compile(
    r"<(b|em|i|strong|mark|span|code|p|a|div|li|pre|h[1-6])(?:\s[^<>]*)?>[^<]*</\1\s*>|<br\s*/?>", re.IGNORECASE
)


def looks_like_html(text: str) -> bool:
    """Whether text of unknown kind carries markup: an element that opens and closes, or a line break."""
    return "<" in text and _MARKED_UP.search(text) is not None


def clean_html(text: str, limit: int = CONTENT) -> str:
    """The visible text of a piece of HTML, cleaned as ``clean_text`` does.

    Hidden elements, scripts and comments go, blocks become lines, preformatted text keeps its spaces, entities are replaced
    once. What is no element of HTML (``vector<int>``, ``a<b and c>d``) stays as it is.
    """
    writer = Writer()
    for piece in pieces(text[: 4 * limit + 1024]):
        writer.write(piece)
    return clean_text(re.sub(r"[ \t]+\n", "\n", re.sub(r"\n{3,}", "\n\n", writer.text())), limit)


class Piece(NamedTuple):
    """A piece of HTML: ``text`` still has its entities, ``literal`` has none; ``open`` and ``close`` are a tag by its name."""

    kind: str
    value: str
    attributes: str = ""


class Writer:
    """Joins pieces into lines."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pre = 0
        self._fresh = True

    def write(self, piece: Piece) -> None:
        """Add a piece."""
        kind, value, _ = piece
        if kind in ("text", "literal"):
            self._add(unescape(value) if kind == "text" else value)
            return
        if value in ("td", "th") and not self._fresh:
            self._add(" ")
        if value in _BLOCKS:
            self._break()
        if value in ("pre", "textarea"):
            self._pre = max(0, self._pre + (1 if kind == "open" else -1))

    def text(self) -> str:
        """What was written."""
        return "".join(self._parts)

    def _break(self) -> None:
        if self._parts and not self._parts[-1].endswith("\n"):
            self._parts.append("\n")
        self._fresh = True

    def _add(self, text: str) -> None:
        if not self._pre:
            text = re.sub(r"\s+", " ", text)
            text = text.lstrip(" ") if self._fresh else text
        if text:
            self._parts.append(text)
            self._fresh = text[-1] in " \n" and not self._pre


def pieces(html: str, *, whole: bool = False) -> Iterator[Piece]:
    """The pieces of a document that a reader sees; in a ``whole`` page everything that can be a tag is one."""
    lower = html.lower()
    position = 0
    while token := _TOKEN.search(html, position):
        if position < token.start():
            yield Piece("text", html[position : token.start()])
        position = token.end()
        name = (token[2] or "").lower()
        if token[0] == "<!--":
            position = _end_of(html, position, "-->")
        elif not name:
            continue
        elif not whole and (not _is_tag(name, token[3]) or (_is_type_like(name, token[3]) and f"</{name}" not in lower)):
            yield Piece("literal", token[0])
        elif not token[1] and name not in _VOID and _is_hidden(name, token[3]):
            position = _after_hidden(html, position, name)
        else:
            yield Piece("close" if token[1] else "open", name, token[3])
    yield Piece("text", _CUT_OFF.sub("", html[position:]))


def attributes(text: str) -> dict[str, str]:
    """The attributes of a piece by name in lower case, unescaped; the first of a name counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTES.finditer(text):
        value = (match[2] or "").strip().removeprefix("=").strip()
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        found.setdefault(match[1].lower(), unescape(value[1:-1] if quoted else value))
    return found


def _end_of(html: str, position: int, mark: str) -> int:
    end = html.find(mark, position)
    return len(html) if end < 0 else end + len(mark)


def _after_hidden(html: str, position: int, name: str) -> int:
    """Where a hidden element ends, at the end of the text if it is never closed."""
    depth = 1
    for tag in re.compile(rf"<(/?){name}\b[^<>]*>", re.IGNORECASE).finditer(html, position):
        depth = 0 if name in ("script", "style") and tag[1] else depth + (-1 if tag[1] else 1)
        if depth == 0:
            return tag.end()
    return len(html)


def _is_tag(name: str, attributes: str) -> bool:
    """Whether this is an element of HTML, by its name and by attributes that can be attributes."""
    return name in _ELEMENTS and all(
        match[2] or match[1].lower() in _SWITCHES or "-" in match[1] for match in _ATTRIBUTES.finditer(attributes)
    )


def _is_type_like(name: str, attributes: str) -> bool:
    """Whether this could be a type's argument, as in ``List<Object>``: a bare element that would take all that follows it."""
    return name in _DROPPED - {"script", "style"} and not attributes.strip()


def _is_hidden(name: str, attributes: str) -> bool:
    if name in _DROPPED:
        return True
    for match in _ATTRIBUTES.finditer(attributes):
        if match[1].lower() == "hidden" or (match[1].lower() == "style" and _HIDING.search(match[2] or "")):
            return True
    return False

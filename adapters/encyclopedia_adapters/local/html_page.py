"""A page of documentation in HTML as sections of plain text, each with the headings above it and the anchors to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared import body, markup
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Container

    from encyclopedia_adapters.shared.markup import Piece

_CHARSET = re.compile(rb"<meta[^<>]*charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_MAIN = re.compile(r"<main[\s>]|<[a-z]+\s[^<>]*\brole\s*=\s*[\"']?main\b", re.IGNORECASE)
_AROUND = frozenset(("nav", "footer"))
_AROUND_CLASSES = {"div": {"related", "sphinxsidebar", "_attribution"}, "a": {"headerlink"}}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_INLINE = frozenset(
    ("abbr", "b", "cite", "code", "em", "i", "kbd", "samp", "small", "span", "strong", "sub", "sup", "tt", "var")
)
_EMPTY = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))


class Section(NamedTuple):
    """``headings`` from the outermost. ``headed`` tells that the section begins with the last of them.

    ``anchors`` lead to its begin, those that were looked for first; without any they are those of the heading above.
    """

    headings: tuple[str, ...]
    anchors: tuple[str, ...]
    headed: bool
    text: str


class Page(NamedTuple):
    """``title`` may be empty; ``url`` is where the page says that it is published, if it does."""

    title: str
    url: str
    sections: list[Section]


def decode(raw: bytes) -> str:
    """The text of a page in the charset that it names, UTF-8 if it names none."""
    named = _CHARSET.search(raw, 0, 2048)
    return body.decode(raw, named[1].decode("ascii") if named else "utf-8")


def parse(html: str, wanted: Container[str]) -> Page:
    """The page, cut at its headings and at the anchors of ``wanted``; what stands around its main part is left out.

    Names that are explained together (several ``dt`` before one ``dd``) stay together.
    """
    scan = _Scan(wanted, main=_MAIN.search(html) is not None)
    for piece in markup.pieces(html, whole=True):
        scan.take(piece)
    scan.cut()
    return Page(clean_line(scan.title.text()), scan.url, scan.sections)


def plain_anchor(anchor: str) -> str:
    """An anchor as pages and links are compared: without percent signs."""
    from urllib.parse import unquote

    return unquote(anchor) if "%" in anchor else anchor


class _Heading(NamedTuple):
    level: int
    text: str
    anchor: str


class _Frame:
    """Tells the text of a page from what stands around it: navigation, footers, marks of headings, all but the main part."""

    def __init__(self, *, main: bool) -> None:
        self._waits = main
        self._main, self._main_depth = "", 0
        self._out, self._out_depth = "", 0

    @property
    def shows(self) -> bool:
        """Whether what is read now belongs to the text."""
        return not self._waits and not self._out

    def opens(self, name: str, values: dict[str, str]) -> bool:
        """Count an element that opens; whether it belongs to the text."""
        if self._out:
            self._out_depth += name == self._out
        elif self._waits and (name == "main" or values.get("role") == "main"):
            self._waits, self._main, self._main_depth = False, name, 1
        elif not self._waits:
            if name not in _EMPTY and _is_around(name, values):
                self._out, self._out_depth = name, 1
            else:
                self._main_depth += name == self._main
        return self.shows

    def closes(self, name: str) -> bool:
        """Count an element that closes; whether it belongs to the text."""
        shown = self.shows
        if self._out:
            self._out_depth -= name == self._out
            self._out = self._out if self._out_depth else ""
        elif name == self._main and not self._waits:
            self._main_depth -= 1
            self._waits = not self._main_depth
        return shown


def _is_around(name: str, values: dict[str, str]) -> bool:
    if name in _AROUND or (values.get("role") == "navigation" and name not in _INLINE):
        return True
    return name in _AROUND_CLASSES and not _AROUND_CLASSES[name].isdisjoint(values.get("class", "").split())


class _Scan:
    """One way through a page; ``sections`` grows with every cut."""

    def __init__(self, wanted: Container[str], *, main: bool) -> None:
        self.title = markup.Writer()
        self.url = ""
        self.sections: list[Section] = []
        self._wanted = wanted
        self._frame = _Frame(main=main)
        self._path: list[_Heading] = []
        self._heading: markup.Writer | None = None
        self._in_title = False
        self._recent = ""  # the last anchor, as long as no text has come after it
        self._lists = 0
        self._begin()

    def _begin(self) -> None:
        """A new section; ``_term`` is the depth of the list whose ``dt`` began it, ``_explained`` tells of a ``dd`` since."""
        self._text = markup.Writer()
        self._anchors: list[str] = []
        self._headed, self._term, self._explained = False, 0, False

    def cut(self) -> None:
        """End the section that is being read."""
        text = self._text.text().strip()
        if text or self._anchors or self._headed:
            above = [heading.anchor for heading in self._path[-1:] if heading.anchor]
            headings = tuple(heading.text for heading in self._path if heading.text)
            anchors = tuple(dict.fromkeys((*self._anchors, *(above if self._headed or not self._anchors else ()))))
            self.sections.append(Section(headings, anchors, self._headed, text))
        self._begin()

    def take(self, piece: Piece) -> None:
        """Read the next piece."""
        if piece.value in _INLINE and piece.kind in ("open", "close") and "id" not in piece.attributes:
            return  # most tags of a page are the colours of its code
        if piece.kind == "open":
            self._open(piece, markup.attributes(piece.attributes) if piece.attributes else {})
        elif piece.kind == "close":
            self._close(piece)
        elif self._in_title:
            self.title.write(piece)
        elif self._frame.shows:
            self._recent = "" if piece.value.strip() else self._recent
            (self._heading or self._text).write(piece)

    def _open(self, piece: Piece, values: dict[str, str]) -> None:
        name, anchor = piece.value, plain_anchor(values.get("id") or values.get("name", ""))
        if name == "title":
            self._in_title = not self._path
        elif name == "link" and values.get("rel", "").lower() == "canonical":
            self.url = self.url or values.get("href", "")
        elif self._frame.opens(name, values):
            self._recent = anchor or self._recent
            self._lists += name == "dl"
            self._explained = self._explained or name == "dd"
            if name in _HEADINGS:
                self._open_heading(int(name[1]))
            elif self._heading is not None and not self._path[-1].anchor:
                self._path[-1] = self._path[-1]._replace(anchor=anchor)
            if anchor and anchor in self._wanted:
                self._meet(anchor, term=self._lists if name == "dt" else 0)
            (self._heading or self._text).write(piece)

    def _meet(self, anchor: str, *, term: int) -> None:
        """An anchor that is looked for begins a section, unless it stands with others or at the begin of one."""
        same_term = term and self._term and not self._explained
        others = self._headed or self._anchors  # a term is no part of a heading or module that has no text of its own
        blank = not (term and others) and not self._text.text().strip()
        if self._heading is None and not same_term and not blank:
            self.cut()
        self._term = term or self._term
        self._anchors.append(anchor)

    def _open_heading(self, level: int) -> None:
        anchors: list[str] = []
        if not self._headed and not self._text.text().strip():
            anchors, self._anchors = self._anchors, []
        self.cut()
        self._path = [heading for heading in self._path if heading.level < level]
        self._path.append(_Heading(level, "", self._recent))
        self._headed, self._anchors = True, anchors
        self._heading = markup.Writer()

    def _close(self, piece: Piece) -> None:
        name = piece.value
        if name == "title" and self._in_title:
            self._in_title = False
        elif self._frame.closes(name):
            (self._heading or self._text).write(piece)
            if name in _HEADINGS and self._heading is not None:
                text = clean_line(self._heading.text())
                self._path[-1] = self._path[-1]._replace(text=text)
                self._heading = None
            elif name == "dl":
                self._lists = max(0, self._lists - 1)
                if self._term > self._lists:
                    self.cut()

"""The border for text: what comes in from outside leaves as plain, bounded text that attacks neither terminal nor page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

CONTENT = 8192
TITLE = 300
URL = 2048

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)
_SUSPECT = re.compile(f"[{_UNSEEN}\ud800-\udfff\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# From here on as text: what has nothing suspect in it, as most has, never pays for compiling them.
_ESCAPES = (
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC: links, clipboard, titles
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x9d\d+;[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)"
    r"|(?<!\x80)[\x90\x98\x9e\x9f][^\n\x1b\x90\x98\x9c\x9e\x9f]*(?:\x1b\\|\x9c)"  # after \x80: a misread quotation mark
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
_LINE_ENDS = "\r\n?|[\x0b\x0c\x85\u2028\u2029]"
# Runs of variation selectors carry hidden bytes, never text.
_UNWANTED = f"[{_UNSEEN}]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2,}}"
_SURROGATES = "[\ud800-\udfff]"
_MARKS = r"[^\w\s!-~]{31,}"

_PAIRED = "script|style|iframe|object|noscript|template|applet|svg"
_ACTIVE = "script|style|iframe|frame|object|embed|applet|link|meta|base|svg|form"
_OPENER = rf"<({_PAIRED})\b[^<>]*>"
_CLOSER = rf"</({_PAIRED})\s*>"
_LONE = (
    r"<(?:/?script\b(?:[^<>]*>)?"
    rf"|/(?:{_ACTIVE})\s*>|(?:{_ACTIVE})\s[^<>]*=[^<>]*>"
    r"|(?<!\w<)(?:style|iframe|svg)>"
    r"|[a-z][^<>]*\son\w+\s*=(?!\s*\{)[^<>]*>"  # a brace after it is a component's code, not an attribute of a page
    r"|[a-z][^<>]*=[\"'\s]*javascript:[^<>]*>)"
)


_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,4})?(?:[/?#][!#-;=?-\[\]^_a-z{|}~]*)?")
"""An address that has nothing to be cleaned, as most have."""


def clean_text(text: str, limit: int = CONTENT) -> str:
    """Plain text of at most ``limit`` characters.

    Removed are escape sequences, controls but tab and newline, direction and zero-width marks (the joiners of prose stay), tag
    characters, scripts and their like. Generics and comparisons such as ``vector<int>`` stay. Normalised to NFC.
    """
    if is_plain(text, limit):
        return text
    text = text[: 4 * limit + 1024]
    if text.isascii():
        if not text.isprintable() and _SUSPECT.search(text):
            text = _visible(text)
    else:
        if _SUSPECT.search(text):
            text = _visible(text)
        text = unicodedata.normalize("NFC", re.sub(_MARKS, _stream_safe, text))
    if "<" in text:
        text = _drop_active(text)
    return cut(text.strip(), limit)


def clean_line(text: str, limit: int = TITLE) -> str:
    """As ``clean_text``, on one line with single spaces."""
    if is_plain(text, limit):
        return text
    return cut(" ".join(clean_text(text, 4 * limit).split()), limit) if text else ""


def is_plain(text: str, limit: int) -> bool:
    """Whether there is nothing in a text to be cleaned or cut, as in most lines; no is no statement."""
    return (
        len(text) <= limit
        and text.isascii()
        and text.isprintable()
        and "<" not in text
        and "  " not in text
        and text[:1] != " "
        and text[-1:] != " "
    )


def cut(text: str, limit: int) -> str:
    """The text, or its beginning with an ellipsis, in at most ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip(" \n\t\u200c\u200d") + "…"


def _visible(text: str) -> str:
    """Without what cannot be seen but acts."""
    text = re.sub(_LINE_ENDS, "\n", re.sub(_ESCAPES, "", text))
    return re.sub(_SURROGATES, "\ufffd", re.sub(_UNWANTED, "", text))


def _stream_safe(run: re.Match[str]) -> str:
    """At most 30 combining marks in a row (UAX #15, stream-safe text): putting more of them in order takes quadratic time."""
    marks = 0
    kept: list[str] = []
    for char in run[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= 30:  # noqa: PLR2004 - the standard's number
            kept.append(char)
    return "".join(kept)


def _drop_active(text: str) -> str:
    """Without scripts and their like. A space takes their place, so that what is left cannot join into a new tag."""
    closers: dict[str, list[tuple[int, int]]] = {}
    for match in re.finditer(_CLOSER, text, re.IGNORECASE):
        closers.setdefault(match[1].lower(), []).append(match.span())
    kept: list[str] = []
    position = 0
    for opener in re.finditer(_OPENER, text, re.IGNORECASE) if closers else ():
        spans = closers.get(opener[1].lower(), [])
        index = bisect_left(spans, (opener.end(), 0))
        if opener.start() >= position and index < len(spans):
            kept.append(text[position : opener.start()])
            position = spans[index][1]
    return re.sub(_LONE, " ", " ".join((*kept, text[position:])), flags=re.IGNORECASE)


def clean_url(url: str) -> str:
    """An absolute http(s) address without credentials, controls and spaces; empty if it is none or longer than 2048."""
    if not (url := url[: 4 * URL].strip()):
        return ""
    if len(url) <= URL and _PLAIN_URL.fullmatch(url):
        return url
    url = re.sub(r"[\t\n\r\x0b\x0c\u2028\u2029]", "", re.sub(_SURROGATES, "", re.sub(_UNWANTED, "", url)))
    if not url:
        return ""
    from urllib.parse import quote, urlsplit  # what stands on this machine has no address

    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\\\s<>\"'`]", parts.netloc):
        return ""
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    if "@" in parts.netloc:
        url = parts._replace(netloc=netloc).geturl()
    url = re.sub(r"[\s<>\"`\\]", lambda match: quote(match[0]), url)
    return url if len(url) <= URL else ""

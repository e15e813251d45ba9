"""Converts files with libraries that strangers' files may crash, hang or swell, in a process of its own."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.apart import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdf

MODULE = "encyclopedia_adapters.local.documents.worker"
SECONDS = 40.0
"""For one file, seen from outside; converters that can stop between two pages do so earlier."""
_PATIENCE = 30.0
_PAGES, _OUTLINE, _TEXT = 3000, 2000, 20_000_000
_MEMBERS, _UNPACKED = 5000, 200_000_000


class Refusal(Exception):
    """The file cannot be converted; the message says why."""


def answer(head: str, raw: bytes) -> dict[str, Any]:
    """What the converter ``head`` makes of a file, or ``{"problem": …}``."""
    try:
        return {"pdf": _pdf, "docx": _docx, "rst": _rst}[head](raw)
    except Refusal as refusal:
        return {"problem": str(refusal)}
    except Exception as error:  # noqa: BLE001 - libraries raise what they like over broken files
        return {"problem": f"it cannot be read as {head} ({type(error).__name__})"}


def _pdf(raw: bytes) -> dict[str, Any]:
    """Title, date, outline and the text of each page."""
    import pypdf

    until = time.monotonic() + _PATIENCE
    reader = pypdf.PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Refusal("it is encrypted")
    if len(reader.pages) > _PAGES:
        raise Refusal(f"it has more than {_PAGES} pages")
    pages, size = list[str](), 0
    for page in reader.pages:
        pages.append(page.extract_text() or "")
        size += len(pages[-1])
        if time.monotonic() > until or size > _TEXT:
            raise Refusal(f"it takes too long to read, {len(pages)} of {len(reader.pages)} pages were read" if size <= _TEXT
                          else f"it holds more than {_TEXT // 1_000_000} MB of text")  # fmt: skip
    if not any(map(str.strip, pages)):
        raise Refusal("it holds no text, perhaps only images of it")
    facts = reader.metadata
    return {
        "title": str((facts and facts.title) or ""),
        "date": _day(facts),
        "outline": sorted(_outline(reader), key=lambda row: row[0]),
        "pages": pages,
    }


def _day(facts: pypdf.DocumentInformation | None) -> str:
    try:
        made = facts and (facts.modification_date or facts.creation_date)
    except ValueError:
        return ""
    return made.date().isoformat() if made else ""


def _outline(reader: pypdf.PdfReader) -> Iterator[tuple[int, int, str]]:
    """Page, level and title of each entry; without those that lead nowhere."""
    left: list[tuple[int, Any]] = [(1, entry) for entry in reversed(reader.outline)]
    told, level = 0, 1
    while left and told < _OUTLINE:
        level, entry = left.pop()
        if isinstance(entry, list):
            left += [(level + 1, below) for below in reversed(entry)]
            continue
        told += 1
        page = reader.get_destination_page_number(entry)
        if page is not None and page >= 0:
            yield page + 1, level, str(entry.title or "")


def _docx(raw: bytes) -> dict[str, Any]:
    """The text as HTML without its pictures."""
    import zipfile

    import mammoth

    if raw[:4] == b"\xd0\xcf\x11\xe0":
        raise Refusal("it is encrypted, or in the format of older versions")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
        if len(members) > _MEMBERS or sum(member.file_size for member in members) > _UNPACKED:
            raise Refusal(f"it unpacks to more than {_UNPACKED // 1_000_000} MB or {_MEMBERS} files")
    without_pictures = mammoth.images.img_element(lambda _image: {})
    html = mammoth.convert_to_html(io.BytesIO(raw), convert_image=without_pictures).value
    if not html.strip():
        raise Refusal("it holds no text")
    return {"html": html[:_TEXT]}


def _rst(raw: bytes) -> dict[str, Any]:
    """Level, title, first and last line of each heading. Nothing is included, fetched or passed through."""
    import docutils.core
    from docutils import nodes

    text = raw.decode("utf-8", "replace")
    safe = {
        "_disable_config": True,
        "doctitle_xform": False,
        "file_insertion_enabled": False,
        "halt_level": 5,
        "line_length_limit": len(text) + 1,
        "raw_enabled": False,
        "report_level": 5,
        "warning_stream": False,
    }
    tree, lines = docutils.core.publish_doctree(text, settings_overrides=safe), text.split("\n")
    rows = []
    for section in tree.findall(nodes.section):
        level, above = 1, section.parent
        while isinstance(above, nodes.section):
            level, above = level + 1, above.parent
        last = int(section.line or 0)
        if 1 < last <= len(lines):
            over = last > 2 and lines[last - 3].rstrip() == lines[last - 1].rstrip()  # noqa: PLR2004 - title and two rules
            rows.append((level, section[0].astext(), last - 2 if over else last - 1, last))
    return {"headings": rows}


if __name__ == "__main__":
    serve(answer)

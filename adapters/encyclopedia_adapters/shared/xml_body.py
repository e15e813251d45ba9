"""Reading XML that may be hostile: no document type, so no entities of its own, and bounded depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.shared.body import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

_DECLARATIONS = ("<!DOCTYPE", "<!ENTITY")


def parse_xml(host: str, text: str) -> Element:
    """The root element; ``Garbled`` for what is no XML, declares a document type or is deeper than 64.

    Without a declaration there is nothing to expand or to fetch but the five entities of XML itself. The words can stand in
    no other place of honest XML than a CDATA section or a comment, which is not worth the risk.
    """
    from xml.etree.ElementTree import ParseError, XMLPullParser

    if any(word in text for word in _DECLARATIONS):
        raise Garbled(f"{host} answered XML that declares a document type")
    parser: XMLPullParser[Element] = XMLPullParser(events=("start", "end"))
    root: Element | None = None
    depth = 0
    try:
        for at in range(0, len(text), 65_536):
            parser.feed(text[at : at + 65_536])
            for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                depth += 1 if event == "start" else -1
                root = element if root is None else root
                if depth > MAX_DEPTH:
                    raise Garbled(f"{host} answered XML that is too deep")
        parser.close()
    except (ParseError, UnicodeError):
        root = None
    if root is None:
        raise Garbled(f"{host} answered something that is not XML")
    return root

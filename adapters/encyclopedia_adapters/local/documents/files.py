"""The kinds of files that are documents: by which names they are known, and which library reads them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from encyclopedia_adapters.local.walk import LARGEST, Wanted

LARGEST_CONVERTED = 50_000_000
EXTRA = "pip install 'encyclopedia-search[files]'"


class Converter(NamedTuple):
    """What a file is, and the library of the extra ``files`` that it needs, if any."""

    kind: str
    library: str = ""


CONVERTERS = {
    ".md": Converter("markdown"),
    ".markdown": Converter("markdown"),
    ".mdx": Converter("markdown"),
    ".txt": Converter("text"),
    ".html": Converter("html"),
    ".htm": Converter("html"),
    ".rst": Converter("rst", "docutils"),
    ".pdf": Converter("pdf", "pypdf"),
    ".docx": Converter("docx", "mammoth"),
}
WANTED = Wanted(tuple(CONVERTERS), LARGEST, dict.fromkeys((".pdf", ".docx"), LARGEST_CONVERTED))


def converter(name: str) -> Converter:
    """What the file of that name is; plain text if the name does not tell."""
    _, dot, end = name.rpartition(".")
    return CONVERTERS.get(dot + end.lower(), Converter("text"))


@cache
def lacks(library: str) -> bool:
    """Whether a library is missing; looked up without importing it, once a process."""
    from importlib.util import find_spec

    return find_spec(library) is None

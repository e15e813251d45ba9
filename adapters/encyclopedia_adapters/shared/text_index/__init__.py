"""A text index in a folder: what local sources search and keep up to date.

The names are looked up when they are asked for: sources are imported in several threads at once, and a package that imports
its own modules while it is being imported is then locked against a thread that imports one of these modules first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from encyclopedia_adapters.shared.text_index.index import TextIndex
    from encyclopedia_adapters.shared.text_index.manifest import IndexBusy
    from encyclopedia_adapters.shared.text_index.passage import Filled, Match, Passage
    from encyclopedia_adapters.shared.text_index.writer import Writer

__all__ = ["Filled", "IndexBusy", "Match", "Passage", "TextIndex", "Writer"]

_PLACES = {
    "Filled": "passage",
    "IndexBusy": "manifest",
    "Match": "passage",
    "Passage": "passage",
    "TextIndex": "index",
    "Writer": "writer",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)

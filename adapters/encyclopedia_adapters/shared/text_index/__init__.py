"""A text index in a folder: what local sources search and keep up to date."""

from encyclopedia_adapters.shared.text_index.index import TextIndex
from encyclopedia_adapters.shared.text_index.manifest import IndexBusy
from encyclopedia_adapters.shared.text_index.passage import Filled, Match, Passage
from encyclopedia_adapters.shared.text_index.writer import Writer

__all__ = ["Filled", "IndexBusy", "Match", "Passage", "TextIndex", "Writer"]

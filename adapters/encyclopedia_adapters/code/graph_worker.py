"""Parses code in a process of its own, so that what makes a grammar crash, hang or grow costs one file only."""

from __future__ import annotations

import json
from typing import Any

from encyclopedia_adapters.shared.apart import Apart, Spoiled, serve

SECONDS = 3.0
"""For one file; most need a few milliseconds."""
MODULE = 1000
"""Bytes at the beginning of a file by which it is found as a whole."""
_REASONS = {"it crashed": "its grammar crashed", "it failed": "its grammar failed"}


class Unparsed(Exception):
    """The file was too much for its grammar; says why."""


class Worker(Apart):
    """Parses files one after the other. Not for several threads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__("encyclopedia_adapters.code.graph_worker", seconds)

    def parse(self, language: str, path: str, raw: bytes) -> dict[str, Any]:
        """The fields of ``Parsed`` as JSON has them, with the ``words`` of each definition and of the ``module``.

        Raises ``Unparsed``.
        """
        try:
            found: dict[str, Any] = json.loads(self.do(f"{language} {path}", raw))
        except Spoiled as spoiled:
            reason = str(spoiled)
            raise Unparsed(_REASONS.get(reason, f"it was not parsed within {self.seconds:g} s")) from None
        return found


def _answer(head: str, raw: bytes) -> dict[str, Any]:
    from encyclopedia_adapters.code.graph_parse import parse
    from encyclopedia_adapters.shared.text_index.analyser import split, terms

    language, path = head.split(" ", 1)
    parsed = parse(language, raw)
    rows = [entry[:-1] for entry in parsed.definitions]
    words = [
        [terms(split(part)) for part in (entry.name, f"{entry.qualified} {entry.signature}", entry.doc, entry.text)]
        for entry in parsed.definitions
    ]
    start = raw[:MODULE].decode("utf-8", "replace")
    module = [terms(split(part)) for part in (path.rpartition("/")[2].partition(".")[0], path, "", start)]
    return {
        "module": module,
        "definitions": rows,
        "words": words,
        "calls": parsed.calls,
        "imports": parsed.imports,
        "bases": parsed.bases,
    }


if __name__ == "__main__":
    serve(_answer)

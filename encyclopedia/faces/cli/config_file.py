"""The configuration file that ``config init`` writes: every setting in a comment, with its default."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = """\
# Settings of encyclopedia. Take the # away from a line to change it; times are in seconds.
# The environment speaks after this file: ENCYCLOPEDIA_TIMEOUT, ENCYCLOPEDIA_FUSION_FORMULA, and so on.
# `encyclopedia config show` tells what is in force and who said so. Keep keys in .env.local beside this file.
"""
EXAMPLES = """
# One table for each source. Those that are built in take enabled, timeout, serves and base_url:
# [sources.wikipedia]
# enabled = false

# An HTTP API that answers with JSON becomes a source without code; ${NAME} is filled from the environment:
# [sources.intranet]
# kind = "json"
# serves = { general_search = 0.3 }
# url = "https://wiki.example.org/api/search?q={query}&n={limit}"
# headers = { Authorization = "Bearer ${WIKI_TOKEN}" }
# results = "hits[]"
# fields = { title = "name", url = "links.html", content = "excerpt", published = "updated" }

# One table for each corpus that is not registered with `encyclopedia corpus add`:
# [corpora.notes]
# path = "~/notes"
# serves = { library_docs = 0.4 }
# tags = ["own"]
"""


def create(home: str) -> str:
    """Write the file (0600, in a folder 0700) and return its path. Raises ``ConfigurationError`` if there is one already."""
    path = places.config_file(home)
    os.makedirs(home, mode=0o700, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigurationError(f"{path} exists already", "edit it, or move it away first") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text())
    return path


def text() -> str:
    """The content of the file; nothing in it is in force, and every comment can be taken away."""
    return HEAD + "".join(f"{line}\n" for line in _lines()) + EXAMPLES


def _lines() -> Iterator[str]:
    import json

    from encyclopedia.model.settings import Settings
    from encyclopedia.wiring.environment import Environment
    from encyclopedia.wiring.settings import Loaded, shown

    values = shown(Loaded(Settings(), {}, "", Environment({}, {})))
    section = ""
    for name in sorted(values, key=lambda name: name.count(".")):
        head, _, tail = name.rpartition(".")
        if head != section:
            section = head
            yield from ("", f"[{section}]")
        yield f"# {tail} = {json.dumps(values[name])}"

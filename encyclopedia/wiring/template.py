"""The configuration file with every setting at its default, written from ``Settings``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = """\
# Settings of encyclopedia. Every line shows a default: take the # away to change it.
# The environment (ENCYCLOPEDIA_TIMEOUT, ENCYCLOPEDIA_BREAKER_COOLDOWN, ...) and flags speak after this file.
"""
TAIL = """
# A source of your own, without code: any HTTP API that answers in JSON.
# [sources.intranet]
# kind = "json"
# serves = { general_search = 0.3 }
# url = "https://wiki.example.org/api/search?q={query}&n={limit}"
# headers = { Authorization = "Bearer ${WIKI_TOKEN}" }
# results = "hits[]"
# fields = { title = "name", url = "links.html", content = "excerpt", published = "updated" }
# timeout = 3.0

# A built-in source can be given another address or time, or be switched off.
# [sources.wikipedia]
# enabled = false
"""


def template() -> str:
    """The text of ``config/defaults.toml``, and of the file that ``config init`` writes."""
    settings = Settings()
    plain = [line for name, value in settings._asdict().items() for line in _line(name, value)]
    sections = []
    for name, value in settings._asdict().items():
        if hasattr(value, "_fields"):
            lines = [line for inner in value._fields for line in _line(inner, getattr(value, inner))]
            sections.append("\n".join([f"# [{name}]", *lines]))
    return "\n".join([HEAD, *plain, "", "\n\n".join(sections), TAIL])


def _line(name: str, value: object) -> Iterator[str]:
    if value is None:
        yield f"# {name} = 10.0  # 60.0 for the formula classic"
    elif isinstance(value, bool):
        yield f"# {name} = {str(value).lower()}"
    elif isinstance(value, str):
        yield f'# {name} = "{value}"'
    elif isinstance(value, int | float):
        yield f"# {name} = {value}"

"""What every page has around it: head, navigation, the form, the foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.faces.web.html import text
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGES = (("search", "/search", "Search"), ("ask", "/ask", "Ask"), ("health", "/health", "Health"))
TYPES = {
    "": "decide by the words",
    QueryType.LIBRARY_DOCS.value: "documentation",
    QueryType.GENERAL_SEARCH.value: "the web at large",
    QueryType.CODE_CONTEXT.value: "code",
    QueryType.REPOSITORY.value: "a repository",
}
LIMITS = (5, 10, 20, 50)


class Form(NamedTuple):
    """What stands in the form: the words, and what narrows them. ``known`` are the corpora and tags that there are."""

    query: str = ""
    type: str = ""
    corpora: tuple[str, ...] = ()
    tags: str = ""
    limit: int = 10
    fresh: bool = False
    known_corpora: tuple[str, ...] = ()
    known_tags: tuple[str, ...] = ()


def page(active: str, title: str, main: str, *, home: bool = False) -> str:
    """A whole page."""
    items = "".join(
        f'<li><a href="{path}"{" aria-current=page" if name == active else ""}>{shown}</a></li>' for name, path, shown in PAGES
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(title)}</title>
<link rel="stylesheet" href="/static/style.css">
<link rel="icon" type="image/svg+xml" href="/static/icon.svg">
<link rel="search" type="application/opensearchdescription+xml" title="encyclopedia" href="/opensearch.xml">
<script src="/static/app.js" defer></script>
</head>
<body{' class="home"' if home else ""}>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">encyclopedia</a><nav aria-label="Pages"><ul>{items}</ul></nav></header>
<main id="main" tabindex="-1">
{main}
</main>
<footer><p>Text of results comes from elsewhere and is shown as it is. <span class="keys">Keys: <kbd>/</kbd> search,
<kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>o</kbd> open, <kbd>w</kbd> why here.</span></p></footer>
</body>
</html>
"""


def form(given: Form, action: str, *, focus: bool = False) -> str:
    """The search box with its scopes; ``action`` is /search or /ask."""
    asks = action == "/ask"
    hint = "Ask your corpora a question" if asks else "Search everything you may use"
    return f"""<form class="box" role="search" action="{action}" method="get" data-mode="{action.strip("/")}">
<div class="line"><label class="hidden" for="q">{hint}</label>
<input id="q" name="q" type="search" value="{text(given.query)}" placeholder="{hint}" autocomplete="off" autocapitalize="off"
 spellcheck="false" list="said" maxlength="4000"{" autofocus" if focus else ""}>
<datalist id="said"></datalist>
<button type="submit">{"Ask" if asks else "Search"}</button></div>
{_scope(given, asks=asks)}
</form>"""


def _scope(given: Form, *, asks: bool) -> str:
    narrowed = [*given.corpora, *([given.tags] if given.tags else []), *([TYPES.get(given.type, "")] if given.type else [])]
    told = ", ".join(narrowed) or "everything"
    boxes = "".join(
        f'<label><input type="checkbox" name="corpora" value="{text(name)}"{_on(name in given.corpora)}> {text(name)}</label>'
        for name in given.known_corpora
    )
    corpora = f"<fieldset><legend>Only these corpora</legend>{boxes}</fieldset>" if boxes else ""
    tags = "".join(f'<option value="{text(tag)}">' for tag in given.known_tags)
    return f"""<details class="scope"{" open" if narrowed else ""}><summary>Scope: {text(told)}</summary>
{"" if asks else _kinds(given)}{corpora}
<fieldset class="more"><legend>More</legend>
<label>Tags <input name="tags" value="{text(given.tags)}" list="tags" autocomplete="off"></label>
<datalist id="tags">{tags}</datalist>
{"" if asks else _bounds(given)}</fieldset></details>"""


def _kinds(given: Form) -> str:
    radios = "".join(
        f'<label><input type="radio" name="type" value="{value}"{_on(value == given.type)}> {shown}</label>'
        for value, shown in TYPES.items()
    )
    return f"<fieldset><legend>What is looked for</legend>{radios}</fieldset>"


def _bounds(given: Form) -> str:
    options = "".join(f"<option{' selected' if number == given.limit else ''}>{number}</option>" for number in _limits(given))
    fresh = f'<input type="checkbox" name="fresh" value="1"{_on(given.fresh)}> ask anew, not from the cache'
    return f'<label>Results <select name="limit">{options}</select></label> <label>{fresh}</label>'


def _limits(given: Form) -> Iterable[int]:
    return sorted({*LIMITS, given.limit})


def _on(yes: object) -> str:
    return " checked" if yes else ""


def trouble(message: str, hint: str = "") -> str:
    """What went wrong, and what to do about it."""
    remedy = f"<p>{text(hint)}</p>" if hint else ""
    return f'<div class="trouble" role="alert"><p><strong>{text(message)}</strong></p>{remedy}</div>'

"""From the bytes of a source file to its definitions, calls, imports and bases."""

from __future__ import annotations

import re
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.code.graph_imports import imports
from encyclopedia_adapters.code.graph_languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node, Parser, Query

    from encyclopedia_adapters.code.graph_values import Import

SIGNATURE, DOC, BODY, NAME = 300, 600, 6000, 200
"""Most characters kept of each."""
_KINDS = ("class", "interface", "function", "macro", "scope", "type")
_HOLDERS = ("class", "interface", "scope", "type")
_DEPTH = 20
_COMMENT = re.compile(r"\s*(?:///?!?|/\*\*?|\*/?|#(?!\[|!|\s*(?:include|define|if|else|endif)))\s?(.*?)(?:\*/)?\s*$")


class Definition(NamedTuple):
    """A definition as it stands in the file; ``text`` is what is searched besides its names."""

    name: str
    qualified: str
    kind: str
    first: int
    last: int
    signature: str
    doc: str
    text: str


class Parsed(NamedTuple):
    """A file: definitions; calls as (index of the definition or -1, name, receiver, line); bases as (class, base)."""

    definitions: list[Definition]
    calls: list[tuple[int, str, str, int]]
    imports: list[Import]
    bases: list[tuple[str, str]]


class _Found(NamedTuple):
    start: int
    end: int
    kind: str
    name: str
    owner: str
    node: Node


@cache
def _reader(language: str) -> tuple[Parser, Query]:
    from importlib import import_module

    from tree_sitter import Language, Parser, Query

    known = LANGUAGES[language]
    grammar = Language(getattr(import_module(known.package), known.function)())
    return Parser(grammar), Query(grammar, known.patterns)


def parse(language: str, raw: bytes) -> Parsed:
    """What the file defines and uses. What does not parse is passed over; the rest is found."""
    from tree_sitter import QueryCursor

    parser, query = _reader(language)
    family = LANGUAGES[language].family
    found: dict[tuple[int, int], _Found] = {}
    bases: dict[tuple[int, int], list[str]] = {}
    sites: list[tuple[int, str, str, int]] = []
    taken: list[Import] = []
    for _, captures in QueryCursor(query).matches(parser.parse(raw).root_node):
        if "call" in captures:
            sites.append(_site(captures))
        elif "import" in captures:
            node = captures["import"][0]
            taken += imports(family, _text(node), node.start_point[0] + 1)
        elif "embedded" in captures:
            node = captures["embedded"][0]
            bases.setdefault((node.start_byte, node.end_byte), []).append(_text(node))
        elif (entry := _definition(captures)) is not None:
            key = entry.start, entry.end
            if key not in found or _KINDS.index(entry.kind) < _KINDS.index(found[key].kind):
                found[key] = entry
            bases.setdefault(key, []).extend(_text(node) for node in captures.get("bases", ()))
    return _arranged(raw, sorted(found.values(), key=lambda entry: (entry.start, -entry.end)), bases, (sites, taken), family)


def _arranged(
    raw: bytes,
    found: Sequence[_Found],
    bases: Mapping[tuple[int, int], Sequence[str]],
    uses: tuple[list[tuple[int, str, str, int]], list[Import]],
    family: str,
) -> Parsed:
    """Everything in its place: definitions within definitions, and calls within them."""
    lines = raw.decode("utf-8", "replace").split("\n")
    definitions: list[Definition] = []
    spans: list[tuple[int, int, int]] = []
    names: list[tuple[int, int, str]] = []
    open_: list[tuple[_Found, str]] = []
    for entry in found:
        while open_ and open_[-1][0].end <= entry.start:
            open_.pop()
        holder = open_[-1] if open_ else None
        qualified = ".".join(filter(None, (holder[1] if holder else "", entry.owner, entry.name)))[-NAME:]
        open_.append((entry, qualified))
        names.append((entry.start, entry.end, qualified))
        if entry.kind != "scope":
            within = bool(entry.owner) or (holder is not None and holder[0].kind in _HOLDERS and _is_type(holder[0]))
            kind = "method" if entry.kind == "function" and within else entry.kind
            spans.append((entry.start, entry.end, len(definitions)))
            definitions.append(_described(entry, qualified, kind, lines, family))
    holders = _holders(names, sorted(key for key in bases if bases[key]))
    related = [(holders[key], base) for key in holders for text in bases[key] for base in _bases(text)]
    return Parsed(definitions, _placed(spans, uses[0]), uses[1], list(dict.fromkeys(related)))


def _is_type(entry: _Found) -> bool:
    """Whether functions in it are methods: not those of a namespace or a module."""
    return entry.kind != "scope" or entry.node.type == "impl_item"


def _holders(names: Sequence[tuple[int, int, str]], keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The innermost definition around each of ``keys`` (or the one that it is itself)."""
    places = _placed([(start, end, at) for at, (start, end, _) in enumerate(names)], [(start, "", "", 0) for start, _ in keys])
    return {key: names[place[0]][2] for key, place in zip(keys, places, strict=True) if place[0] >= 0}


def _placed(
    spans: Sequence[tuple[int, int, int]], sites: Sequence[tuple[int, str, str, int]]
) -> list[tuple[int, str, str, int]]:
    """Each site with the index of the innermost span around it in place of its position, -1 if there is none."""
    placed: list[tuple[int, str, str, int]] = []
    open_: list[tuple[int, int]] = []
    at = 0
    for start, name, receiver, line in sorted(sites):
        while at < len(spans) and spans[at][0] <= start:
            while open_ and open_[-1][0] <= spans[at][0]:
                open_.pop()
            open_.append((spans[at][1], spans[at][2]))
            at += 1
        while open_ and open_[-1][0] <= start:
            open_.pop()
        placed.append((open_[-1][1] if open_ else -1, name, receiver, line))
    return placed


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _site(captures: Mapping[str, Sequence[Node]]) -> tuple[int, str, str, int]:
    callee = captures["callee"][0]
    receiver = re.sub(r"\s+", "", _text(captures["receiver"][0])[:NAME]) if "receiver" in captures else ""
    receiver = "super" if receiver.startswith("super(") else receiver.replace("::", ".").replace("->", ".")
    if receiver and not re.fullmatch(r"[\w.$]+", receiver):
        receiver = "?"
    return callee.start_byte, _text(callee)[:NAME], receiver, callee.start_point[0] + 1


def _definition(captures: Mapping[str, Sequence[Node]]) -> _Found | None:
    kind = next((kind for kind in _KINDS if kind in captures), "")
    if not kind:
        return None
    node, called = captures[kind][0], captures["name"][0]
    for _ in range(_DEPTH):  # of C: a pointer to a function that returns …
        inner = called.child_by_field_name("declarator")
        if inner is None:
            break
        called = inner
    name = re.sub(r"[<(\[].*", "", _text(called)[:NAME].replace("::", "."), flags=re.DOTALL).strip(" &*'")
    owner, _, name = name.rpartition(".")
    if "owner" in captures:
        receiver = re.sub(r"\[.*", "", _text(captures["owner"][0])[:NAME], flags=re.DOTALL).strip("() ")
        owner = re.split(r"[\s*]+", receiver)[-1]
    return _Found(node.start_byte, node.end_byte, kind, name, owner, node) if name else None


def _described(entry: _Found, qualified: str, kind: str, lines: Sequence[str], family: str) -> Definition:
    node = entry.node
    first, last = node.start_point[0] + 1, node.end_point[0] + (1 if node.end_point[1] else 0)
    value = node.child_by_field_name("value")
    body = node.child_by_field_name("body") or (value.child_by_field_name("body") if value else None)
    text = _text(node)[:BODY] if node.end_byte - node.start_byte < 4 * BODY else "\n".join(lines[first - 1 : last])[:BODY]
    if body is not None:
        head = (node.text or b"")[: body.start_byte - node.start_byte].decode("utf-8", "replace")
    else:
        head = text.partition("{")[0] if "{" in text[:SIGNATURE] else text.partition("\n")[0]
    before = lines[first - 1].encode()[: node.start_point[1]].decode("utf-8", "replace").strip()
    words = before if len(before) < 60 and not re.search(r"[;{}]", before) else ""  # noqa: PLR2004 - export default, static inline
    signature = " ".join(f"{words} {head}".split()).rstrip(" :={") or qualified
    doc = _docstring(body) if family == "python" else _comment(lines, first)
    return Definition(entry.name, qualified, kind, first, last, signature[:SIGNATURE], doc[:DOC], text)


def _docstring(body: Node | None) -> str:
    first = body.named_child(0) if body is not None and body.named_child_count else None
    if first is not None and first.type == "expression_statement" and first.named_child_count:
        first = first.named_child(0)
    if first is None or first.type != "string":
        return ""
    return cleandoc(re.sub(r"^[a-zA-Z]*(\"\"\"|'''|[\"'])|(\"\"\"|'''|[\"'])$", "", _text(first)))


def _comment(lines: Sequence[str], first: int) -> str:
    """The comment right above a definition, past its annotations."""
    at = first - 2
    while at >= 0 and re.match(r"\s*(?:@|#\[|template\b)", lines[at]):
        at -= 1
    taken: list[str] = []
    while (
        at >= 0
        and len(taken) < _DEPTH
        and lines[at].strip()
        and (match := _COMMENT.match(lines[at][:DOC]))
        and "*/" not in match[1]
    ):
        taken.append(match[1])
        at -= 1
    return "\n".join(reversed(taken)).strip()


def _bases(text: str) -> list[str]:
    """The names in a list of bases, without their arguments and whatever stands beside them."""
    text = text[:LONG_LIST].strip()
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)", "", text)
    words = re.findall(r"[\w.$:]+(?:\s*=\s*[\w.]+)?", text)
    names = [re.split(r"\.|::", word)[-1] for word in words if "=" not in word]
    return [name for name in names if name.isidentifier() and name not in _BESIDE]


LONG_LIST = 1000
_BESIDE = frozenset(("extends", "implements", "public", "private", "protected", "virtual", "where", "dyn", "for"))

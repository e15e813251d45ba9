"""A subgraph as text that others draw: Mermaid, or the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMS = ("mermaid", "dot")
_MUTUAL = ("complements", "alternative_to", "conflicts_with", "related")


def diagram(body: Mapping[str, Any], form: str) -> str:
    """The nodes and edges of a subgraph in one of ``FORMS``; relations that mean the same both ways have no arrow head."""
    return _mermaid(body) if form == "mermaid" else _dot(body)


def _mermaid(body: Mapping[str, Any]) -> str:
    names = {node["id"]: f"n{number}" for number, node in enumerate(body["nodes"], 1)}
    lines = ["graph LR"]
    for node in body["nodes"]:
        left, right = ('(["', '"])') if node["is_seed"] else ('["', '"]')
        lines.append(f"  {names[node['id']]}{left}{_quoted(node['name'], '#quot;')}{right}")
    for edge in body["edges"]:
        arrow = "---" if edge["type"] in _MUTUAL else "-->"
        label = f"|{_label(edge)}|"
        lines.append(f"  {names[edge['from']]} {arrow}{label} {names[edge['to']]}")
    return "\n".join(lines)


def _dot(body: Mapping[str, Any]) -> str:
    names = {node["id"]: f"n{number}" for number, node in enumerate(body["nodes"], 1)}
    lines = ["digraph concepts {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for node in body["nodes"]:
        bold = ", penwidth=2" if node["is_seed"] else ""
        lines.append(f'  {names[node["id"]]} [label="{_quoted(node["name"], chr(92) + chr(34))}"{bold}];')
    for edge in body["edges"]:
        head = ", dir=none" if edge["type"] in _MUTUAL else ""
        lines.append(f'  {names[edge["from"]]} -> {names[edge["to"]]} [label="{_label(edge)}"{head}];')
    return "\n".join([*lines, "}"])


def _label(edge: Mapping[str, Any]) -> str:
    return f"{edge['type'].replace('_', ' ')} {edge['confidence']:.2f}"


def _quoted(name: str, quote: str) -> str:
    """A name within quotation marks, on one line, without what the language takes as its own."""
    return " ".join(name.replace("\\", "/").replace('"', quote).split())

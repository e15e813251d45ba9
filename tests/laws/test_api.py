"""The reference of the Python face is made of its docstrings, and is true.

`python -m tests.laws.test_api` writes it anew.
"""

from __future__ import annotations

import inspect
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import encyclopedia

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
MORE = {
    "encyclopedia.faces.langchain": ("EncyclopediaRetriever",),
    "encyclopedia.faces.llamaindex": ("EncyclopediaRetriever",),
}
"""What is imported by its module, since it needs an extra; only its words are read here."""
BEHIND = {
    "encyclopedia.faces.lookup": ("Lookup",),
    "encyclopedia.faces.code": ("Code", "CodeFile"),
    "encyclopedia.model.answer": ("Answer",),
    "encyclopedia.faces.load": ("load",),
    "encyclopedia.faces.ground": ("ground",),
    "encyclopedia.faces.graph": ("graph",),
    "encyclopedia.faces.context": ("request_context",),
    "encyclopedia.faces.statistics": ("statistics",),
    "encyclopedia.faces.feedback": ("feedback",),
    "encyclopedia.faces.evaluate": ("Want",),
    "encyclopedia.faces.evaluate_answers": ("evaluate_answers",),
}
"""What the methods take, give, or hand on to."""
HEAD = """# Python reference

Made of the docstrings: `python -m tests.laws.test_api` writes it, a test compares it. How it is used stands in the
[README](../README.md#from-python).
"""


def page() -> str:
    parts = [HEAD]
    for name in encyclopedia.__all__:
        parts += described(f"encyclopedia.{name}", getattr(encyclopedia, name))
    for module, names in BEHIND.items():
        parts += [piece for name in names for piece in described(f"{module}.{name}", getattr(import_module(module), name))]
    for module, names in MORE.items():
        parts += [piece for name in names for piece in from_source(module, name)]
    return "\n".join(parts).rstrip() + "\n"


def described(name: str, thing: Any) -> list[str]:
    if not inspect.isclass(thing):
        return [f"\n## `{name}{signature(thing)}`\n", text_of(thing)]
    made = thing.__init__ is not object.__init__ or hasattr(thing, "_fields")
    own = signature(thing) if made and not issubclass(thing, str) else ""
    found = [f"\n## `{name}`\n", *([f"`{thing.__name__}{own}`\n"] if own else []), text_of(thing)]
    for member, value in sorted(members(thing).items()):
        if inspect.isfunction(value):
            kind = "await " if inspect.iscoroutinefunction(value) else ""
            found += [f"\n### `{kind}{member}{signature(value)}`\n", text_of(value)]
        elif isinstance(value, property):
            found += [f"\n### `{member}`\n", text_of(value)]
    if issubclass(thing, str):
        found += ["\n" + ", ".join(f"`{one.name}` = `{one.value}`" for one in thing)]
    return found


def members(thing: type) -> dict[str, Any]:
    bases = [base for base in reversed(thing.__mro__) if base.__module__.startswith("encyclopedia")]
    return {name: value for base in bases for name, value in vars(base).items() if not name.startswith("_")}


def signature(thing: Any) -> str:
    """The signature as it is written: annotations without quotes, defaults with them."""
    made = inspect.signature(thing)
    shown, keyword = list[str](), False
    for name, one in made.parameters.items():
        if name in ("self", "engine"):  # the methods pass their own
            continue
        if one.kind is one.KEYWORD_ONLY and not keyword:
            keyword = True
            shown.append("*")
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        kind = f": {annotation(one)}" if one.annotation is not one.empty else ""
        shown.append(f"{stars}{name}{kind}{default_of(one)}")
    back = f" -> {made.return_annotation}" if made.return_annotation not in (made.empty, "None", None) else ""
    return f"({', '.join(shown)}){back}"


def annotation(one: inspect.Parameter) -> str:
    """As it is written; the fields of a named tuple keep theirs in a ``ForwardRef``."""
    return getattr(one.annotation, "__forward_arg__", one.annotation)


def default_of(one: inspect.Parameter) -> str:
    if one.default is one.empty:
        return ""
    plain = isinstance(one.default, str | int | float | tuple | None) and not isinstance(one.default, Enum)
    return f" = {one.default!r}" if plain else " = …"


def text_of(thing: Any) -> str:
    said = inspect.getdoc(thing)
    assert said, thing
    return said.replace("``", "`")


def from_source(module: str, name: str) -> list[str]:
    """The docstring of a class whose module may not be imported here, read from its source."""
    import ast

    path = PAGE.parents[1].joinpath(*module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text())
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    said = ast.get_docstring(found)
    assert said
    return [f"\n## `{module}.{name}`\n", said.replace("``", "`")]


@pytest.mark.spec("ENC-API-1")
def test_the_reference_is_what_the_docstrings_say() -> None:
    assert PAGE.read_text() == page(), "python -m tests.laws.test_api"


@pytest.mark.spec("ENC-API-1")
def test_every_public_name_is_exported_and_described() -> None:
    told = PAGE.read_text()
    for name in encyclopedia.__all__:
        assert f"## `encyclopedia.{name}" in told


if __name__ == "__main__":
    PAGE.write_text(page())

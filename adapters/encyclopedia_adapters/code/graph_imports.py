"""What an import statement brings into a file, read from its text in each language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.code.graph_values import Import

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 4000


def imports(family: str, statement: str, line: int) -> list[Import]:
    """The imports of one statement; ``line`` is where it begins."""
    text = statement[:LONGEST]
    if family == "python":
        text = re.sub(r"#.*", "", text)
    text = " ".join(text.split())
    reader = {"python": _python, "script": _script, "go": _go, "rust": _rust, "java": _java, "c": _c}[family]
    return [Import(module, name, alias, line) for module, name, alias in reader(text)]


def _pairs(listed: str) -> Iterator[tuple[str, str]]:
    """The names of a list, each with what it is called here."""
    for part in listed.strip(" (){};").split(","):
        name, _, alias = part.strip().removeprefix("type ").replace(":", " as ").partition(" as ")
        if name.strip():
            yield name.strip(), (alias or name).strip()


def _python(text: str) -> Iterator[tuple[str, str, str]]:
    if text.startswith("from "):
        module, _, listed = text.removeprefix("from ").partition(" import ")
        for name, alias in _pairs(listed):
            yield module.replace(" ", ""), name, alias
        return
    for name, alias in _pairs(text.removeprefix("import ")):
        yield name, "", alias


def _script(text: str) -> Iterator[tuple[str, str, str]]:
    found = re.search(r"(?:from|import|require\s*\()\s*([\"'])([^\"']*)\1", text)
    if not found:
        return
    module = found[2]
    head = re.sub(r"^(?:import|export|const|let|var)\s+(?:type\s+)?", "", text[: found.start()]).rstrip(" =")
    braces = re.search(r"\{([^{}]*)\}", head)
    for name, alias in _pairs(braces[1]) if braces else ():
        yield module, name, alias
    for name in re.sub(r"\{[^{}]*\}", "", head).split(","):
        if star := re.match(r"\s*\*(?:\s+as\s+([\w$]+))?", name):
            yield module, "" if star[1] else "*", star[1] or "*"
        elif re.fullmatch(r"\s*[\w$]+\s*", name):
            yield module, "", name.strip()
    if not head:
        yield module, "", ""


def _go(text: str) -> Iterator[tuple[str, str, str]]:
    alias, _, quoted = text.rpartition(" ")
    module = quoted.strip('"`')
    name = re.sub(r"^v\d+$", "", module.rpartition("/")[2]) or module.split("/")[-2 if "/" in module else -1]
    yield module, "*" if alias == "." else "", alias or name


def _rust(text: str) -> Iterator[tuple[str, str, str]]:
    text = re.sub(r"^(?:pub(?:\([^)]*\))? )?use ", "", text).rstrip("; ").replace(" ", "\t").replace("\tas\t", " as ")
    text = text.replace("\t", "")
    prefixes = [""]
    rest = ""
    for part in re.findall(r"[{},]|[^{},]+", text):
        if part == "{":
            prefixes.append(prefixes[-1] + rest)
            rest = ""
        elif part in ",}":
            yield from _rust_name(prefixes[-1] + rest) if rest else ()
            rest = ""
            if part == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            rest = part
    if rest:
        yield from _rust_name(prefixes[-1] + rest)


def _rust_name(path: str) -> Iterator[tuple[str, str, str]]:
    path, _, alias = path.partition(" as ")
    module, _, name = path.rpartition("::")
    if name == "self":
        module, _, name = module.rpartition("::")
    yield (module, name, alias or name) if module else (name, "", alias or name)


def _java(text: str) -> Iterator[tuple[str, str, str]]:
    path = text.removeprefix("import ").removeprefix("static ").rstrip("; ").replace(" ", "")
    module, _, name = path.rpartition(".")
    yield module, name, name


def _c(text: str) -> Iterator[tuple[str, str, str]]:
    path = text.partition("include")[2].strip()
    yield path.strip('"<> '), "*", "*"

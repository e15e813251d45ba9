"""Python sources to descriptions of what they define, read with griffe as text and never run."""

from __future__ import annotations

import tokenize
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local import overridden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from encyclopedia_adapters.local.dist_sources import SourceFile

MAX_SOURCE = 1_500_000
"""Characters of a source file; longer ones are generated tables."""
MAX_SIGNATURE = 900
MAX_DOCSTRING = 6000
MAX_MEMBERS = 60


class Described(NamedTuple):
    """Something defined in Python: where, how it is called, what is said of it, and what it holds."""

    path: str
    kind: str
    signature: str
    docstring: str
    members: str
    shown: str
    lines: tuple[int, int]


@dataclass(slots=True)
class Sources:
    """What a set of files defines, which names lead to it, and which files could not be read and why."""

    objects: list[Described] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    skipped: list[tuple[str, str]] = field(default_factory=list)


def read_sources(files: Iterable[SourceFile], check: Callable[[], None]) -> Sources:
    """Read ``files`` (packages before their contents); ``check`` is called before each and may raise to stop the reading.

    A file that cannot be parsed is listed under ``skipped``; it never costs the others.
    """
    import griffe

    found = Sources()
    defined = overridden.definitions()
    extensions = griffe.Extensions(defined)
    parsed: dict[str, Any] = {}
    exports: dict[str, tuple[str, ...]] = {}
    stars: list[tuple[str, str]] = []
    for file in files:
        check()
        parent, _, name = file.module.rpartition(".")
        try:
            above = _parent(griffe, parsed, parent)
            with griffe.logger.disable():
                module = griffe.visit(
                    name, filepath=_path(file.path), code=_code(file.path), extensions=extensions, parent=above
                )
            parsed[file.module] = module
            exports[file.module] = tuple(_exported(module))
            members = {n: overridden.described(m, f"{module.path}.{n}", defined.seen) for n, m in module.members.items()}
            defined.seen.clear()
            stars += _collect(found, module, file, members)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's file does to the parser must not cost the others
            found.skipped.append((file.shown, _reason(error)))
    _expand_stars(found, stars, exports)
    return found


def public_paths(found: Sources) -> dict[str, str]:
    """For each defined path the name that people import it by: public before private, then the shortest."""
    best: dict[str, str] = {}
    defined = {item.path for item in found.objects}
    for alias in found.public:
        target = _followed(found.names, alias)
        if target in defined:
            best[target] = min(best.get(target, target), alias, key=_publicity)
    return best


def public_path(path: str, best: dict[str, str]) -> str:
    """``path`` by the public name of itself or of the nearest thing that it is defined in."""
    end = len(path)
    while end > 0:
        if path[:end] in best:
            return best[path[:end]] + path[end:]
        end = path.rfind(".", 0, end)
    return path


def is_private(path: str) -> bool:
    """Whether any part of ``path`` is marked as nobody else's business."""
    return any(part.startswith("_") for part in path.split("."))


def _publicity(path: str) -> tuple[bool, int, str]:
    return is_private(path), path.count("."), path


def _followed(names: dict[str, str], path: str) -> str:
    for _ in range(10):  # aliases may go round in circles
        if path not in names:
            return path
        path = names[path]
    return path


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _code(path: str) -> str:
    with tokenize.open(path) as file:
        code = file.read(MAX_SOURCE + 1)
    if len(code) > MAX_SOURCE:
        raise ValueError("longer than any file written by hand")
    return code


def _path(path: str) -> Any:
    from pathlib import Path

    return Path(path)


def _parent(griffe: Any, parsed: dict[str, Any], name: str) -> Any:
    """The module object ``name``; made up where it is only a namespace folder."""
    if name and name not in parsed:
        above, _, last = name.rpartition(".")
        parsed[name] = griffe.Module(last, filepath=None, parent=_parent(griffe, parsed, above))
    return parsed.get(name)


def _exported(module: Any) -> Iterator[str]:
    if module.exports is None:
        yield from (name for name, member in module.members.items() if not name.startswith("_") and "/" not in name)
    else:
        yield from (name for name in module.exports if isinstance(name, str))


def _collect(found: Sources, module: Any, file: SourceFile, held: dict[str, Any]) -> list[tuple[str, str]]:
    """Add what ``module`` defines and re-exports (``held``); its wildcard imports as (importing module, imported module)."""
    stars = []
    exported = tuple(_exported(module))
    offered = set(exported) if module.exports is not None or module.is_init_module else set()
    for name, member in held.items():
        if not member.is_alias:
            found.objects += _described(member, file, f"{file.module}.{name}")
        elif member.wildcard:
            stars.append((file.module, str(member.wildcard)))
        else:
            found.names[f"{file.module}.{name}"] = str(member.target_path)
            if name in offered:
                found.public.add(f"{file.module}.{name}")
    package = file.module.partition(".")[0]
    members = ", ".join([name for name in exported if _belongs(held.get(name), module, package)][:MAX_MEMBERS])
    found.objects.append(Described(file.module, "module", "", _docstring(module), members, file.shown, (1, 1)))
    return stars


def _belongs(member: Any, module: Any, package: str) -> bool:
    """Whether a member is defined in the module or offered by it; what is only imported to be used there is no part of it."""
    if member is None or member.name.startswith("_") or not member.is_alias:
        return member is not None and not member.name.startswith("_")
    inside = str(member.target_path).lstrip("_").partition(".")[0] == package
    return inside and (module.exports is not None or bool(module.is_init_module))


def _expand_stars(found: Sources, stars: list[tuple[str, str]], exports: dict[str, tuple[str, ...]]) -> None:
    for _ in range(2):  # a star that passes on another's star
        for importer, imported in stars:
            for name in exports.get(imported, ()):
                alias = f"{importer}.{name}"
                if not name.startswith("_") and found.names.setdefault(alias, f"{imported}.{name}") == f"{imported}.{name}":
                    found.public.add(alias)
                    exports[importer] = (*exports[importer], name) if name not in exports[importer] else exports[importer]


def _described(member: Any, file: SourceFile, path: str) -> Iterator[Described]:
    name = path.rpartition(".")[2]
    if name.startswith("__"):
        return
    docstring = _docstring(member)
    lines = (member.lineno or 1, member.endlineno or member.lineno or 1)
    if member.is_class:
        yield Described(path, "class", _class_signature(member), docstring, _class_members(member), file.shown, lines)
        for inner, each in member.members.items():
            if not each.is_alias:
                yield from _described(each, file, f"{path}.{inner}")
    elif member.is_function and (docstring or not is_private(name)):
        yield Described(path, "function", _signature(member, name), docstring, "", file.shown, lines)
    elif member.is_attribute and docstring:
        yield Described(path, "attribute", _attribute(member), docstring, "", file.shown, lines)


def _docstring(member: Any) -> str:
    own = member.docstring.value if member.docstring else ""
    if member.is_class and "__init__" in member.members and not member.members["__init__"].is_alias:
        init = member.members["__init__"].docstring
        own = "\n\n".join(text for text in (own, init.value if init else "") if text)
    return str(own).strip()[:MAX_DOCSTRING]


def _signature(function: Any, name: str) -> str:
    forms = list(function.overloads or ()) or [function]
    prefix = "async " if "async" in function.labels else ""
    return "\n".join(_cut(f"{prefix}{form.signature(return_type=True, name=name)}") for form in forms[:4])


def _class_signature(member: Any) -> str:
    init = member.members.get("__init__")
    if init is not None and init.is_function:
        return _cut(f"class {init.signature(name=member.name)}".removesuffix(" -> None"))
    bases = ", ".join(str(base) for base in member.bases)
    return _cut(f"class {member.name}({bases})" if bases else f"class {member.name}")


def _attribute(member: Any) -> str:
    annotation = f": {member.annotation}" if member.annotation is not None else ""
    value = f" = {member.value}" if member.value is not None and "property" not in member.labels else ""
    return _cut(f"{member.name}{annotation}{value}", 200)


def _class_members(member: Any) -> str:
    own = [each for name, each in member.members.items() if not name.startswith("_") and not each.is_alias]
    attributes = [
        _attribute(each)
        for each in own
        if each.is_attribute and ("instance-attribute" not in each.labels or each.annotation is not None)
    ]
    methods = [each.name for each in own if each.is_function]
    lines = (
        f"{label}: {', '.join(names[:MAX_MEMBERS])}"
        for label, names in (("Attributes", attributes), ("Methods", methods))
        if names
    )
    return "\n".join(lines)


def _cut(text: str, limit: int = MAX_SIGNATURE) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"

"""Which definition a call means, as far as the text tells: no guess is passed off as knowledge."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.code.graph_languages import LANGUAGES
from encyclopedia_adapters.code.graph_values import Call, Import, Site, Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia_adapters.code.graph_store import Store

_SELF = ("self", "this", "cls", "super", "Self")
_TYPES = ("class", "interface", "type")
_LEVELS = 5


class Resolver:
    """Resolves calls of the graph in ``store``; remembers what it looked up, so it lives as long as one question."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._named: dict[str, list[Symbol]] = {}
        self._imports: dict[str, list[Import]] = {}
        self._inside: dict[tuple[str, str], bool] = {}
        self._paths: list[str] | None = None

    def named(self, name: str) -> list[Symbol]:
        """Everything of that name but whole files."""
        if name not in self._named:
            self._named[name] = self._store.symbols("WHERE symbol.name = ? AND kind <> 'module'", (name,))
        return self._named[name]

    def resolve(self, site: Site) -> Call:
        """What a call leads to, and why."""
        caller = site.caller
        family = LANGUAGES[caller.language].family
        found = [symbol for symbol in self.named(site.name) if LANGUAGES[symbol.language].family == family]
        receiver = "self" if site.receiver == _go_receiver(caller) else site.receiver
        if receiver in _SELF:
            return self._own(site, found, own=receiver != "super") or _only(site, found)
        if not receiver:
            bare = [symbol for symbol in found if symbol.kind != "method" or _implied(symbol, caller)]
            if call := _pick(site, [symbol for symbol in bare if _seen(symbol, caller)], "file"):
                return call
            found = bare
        return self._imported(site, found) or self._beside(site, found, family) or _only(site, found)

    def _own(self, site: Site, found: Sequence[Symbol], *, own: bool) -> Call | None:
        """A method of the caller's class, else of its bases."""
        classes = [(site.caller.path, _holder(site.caller))]
        for level in range(_LEVELS):
            if level or own:
                here = [symbol for symbol in found if (symbol.path, _holder(symbol)) in classes]
                if call := _pick(site, here, "class"):
                    return call
            classes = [parent for path, name in classes for parent in self._parents(path, name)]
        return None

    def _parents(self, path: str, name: str) -> list[tuple[str, str]]:
        sql = "SELECT base.name FROM base JOIN file ON file.id = base.file WHERE path = ? AND class = ?"
        parents: list[tuple[str, str]] = []
        for (base,) in self._store.rows(sql, (path, name)):
            types = [symbol for symbol in self.named(base) if symbol.kind in _TYPES]
            types = [symbol for symbol in types if symbol.path == path] or types
            if len(types) == 1:
                parents.append((types[0].path, types[0].qualified))
        return parents

    def _imported(self, site: Site, found: Sequence[Symbol]) -> Call | None:
        """What an import of the file says about the first name of the call."""
        path = site.caller.path
        if path not in self._imports:
            self._imports[path] = self._store.imports(path)
        local = site.receiver or site.name
        for taken in self._imports[path]:
            if taken.alias not in (local, local.partition(".")[0], "*"):
                continue
            target = module_path(taken.module, path, LANGUAGES[site.caller.language].family)
            if taken.alias == "*":
                if call := None if site.receiver else _pick(site, _within(found, (target,)), "import"):
                    return call
                continue
            holder = taken.name if site.receiver else ""
            fits = _within(found, (target, posixpath.join(target, taken.name))) if target else []
            methods = [symbol for symbol in fits if holder and _holder(symbol).endswith(holder)]
            original = [symbol for symbol in self.named(taken.name) if symbol in _within(self.named(taken.name), (target,))]
            if call := _pick(site, methods or fits or ([] if site.receiver else original), "import"):
                return call
            if not self._is_inside(target, taken.name):
                return Call(site.caller, site.name, site.line, None, "outside")
        return None

    def _beside(self, site: Site, found: Sequence[Symbol], family: str) -> Call | None:
        """What stands in the same folder, in languages where that needs no import; methods of a type that is named."""
        types = [symbol for symbol in found if site.receiver and _holder(symbol) == site.receiver]
        if call := _pick(site, [symbol for symbol in types if symbol.path == site.caller.path], "file"):
            return call
        if family not in ("go", "java"):
            return _pick(site, types, "name")
        folder = posixpath.dirname(site.caller.path)
        near = types if site.receiver else found
        return _pick(site, [symbol for symbol in near if posixpath.dirname(symbol.path) == folder], "package")

    def _is_inside(self, target: str, name: str) -> bool:
        """Whether any file of the repository is the module or lies in it."""
        if (target, name) not in self._inside:
            if self._paths is None:
                self._paths = [path for (path,) in self._store.rows("SELECT path FROM file")]
            modules = (target, posixpath.join(target, name))
            self._inside[target, name] = bool(target) and any(_is_of(path, modules) for path in self._paths)
        return self._inside[target, name]


def module_path(module: str, path: str, family: str) -> str:
    """The module as a path without its ending, from the root or the end of one; empty if it lies outside for sure."""
    folder = posixpath.dirname(path)
    if family == "python":
        dots = len(module) - len(module.lstrip("."))
        name = module[dots:].replace(".", "/")
        for _ in range(dots - 1):
            folder = posixpath.dirname(folder)
        return posixpath.normpath(posixpath.join("/", folder, name)) if dots else name
    if family == "script":
        relative = module.startswith(".")
        return _bare(posixpath.normpath(posixpath.join("/", folder, module))) if relative else ""
    if family == "go":
        return module if "." in module.partition("/")[0] else ""
    if family == "rust":
        known = re.sub(r"^(?:(?:crate|self|super)(?:::|$))+", "", module)
        return (known.replace("::", "/") or "lib") if known != module else ""
    return module.replace(".", "/") if family == "java" else posixpath.normpath(_bare(module))


def imports_at(symbol: Symbol, user: Symbol, imports: Sequence[Import]) -> int:
    """The line at which the file of ``user`` imports a definition, from its file or the package around it; 0 if none."""
    for taken in imports:
        target = module_path(taken.module, user.path, LANGUAGES[user.language].family)
        if taken.name == symbol.name and target and _is_of(symbol.path, (target,)):
            return taken.line
    return 0


def _bare(path: str) -> str:
    """A path without its ending and without the name of the file that stands for its folder."""
    return re.sub(r"\.(?:d\.)?\w+$", "", path)


def _is_of(path: str, modules: Sequence[str]) -> bool:
    """Whether a file is one of the modules, or lies in it."""
    return any(_fits("/" + path, module) for module in modules if module.strip("/"))


def _fits(path: str, module: str) -> bool:
    bare = re.sub(r"/(?:__init__|index|mod)$", "", _bare(path))
    if module.startswith("/"):
        return bare == module or path.startswith(f"{module}/")
    folder = posixpath.dirname(path).strip("/")
    inside = bare.endswith(f"/{module}") or f"/{module}/" in path
    return inside or ("." in module.partition("/")[0] and bool(folder) and module.endswith(f"/{folder}"))


def _within(found: Sequence[Symbol], modules: Sequence[str]) -> list[Symbol]:
    return [symbol for symbol in found if _is_of(symbol.path, modules)]


def _holder(symbol: Symbol) -> str:
    return symbol.qualified.rpartition(".")[0]


def _implied(symbol: Symbol, caller: Symbol) -> bool:
    """Whether a method may be called without a receiver: from its own class, in languages that have it so."""
    return symbol.language in ("java", "cpp") and _holder(symbol) == _holder(caller)


def _seen(symbol: Symbol, caller: Symbol) -> bool:
    """Whether a name of the same file is in reach of the caller: not what is defined within another function."""
    holder = _holder(symbol)
    inner = f"{caller.qualified}." if caller.kind != "module" else ""
    return symbol.path == caller.path and (not holder or inner.startswith(f"{holder}.") or symbol.language != "python")


def _go_receiver(caller: Symbol) -> str:
    match = re.match(r"func \((\w+) ", caller.signature) if caller.language == "go" else None
    return match[1] if match else "self"


def _pick(site: Site, found: Sequence[Symbol], how: str) -> Call | None:
    """The call if exactly one is meant."""
    return Call(site.caller, site.name, site.line, found[0], how) if len(found) == 1 else None


def _only(site: Site, found: Sequence[Symbol]) -> Call:
    """The only one of that name, else what is not known."""
    only = _pick(site, found, "name")
    return only or Call(site.caller, site.name, site.line, None, "several" if found else "")

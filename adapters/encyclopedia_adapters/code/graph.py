"""The code graph of one repository: what is defined where, what calls what, and what a question is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.code.graph_resolve import Resolver, imports_at
from encyclopedia_adapters.code.graph_store import Store

if TYPE_CHECKING:
    from encyclopedia.model.corpus import Indexed
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.code.graph_values import Call, Import, Symbol

CALLS = 2000
"""Calls of one name that are looked at."""
_DEPTH = 6
_NAMED, _PLAIN, _TESTS, _ASIDE, _WHOLE = 2.5, 1.3, 0.6, 0.8, 0.7
_TEST_WORDS = frozenset(("test", "tests", "testing", "spec", "__tests__", "testdata", "fixtures", "conftest"))
_ASIDE_WORDS = frozenset(("vendor", "third_party", "examples", "example", "benchmarks", "dist", "docs"))


class CodeGraph:
    """The graph of ``folder`` (a checkout or a bare clone), kept in the SQLite file ``index_file``.

    Queries read what the last update found. They raise ``sqlite3.Error`` if the file is damaged; an update makes it anew.
    """

    def __init__(self, folder: str, index_file: str) -> None:
        self._folder = folder
        self._store = Store(index_file)

    def update(self, progress: Progress | None = None, limits: Limits | None = None) -> Indexed:
        """Read what has changed; what was read stays when it is interrupted.

        Raises ``Stopped`` when ``limits`` are met, ``BlockingIOError`` while another process updates the same file,
        ``FileNotFoundError`` if there is no such folder.
        """
        from encyclopedia_adapters.code.graph_update import update

        return update(self._folder, self._store, progress, limits)

    def files(self) -> int:
        """How many files have been read."""
        return int((self._store.rows("SELECT count(*) FROM file") or [(0,)])[0][0])

    def find(self, name: str) -> list[Symbol]:
        """Definitions of that name, or with that qualified name or the end of one, and files of that module's name."""
        last = name.rpartition(".")[2]
        found = self._store.symbols("WHERE symbol.name = ?", (last,))
        return [symbol for symbol in found if f".{symbol.qualified}".endswith(f".{name}")]

    def callers(self, symbol: Symbol) -> list[Call]:
        """The calls that lead to a definition, then those (``several``) that may."""
        resolver = Resolver(self._store)
        sure: list[Call] = []
        maybe: list[Call] = []
        for site in self._store.sites("WHERE call.name IN (?, ?)", (symbol.name, *self._aliases(symbol)), CALLS):
            call = resolver.resolve(site)
            if call.callee and call.callee.id == symbol.id:
                sure.append(call)
            elif call.how == "several" and site.receiver and symbol.kind == "method":
                maybe.append(call)
        return sure + maybe

    def callees(self, symbol: Symbol) -> list[Call]:
        """The calls within a definition, each with what it leads to."""
        resolver = Resolver(self._store)
        sites = self._store.sites("WHERE call.caller = ?", (symbol.id,), CALLS)
        return [resolver.resolve(site) for site in sites]

    def imports(self, path: str) -> list[Import]:
        """What a file imports, in order."""
        return self._store.imports(path)

    def importers(self, symbol: Symbol) -> list[tuple[Symbol, int]]:
        """The files that import a definition by its name, each with the line."""
        users = self._store.symbols(
            "WHERE kind = 'module' AND file.id IN (SELECT file FROM import WHERE name = ?)", (symbol.name,)
        )
        return [(user, line) for user in users if (line := imports_at(symbol, user, self._store.imports(user.path)))]

    def subclasses(self, name: str) -> list[Symbol]:
        """Classes that name a class or an interface of that name among their bases."""
        sql = "JOIN base ON base.file = symbol.file AND base.class = symbol.qualified"
        sql += " WHERE base.name = ? AND kind IN ('class', 'interface', 'type')"
        return self._store.symbols(sql, (name.rpartition(".")[2],))

    def search(self, question: str, limit: int = 10) -> list[tuple[Symbol, float]]:
        """Definitions that a question in words or names is about, best first, each with its score (higher is better).

        BM25 over the words of names, signatures, documentation and bodies; what is named as a whole counts more, tests less.
        """
        from encyclopedia_adapters.code.words import without_fillers
        from encyclopedia_adapters.shared.text_index.analyser import split, terms

        words = split(without_fillers(question)[:2000])
        named = {part for word in words for part in (word, *word.split("."))}
        found = self._store.ranked(list(dict.fromkeys(terms(words).split()))[:64], limit * _DEPTH)
        scored = [(symbol, score * _factor(symbol, named)) for symbol, score in found]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].path, pair[0].first))[:limit]

    def _aliases(self, symbol: Symbol) -> tuple[str]:
        """Another name under which a definition is called: what it was imported as."""
        rows = self._store.rows("SELECT alias FROM import WHERE name = ? AND alias <> name LIMIT 1", (symbol.name,))
        return (str(rows[0][0]) if rows else symbol.name,)


def _factor(symbol: Symbol, named: set[str]) -> float:
    parts = frozenset(symbol.path.lower().replace(".", "/").replace("_", "/").split("/"))
    factor = 1.0
    if symbol.name in named or symbol.qualified in named:
        plain = symbol.qualified.islower() and symbol.qualified.isalpha()  # the word may be no name at all
        factor = _PLAIN if plain else _NAMED
    factor *= _TESTS if parts & _TEST_WORDS else _ASIDE if parts & _ASIDE_WORDS else 1.0
    return factor * (_WHOLE if symbol.kind == "module" else 1.0)

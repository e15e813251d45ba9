"""The source `codegraph`: where something is defined, what calls it and what it calls, read from the syntax of a repository.

Other code graphs need no code, only a table in the settings. CodeGraphContext is asked over MCP; it needs an environment of its
own (an older `mcp`), with `tree-sitter-language-pack==0.13.0`, without which it indexes nothing offline:

    [sources.codegraphcontext]
    kind = "mcp"
    command = ["cgc", "mcp", "start"]
    tool = "find_code"
    arguments = { query = "{query}" }
    allow = ["find_code"]  # other tools of it delete graphs and load them
    serves = { code_context = 0.25, repository = 0.10 }
    results = "results.functions_by_name"
    fields = { title = "name", content = "source", id = "path" }

A program that prints objects with kind, name, path, line, signature, source, relation and target, one a line, such as a `cgcli`
over the database in `CGCLI_DB_URL`:

    [sources.cgcli]
    kind = "command"
    command = ["cgcli", "find", "{query}"]
    env = ["CGCLI_DB_URL"]
    serves = { code_context = 0.25, repository = 0.10 }
    results = "[]"
    fields = { title = "name", content = "signature", id = "path" }
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package, Program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from threading import Event

    from encyclopedia.model.corpus import Indexed
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context, Progress
    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.code.graph import CodeGraph
    from encyclopedia_adapters.code.place import Place

FOLDER = "index/codegraph"
"""Where the graphs lie in the data folder; it can be deleted at any time."""
_SHARE, _READING = 0.9, 0.7


class Tree(NamedTuple):
    """A repository that can be read: its folder, what it is called, and its place and commit if it is a clone."""

    folder: str
    name: str
    place: Place | None = None
    commit: str = ""


class CodeGraphs:
    """Answers from the checkouts that are configured, and from the clones that `mcp_git_ingest` keeps."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._checkouts = checkouts(context.options)

    async def search(self, request: Request) -> Reply:
        """Definitions with their callers and callees, one of each file; ``reduced`` tells what was not read yet.

        Without a repository all configured checkouts answer. Raises as `mcp_git_ingest` does where a clone cannot be had.
        """
        from encyclopedia_adapters.shared.blocking import in_thread

        return await in_thread(self._answer, request)

    def _answer(self, request: Request, stop: Event) -> Reply:
        import time

        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.code.git_program import Broken, Limits, Stopped

        began = time.monotonic()
        limits = Limits(began + _SHARE * request.timeout, stop)
        hits: list[tuple[Hit, float]] = []
        reduced: list[str] = []
        try:
            with self._trees(request, limits) as trees:
                for tree in trees:
                    graph = graph_of(self._context.home, tree)
                    reduced.append(_refresh(graph, tree, Limits(began + _READING * request.timeout, stop)))
                    hits += _hits(graph, tree, request)
        except Broken:
            raise Refused("the clone of the repository is damaged: ask again") from None
        except Stopped:
            raise TimeoutError("the repository could not be read in time") from None
        best = sorted(hits, key=lambda pair: -pair[1])[: request.limit]
        note = "" if trees else "no repository is named, and no checkouts are set in [sources.codegraph]"
        return Reply(tuple(hit for hit, _ in best), reduced="; ".join(filter(None, reduced)), note=note)

    def _trees(self, request: Request, limits: Limits) -> AbstractContextManager[list[Tree]]:
        from contextlib import nullcontext

        if request.folder:
            return self._by_hand(request.folder, limits)
        wanted = request.repository
        own = [Tree(folder, name) for name, folder in self._checkouts.items() if wanted in ("", name, folder)]
        return nullcontext(own) if own or not wanted else self._cloned(wanted, limits)

    def _by_hand(self, folder: str, limits: Limits) -> AbstractContextManager[list[Tree]]:
        from contextlib import nullcontext

        from encyclopedia_adapters.code.place import by_hand, is_bare

        found = by_hand(folder)
        if is_bare(folder):
            return self._used(found, limits)
        return nullcontext([Tree(os.path.realpath(folder), found.name)])

    def _cloned(self, repository: str, limits: Limits) -> AbstractContextManager[list[Tree]]:
        from encyclopedia_adapters.code.place import place

        return self._used(place(repository, base=str(self._context.options.get("base_url", ""))), limits)

    def _used(self, found: Place, limits: Limits) -> AbstractContextManager[list[Tree]]:
        import sys
        from contextlib import contextmanager

        from encyclopedia_adapters.code.git_cache import Clones
        from encyclopedia_adapters.code.mcp_git_ingest import FOLDER as CLONES
        from encyclopedia_adapters.code.mcp_git_ingest import MAX_AGE, TOKENS
        from encyclopedia_adapters.shared.private_files import private_folder

        token = next((self._context.secret(name) for start, name in TOKENS.items() if found.url.startswith(start)), "")
        clones = Clones(private_folder(f"{self._context.home}/{CLONES}"), sys.maxsize, MAX_AGE)  # the other source tidies up

        @contextmanager
        def used() -> Iterator[list[Tree]]:
            with clones.use(found, limits, token) as clone:
                yield [Tree(clone.path, found.name, found, clone.commit)] if clone.commit else []

        return used()


def checkouts(options: Mapping[str, object]) -> dict[str, str]:
    """The configured checkouts: name → absolute path. Raises ``ConfigurationError`` for what is no table of folders."""
    table = options.get("checkouts", {})
    if not isinstance(table, dict) or not all(isinstance(path, str) for path in table.values()):
        raise ConfigurationError('[sources.codegraph] checkouts must be a table such as { "owner/name" = "/path" }')
    found = {str(name): os.path.realpath(os.path.expanduser(path)) for name, path in table.items()}
    for name, path in found.items():
        if not os.path.isdir(path):
            raise ConfigurationError(f"[sources.codegraph] checkouts: there is no folder {path} for {name}")
    return found


def graph_of(home: str, tree: Tree) -> CodeGraph:
    """The graph of a repository: one file for each address or folder, whatever its commit."""
    import hashlib
    import re

    from encyclopedia_adapters.code.graph import CodeGraph

    whole = hashlib.sha256((tree.place.url if tree.place else tree.folder).encode("utf-8", "surrogatepass")).hexdigest()
    readable = re.sub(r"[^\w.-]+", "-", tree.name, flags=re.ASCII)[:60].strip(".-")
    return CodeGraph(tree.folder, f"{home}/{FOLDER}/{readable}-{whole[:16]}.db")


def _refresh(graph: CodeGraph, tree: Tree, limits: Limits) -> str:
    """Bring a graph up to date; why it is not, if it is not."""
    from encyclopedia_adapters.code.git_program import Stopped

    try:
        graph.update(limits=limits)
    except Stopped:
        return f"{graph.files()} files of {tree.name} are read so far: ask again, or give it more time with --timeout"
    except BlockingIOError:
        return f"another process is reading {tree.name} just now"
    return ""


def _hits(graph: CodeGraph, tree: Tree, request: Request) -> list[tuple[Hit, float]]:
    from encyclopedia_adapters.code.graph_hits import hits

    text = "" if request.text == request.repository else request.text
    return hits(graph, tree, text, request.limit, request.passages) if text else []


def index(context: Context, progress: Progress) -> Indexed:
    """Bring the graphs of all configured checkouts up to date."""
    from encyclopedia.model.corpus import Indexed

    done = [graph_of(context.home, Tree(path, name)).update(progress) for name, path in checkouts(context.options).items()]
    return Indexed(
        added=sum(report.added for report in done),
        changed=sum(report.changed for report in done),
        removed=sum(report.removed for report in done),
        unchanged=sum(report.unchanged for report in done),
        passages=sum(report.passages for report in done),
        skipped=tuple(entry for report in done for entry in report.skipped),
    )


def state(context: Context) -> str:
    """How many files of each checkout are read; reads only."""
    counts = [
        f"{name}: {graph_of(context.home, Tree(path, name)).files()} files" for name, path in checkouts(context.options).items()
    ]
    return ", ".join(counts) or "no checkouts are configured"


CARD = Card(
    "codegraph",
    serves={QueryType.CODE_CONTEXT: 0.25, QueryType.REPOSITORY: 0.10},
    make=CodeGraphs,
    description="definitions, callers and callees in a repository",
    timeout=20.0,
    requires=(Package("tree_sitter", "codegraph"), Program("git")),
    accepts=(Key("GITHUB_TOKEN"), Key("GITLAB_TOKEN")),
    form=Form.RAW,
    default=False,
    on_demand=True,
    options=("checkouts",),
    index=index,
    state=state,
)

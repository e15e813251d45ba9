"""One contract for every place of passages: a folder, a real PostgreSQL with pgvector, and what stands in for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.engines.opening import open_index
from tests import opensearch_server, postgres_server, qdrant_server

if TYPE_CHECKING:
    from encyclopedia_adapters.engines.opening import Index

SERVERS: dict[str, Callable[[], Any]] = {
    "postgres": postgres_server.running,
    "opensearch": opensearch_server.running,
    "qdrant": qdrant_server.running,
}
PLACES = ("folder", *SERVERS)
_numbers = count()


@pytest.fixture(scope="session")
def servers() -> Iterator[Callable[[str], Any]]:
    """The server of a place, started when it is first wanted."""
    made: dict[str, Any] = {}
    with ExitStack() as stack:

        def one(place: str) -> Any:
            if place not in made:
                made[place] = stack.enter_context(SERVERS[place]())
            return made[place]

        yield one


@pytest.fixture(scope="session")
def server(servers: Callable[[str], Any]) -> postgres_server.Server:
    made: postgres_server.Server = servers("postgres")
    return made


@pytest.fixture
def corpus(tmp_path: Path, servers: Callable[[str], Any]) -> Iterator[Callable[[str], Corpus]]:
    """A corpus of its own in a place, the same for each call with the same place."""
    name = f"corpus{next(_numbers)}"
    made: dict[str, Corpus] = {}

    def one(place: str) -> Corpus:
        folder = tmp_path / "home" / "corpora" / name
        folder.mkdir(parents=True, exist_ok=True)
        made[place] = Corpus(name, str(tmp_path / "files"), "documents", str(folder), {})
        if place in SERVERS:
            made[place] = made[place]._replace(engine=servers(place).address(), secret=servers(place).secret)
        return made[place]

    yield one
    for corpus in made.values():
        open_index(corpus).remove()


@pytest.fixture(params=PLACES)
def index(request: pytest.FixtureRequest, corpus: Callable[[str], Corpus]) -> Index:
    return open_index(corpus(request.param))

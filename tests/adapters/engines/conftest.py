"""One contract for every place of passages: a folder, and a real PostgreSQL with pgvector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.engines.opening import open_index
from tests.postgres_server import Server, running

if TYPE_CHECKING:
    from encyclopedia_adapters.engines.opening import Index

PLACES = ("folder", "postgres")
_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def corpus(tmp_path: Path, server: Server) -> Iterator[Callable[[str], Corpus]]:
    """A corpus of its own in a place, the same for each call with the same place."""
    name = f"corpus{next(_numbers)}"
    made: dict[str, Corpus] = {}

    def one(place: str) -> Corpus:
        folder = tmp_path / "home" / "corpora" / name
        folder.mkdir(parents=True, exist_ok=True)
        made[place] = Corpus(name, str(tmp_path / "files"), "documents", str(folder), {}, secret=server.secret)
        made[place] = made[place]._replace(engine=server.address() if place == "postgres" else "")
        return made[place]

    yield one
    for corpus in made.values():
        open_index(corpus).remove()


@pytest.fixture(params=PLACES)
def index(request: pytest.FixtureRequest, corpus: Callable[[str], Corpus]) -> Index:
    return open_index(corpus(request.param))

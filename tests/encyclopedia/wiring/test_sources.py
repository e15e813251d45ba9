from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from encyclopedia import Card, QueryType, Reply, Request
from encyclopedia.model.query import Query, Scope
from encyclopedia.wiring.build import build
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.settings import load
from encyclopedia_adapters.generic.fixed import Fixed
from tests.switches import off

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from encyclopedia.ports import Context

REQUEST = Request("q", QueryType.GENERAL_SEARCH, 5, 5.0)


class Capped:
    """A source that was given away for so many calls a day, and tells what it was built from."""

    card = Card("capped", serves={QueryType.GENERAL_SEARCH: 0.5}, daily_calls=1)

    def __init__(self, context: Context) -> None:
        self.context = context

    async def search(self, request: Request) -> Reply:
        return Reply(note=self.context.contact)


@pytest.mark.spec("ENC-BUDGET-1")
async def test_a_call_is_counted_before_it_goes_out(tmp_path: Path) -> None:
    loaded = load(str(tmp_path), environment(str(tmp_path), {"ENCYCLOPEDIA_CONTACT": "mail@example.org"}, str(tmp_path)))
    engine = build(loaded, [Capped])
    search = engine.sources.ask("capped")
    assert engine.stores.budget.used("capped") == 0
    assert (await search(REQUEST)).note == "mail@example.org"
    assert engine.stores.budget.used("capped") == 1
    await engine.aclose()
    again = build(loaded, [Capped])
    with pytest.raises(Exception, match="daily cap of 1 calls reached"):
        await again.sources.ask("capped")(REQUEST)
    await again.aclose()


class Installed:
    """Something that changes while a service runs; ``looks`` counts how often somebody looked."""

    def __init__(self, *, corpus: bool) -> None:
        self.looks = 0
        self.card = Card("installed", serves={QueryType.GENERAL_SEARCH: 0.5}, corpus=corpus, revision=self._look)

    def _look(self, _context: Context) -> str:
        self.looks += 1
        return str(self.looks)

    async def search(self, request: Request) -> Reply:
        return Reply(note=request.text)


@pytest.mark.spec("ENC-SERVE-21")
@pytest.mark.parametrize(("corpus", "max_age", "looks"), [(False, 3600.0, 1), (False, 0.0, 3), (True, 3600.0, 3)])
async def test_a_service_looks_once_a_second_at_what_is_installed_and_always_at_a_corpus(
    tmp_path: Path, corpus: bool, max_age: float, looks: int
) -> None:
    source = Installed(corpus=corpus)
    engine = build(load(str(tmp_path), environment(str(tmp_path), {}, str(tmp_path))), [source])
    engine.sources.max_age = max_age
    query = Query("widgets", scope=Scope(sources=("installed",)))
    keys = {engine.pipeline.prepare(query).value.cache_key for _ in range(3)}
    assert (len(keys), source.looks) == (looks, looks)
    await engine.aclose()


@pytest.mark.spec("ENC-SERVE-21")
@pytest.mark.parametrize(("look", "looks"), [(None, False), (str, True)])
async def test_a_plan_looks_into_files_the_first_time_and_where_a_local_source_is_in_use(
    tmp_path: Path, look: Callable[[Context], str] | None, looks: bool
) -> None:
    source = Fixed("installed")
    source.card = source.card._replace(revision=look)
    engine = build(load(str(tmp_path), environment(str(tmp_path), off(), str(tmp_path))), [source])
    assert engine.sources.look_into_files
    engine.pipeline.prepare(Query("widgets"))
    assert engine.sources.look_into_files is looks
    await engine.aclose()

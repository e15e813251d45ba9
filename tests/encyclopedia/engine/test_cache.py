"""What is served, what is stored, and what happens when the store is broken."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine import cache as engine_cache
from encyclopedia.engine.keys import group_of, key_of
from encyclopedia.engine.recall import Lifetimes, Recall
from encyclopedia.engine.write_behind import WriteBehind
from encyclopedia.model.cached import CacheEntry, Near
from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Outcome, Reply
from encyclopedia.model.plan import Declined
from encyclopedia.model.query import QueryType
from encyclopedia.model.ranking import CacheUse
from encyclopedia.model.status import Status


class Store:
    """A store of answers in a dict."""

    def __init__(self):
        self.entries = {}
        self.marks = 0

    def get(self, key, stale=0.0):
        self.marks += 1
        return self.peek(key)

    def peek(self, key):
        return self.entries.get(key)

    def put(self, entry):
        self.entries[entry.key] = entry


class Broken(Store):
    def get(self, key, stale=0.0):
        raise sqlite3.OperationalError("database is locked")

    put = peek = get


class Full(Store):
    def put(self, entry):
        raise OSError(28, "No space left on device")


class Nearest:
    """A near tier that always finds the same."""

    def __init__(self, found=None):
        self.found, self.asked, self.added = found, [], []

    def find(self, group, text):
        self.asked.append((group, text))
        if isinstance(self.found, Exception):
            raise self.found
        return [self.found] if self.found else []

    def add(self, group, text, key):
        self.added.append((group, text, key))


def AnswerCache(store=None, *, lease=None, **more):
    """A cache over a store, as the wiring puts it together."""
    return engine_cache.AnswerCache(Recall(store, **more), lease=lease, behind=WriteBehind())


class Counted:
    """Work that counts how often it is done."""

    def __init__(self, ranking):
        self.ranking, self.runs, self.plans = ranking, 0, []

    async def __call__(self, plan):
        self.runs += 1
        self.plans.append(plan)
        return self.ranking


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def cache(store, clock):
    return AnswerCache(store, clock=clock)


async def test_a_miss_is_stored_and_then_a_hit(make, cache, clock):
    plan = make.plan("alpha", text="Parse JSON?")
    work = Counted(make.ranking(plan, "a", "b"))
    assert (await cache.run(plan, work)).cache == CacheUse("miss")
    clock.tick(30)
    again = make.plan("alpha", text="parse  JSON")
    hit = await cache.run(again, work)
    assert work.runs == 1
    assert hit.cache == CacheUse("hit", "Parse JSON?", 1.0, 30.0)
    assert hit.plan is again
    assert [r.hit.title for r in hit.results] == ["a", "b"]


@pytest.mark.spec("ENC-CACHE-1")
def test_a_hit_needs_no_event_loop(make, cache):
    plan = make.plan("alpha")
    assert cache.lookup(plan) is None
    asyncio.run(cache.run(plan, Counted(make.ranking(plan, "a"))))
    assert cache.lookup(plan).results[0].hit.title == "a"


def test_a_peek_leaves_no_mark(make, cache, store):
    plan = make.plan("alpha")
    asyncio.run(cache.run(plan, Counted(make.ranking(plan, "a"))))
    marks = store.marks
    assert cache.peek(plan) == "hit"
    assert store.marks == marks
    assert cache.peek(make.plan("alpha", text="other")) == "miss"
    assert cache.peek(plan._replace(question=make.plan("alpha", read_cache=False).question)) == "bypass"
    assert AnswerCache(None).peek(plan) == "off"


@pytest.mark.spec("ENC-CACHE-3")
@given(st.sampled_from(QueryType), st.sampled_from(QueryType))
def test_entries_of_one_type_are_never_served_to_another(stored, asked):
    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import Query, Question
    from encyclopedia.model.ranking import Ranked, Ranking, Share

    def plan(type):
        return Plan(Question(Query("same words"), "same words", type, "default"), ())

    answers = AnswerCache(Store())
    ranking = Ranking(plan(stored), (), (Ranked(Hit("a"), (Share("a", 1, 1.0, 0.1),)),))
    asyncio.run(answers.run(plan(stored), Counted(ranking)))
    assert (answers.lookup(plan(asked)) is not None) == (stored == asked)
    assert (key_of(plan(stored)) == key_of(plan(asked))) == (stored == asked)


@pytest.mark.spec("ENC-CACHE-3")
def test_an_entry_planted_under_the_key_of_another_type_is_not_served(make, cache, store):
    plan = make.plan("alpha")
    asyncio.run(cache.run(plan, Counted(make.ranking(plan, "a"))))
    (entry,) = store.entries.values()
    docs = make.plan("alpha", type=QueryType.LIBRARY_DOCS)
    store.entries[key_of(docs)] = entry._replace(key=key_of(docs))
    assert cache.lookup(docs) is None
    store.entries[key_of(docs)] = entry._replace(key=key_of(docs), type=QueryType.LIBRARY_DOCS)
    assert cache.lookup(docs) is None


@pytest.mark.spec("ENC-CACHE-2")
def test_everything_that_changes_the_answer_is_in_the_key(make):
    plan = make.plan("alpha", cache_key="a")
    assert key_of(plan) == key_of(make.plan("alpha", text="Parse json?", cache_key="a"))
    others = [
        make.plan("alpha", cache_key="b"),
        make.plan("alpha", text="parse Json2", cache_key="a"),
        make.plan("alpha", type=QueryType.LIBRARY_DOCS, cache_key="a"),
        plan._replace(question=plan.question._replace(repository="owner/name")),
    ]
    assert len({key_of(plan), *map(key_of, others)}) == 5
    assert key_of(make.plan("alpha", text="\ud800"))


DEGRADED = {
    "empty": lambda make, plan: make.ranking(plan),
    "timeout": lambda make, plan: make.ranking(plan, "a", outcomes=(Outcome("alpha", Status.TIMEOUT),)),
    "refused": lambda make, plan: make.ranking(plan, "a", outcomes=(Outcome("alpha", Status.REFUSED),)),
    "skipped": lambda make, plan: make.ranking(plan, "a", outcomes=(Outcome("alpha", Status.SKIPPED),)),
    "reduced": lambda make, plan: make.ranking(plan, "a", outcomes=(Outcome("alpha", Status.OK, Reply(reduced="no index")),)),
    "fallback": lambda make, plan: make.ranking(plan._replace(fallback_used=True), "a"),
    "no primaries": lambda make, plan: make.ranking(plan._replace(primaries=False), "a"),
    "no key": lambda make, plan: make.ranking(plan._replace(declined=(Declined("exa", "no key", optional=False),)), "a"),
    "open circuit": lambda make, plan: make.ranking(plan._replace(declined=(Declined("exa", "open", refused=True),)), "a"),
}


@pytest.mark.spec("ENC-LABEL-3")
@pytest.mark.parametrize("label", Label)
async def test_an_answer_with_something_secret_in_it_is_never_stored(make, cache, store, label):
    plan = make.plan("alpha")
    found = make.ranking(plan, "a", "b")
    last = found.results[-1]
    found = found._replace(results=(*found.results[:-1], last._replace(hit=last.hit._replace(label=label))))
    answered = await cache.run(plan, Counted(found))
    assert len(answered.results) == 2
    assert bool(store.entries) == (label is not Label.SECRET)
    assert [r.hit.label for r in (await cache.run(plan, Counted(found))).results] == [Label.PUBLIC, label]


@pytest.mark.spec("ENC-CACHE-4")
@pytest.mark.parametrize("what", DEGRADED)
async def test_what_is_not_whole_is_never_stored(make, cache, store, what):
    plan = make.plan("alpha")
    work = Counted(DEGRADED[what](make, plan))
    assert not cache.storable(work.ranking)
    assert (await cache.run(plan, work)).cache == CacheUse("miss")
    assert store.entries == {}
    await cache.run(plan, work)
    assert work.runs == 2


@pytest.mark.spec("ENC-CACHE-4")
async def test_an_optional_absence_and_an_empty_source_do_no_harm(make, cache, store):
    plan = make.plan("alpha", declined=(Declined("kagi", "switched off"),))
    outcomes = (Outcome("alpha", Status.OK, make.reply("a")), Outcome("beta", Status.EMPTY, Reply(note="fyi")))
    await cache.run(plan, Counted(make.ranking(plan, "a", outcomes=outcomes)))
    assert len(store.entries) == 1


@pytest.mark.spec("ENC-CACHE-4")
async def test_an_error_is_not_stored(make, cache, store):
    with pytest.raises(RuntimeError):
        await cache.run(make.plan("alpha"), lambda _: make.raises(RuntimeError("boom"))())
    assert store.entries == {}


@pytest.mark.spec("ENC-CACHE-5")
async def test_a_deep_answer_serves_a_shallow_question_not_the_other_way(make, cache):
    deep, shallow = make.plan("alpha", depth=30), make.plan("alpha", depth=10)
    work = Counted(make.ranking(shallow, "a"))
    await cache.run(shallow, work)
    assert (await cache.run(deep, Counted(make.ranking(deep, "a", "b")))).cache.status == "miss"
    assert (await cache.run(shallow, work)).cache.status == "hit"
    assert len((await cache.run(shallow, work)).results) == 2


@pytest.mark.spec("ENC-CACHE-6")
async def test_a_bypass_is_not_read_and_still_written(make, cache, store):
    plan = make.plan("alpha")
    await cache.run(plan, Counted(make.ranking(plan, "old")))
    passing = make.plan("alpha", read_cache=False)
    assert cache.lookup(passing) is None
    assert (await cache.run(passing, Counted(make.ranking(passing, "new")))).cache == CacheUse("bypass")
    assert cache.lookup(plan).results[0].hit.title == "new"


@pytest.mark.spec("ENC-CACHE-7")
async def test_a_broken_store_costs_no_answer(make, clock):
    plan, cache = make.plan("alpha"), AnswerCache(Broken(), clock=clock)
    ranking = await cache.run(plan, Counted(make.ranking(plan, "a")))
    assert ranking.results
    assert ranking.cache == CacheUse("off", reason="the cache cannot be read: database is locked")
    assert cache.lookup(plan) is None
    assert cache.peek(plan) == "off"


@pytest.mark.spec("ENC-CACHE-7")
async def test_a_full_disk_costs_no_answer(make, clock):
    plan = make.plan("alpha")
    ranking = await AnswerCache(Full(), clock=clock).run(plan, Counted(make.ranking(plan, "a")))
    assert ranking.results
    assert ranking.cache.reason == "the answer could not be stored: [Errno 28] No space left on device"


class Slow(Store):
    """Stores nothing before it is let go."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def put(self, entry):
        assert self.go.wait(10)
        super().put(entry)


@pytest.mark.spec("ENC-CACHE-14")
async def test_an_answer_need_not_wait_until_it_is_stored_and_is_found_all_the_same(make, clock):
    plan, store = make.plan("alpha"), Slow()
    cache = AnswerCache(store, clock=clock)
    cache.patient = False
    work = Counted(make.ranking(plan, "a"))
    assert (await cache.run(plan, work)).cache == CacheUse("miss")
    assert store.entries == {}
    again = asyncio.create_task(cache.run(plan, work))
    await asyncio.sleep(0)
    store.go.set()
    assert (await again).cache.status == "hit"
    assert work.runs == 1


@pytest.mark.spec("ENC-CACHE-14")
async def test_what_is_being_stored_can_be_waited_for_and_leaves_no_task(make, clock):
    plan, store = make.plan("alpha"), Slow()
    cache = AnswerCache(store, lease=Leases(False), clock=clock)
    cache.patient = False
    await cache.run(plan, Counted(make.ranking(plan, "a")))
    store.go.set()
    await cache.settle()
    assert len(store.entries) == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.spec("ENC-CACHE-14")
async def test_the_next_answer_tells_that_one_could_not_be_stored(make, clock):
    plan, cache = make.plan("alpha"), AnswerCache(Full(), clock=clock)
    cache.patient = False
    work = Counted(make.ranking(plan, "a"))
    assert (await cache.run(plan, work)).cache == CacheUse("miss")
    assert "No space left" in (await cache.run(plan, work)).cache.reason
    await cache.settle()


@pytest.mark.spec("ENC-CACHE-14")
async def test_another_process_waits_until_the_answer_is_stored(make, clock):
    plan, store, let_go = make.plan("alpha"), Slow(), []

    class Lease(Leases):
        @asynccontextmanager
        async def hold(self, key, patience):
            yield False
            let_go.append(dict(store.entries))

    cache = AnswerCache(store, lease=Lease(False), clock=clock)
    cache.patient = False
    await cache.run(plan, Counted(make.ranking(plan, "a")))
    assert let_go == []
    store.go.set()
    await cache.settle()
    assert [list(entries) for entries in let_go] == [[key_of(plan)]]


@pytest.mark.spec("ENC-CACHE-7")
async def test_a_corrupt_entry_is_replaced(make, cache, store):
    plan = make.plan("alpha")
    store.put(CacheEntry(key_of(plan), plan.question.type, "parse json", '{"format": 1}', 0.0))
    assert (await cache.run(plan, Counted(make.ranking(plan, "a")))).cache == CacheUse("miss")
    assert cache.lookup(plan).cache.status == "hit"


async def test_without_a_store_it_says_why(make):
    plan, cache = make.plan("alpha"), AnswerCache(None, absent="switched off")
    ranking = await cache.run(plan, Counted(make.ranking(plan, "a")))
    assert ranking.cache == CacheUse("off", reason="switched off")
    assert (cache.lookup(plan), cache.peek(plan)) == (None, "off")


@pytest.mark.spec("ENC-FLIGHT-1")
@pytest.mark.parametrize("with_store", [True, False])
async def test_equal_plans_in_flight_share_one_dispatch(make, with_store):
    cache, go, runs = AnswerCache(Store() if with_store else None), asyncio.Event(), []
    plans = [make.plan("alpha", text=text) for text in ("Parse json", "parse json?", "parse   json")]

    async def work(plan):
        runs.append(1)
        await go.wait()
        return make.ranking(plans[0], "a")

    tasks = [asyncio.create_task(cache.run(plan, work)) for plan in plans]
    while not runs:
        await asyncio.sleep(0.001)
    go.set()
    rankings = await asyncio.gather(*tasks)
    assert [ranking.plan for ranking in rankings] == plans
    assert len(runs) == 1 or with_store  # with a store a caller that looks late may find the stored answer instead


async def test_cancelling_the_only_caller_leaves_no_task(make, cache):
    begun = asyncio.Event()

    async def work(plan):
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(cache.run(make.plan("alpha"), work))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.spec("ENC-CACHE-9")
async def test_a_near_question_is_served_and_named(make, store, clock):
    known = make.plan("alpha", text="read a json file")
    near = Nearest()
    cache = AnswerCache(store, near=near, clock=clock)
    await cache.run(known, Counted(make.ranking(known, "a")))
    assert near.added == [(group_of(known), "read a json file", key_of(known))]
    near.found = Near(key_of(known), "read a json file", 0.95)
    clock.tick(5)
    asked = make.plan("alpha", text="reading json files")
    assert cache.lookup(asked) is None
    hit = await cache.run(asked, Counted(make.ranking(asked, "b")))
    assert hit.cache == CacheUse("hit", "read a json file", 0.95, 5.0)
    assert near.asked[-1] == (group_of(known), "reading json files")


@pytest.mark.spec("ENC-CACHE-9")
async def test_a_near_question_that_a_guard_forbids_is_told_and_not_served(make, store, clock):
    known, asked = make.plan("alpha", text="json to yaml"), make.plan("alpha", text="yaml to json")
    near = Nearest()
    cache = AnswerCache(store, near=near, clock=clock)
    await cache.run(known, Counted(make.ranking(known, "a")))
    near.found = Near(key_of(known), "json to yaml", 0.99, "direction")
    ranking = await cache.run(asked, Counted(make.ranking(asked, "b")))
    assert ranking.results[0].hit.title == "b"
    assert ranking.cache == CacheUse("miss", "json to yaml", 0.99, refused_by="direction")


async def test_a_near_question_whose_answer_is_gone_is_a_miss(make, store, clock):
    cache = AnswerCache(store, near=Nearest(Near("gone", "read a json file", 0.95)), clock=clock)
    plan = make.plan("alpha")
    assert (await cache.run(plan, Counted(make.ranking(plan, "a")))).cache.status == "miss"


@pytest.mark.spec("ENC-CACHE-7")
async def test_a_near_tier_that_fails_is_done_without(make, store, clock):
    cache = AnswerCache(store, near=Nearest(RuntimeError("no model")), clock=clock)
    plan = make.plan("alpha")
    ranking = await cache.run(plan, Counted(make.ranking(plan, "a")))
    assert ranking.cache == CacheUse("miss", reason="no look for similar questions: no model")
    assert cache.lookup(plan).cache.status == "hit"


class Leases:
    """A lease that another process holds until it has stored its answer, or not."""

    def __init__(self, another, before=lambda: None):
        self.another, self.before, self.held = another, before, []

    @asynccontextmanager
    async def hold(self, key, patience):
        self.held.append((key, patience))
        self.before()
        yield self.another


@pytest.mark.spec("ENC-FLIGHT-5")
async def test_what_another_process_has_stored_meanwhile_is_used(make, store, clock):
    plan = make.plan("alpha", deadline=4.0)
    other = AnswerCache(store, clock=clock)
    ranking = make.ranking(plan, "theirs")
    from encyclopedia.engine.codec import encode

    entry = CacheEntry(key_of(plan), plan.question.type, "parse json", encode(ranking), clock.now)
    lease = Leases(True, lambda: store.put(entry))
    work = Counted(make.ranking(plan, "ours"))
    found = await AnswerCache(store, lease=lease, clock=clock).run(plan, work)
    assert (found.results[0].hit.title, found.cache.status, work.runs) == ("theirs", "hit", 0)
    assert lease.held == [(key_of(plan), 1.0)]
    assert other.lookup(plan)


@pytest.mark.spec("ENC-FLIGHT-5")
@pytest.mark.parametrize("another", [True, False])
async def test_if_it_left_nothing_the_work_is_done_here(make, store, clock, another):
    plan = make.plan("alpha")
    work = Counted(make.ranking(plan, "ours"))
    found = await AnswerCache(store, lease=Leases(another), clock=clock).run(plan, work)
    assert (found.results[0].hit.title, found.cache.status, work.runs) == ("ours", "miss", 1)
    (given,) = work.plans
    assert (given.deadline < plan.deadline) is another  # waiting for the other one is part of the query's time


@pytest.mark.spec("ENC-NEAR-14")
async def test_what_the_index_offers_is_served_only_if_it_is_of_the_very_group(make, store, clock):
    known, other = (
        make.plan("alpha", text="read a json file", cache_key="a"),
        make.plan("alpha", text="read json", cache_key="b"),
    )
    near = Nearest()
    cache = AnswerCache(store, near=near, clock=clock)
    await cache.run(known, Counted(make.ranking(known, "theirs")))
    near.found = Near(key_of(known), "read a json file", 0.99)
    ranking = await cache.run(other, Counted(make.ranking(other, "ours")))
    assert (ranking.results[0].hit.title, ranking.cache.status) == ("ours", "miss")
    same = make.plan("alpha", text="reading json files", cache_key="a")
    assert (await cache.run(same, Counted(make.ranking(same, "ours")))).results[0].hit.title == "theirs"


PLACES = st.tuples(
    st.sampled_from(QueryType),
    st.sampled_from(["", "owner/name", "owner/other"]),
    st.lists(st.sampled_from(["exa", "kagi", "notes"]), max_size=2, unique=True).map(tuple),
    st.lists(st.sampled_from(["notes", "books"]), max_size=2, unique=True).map(tuple),
    st.lists(st.sampled_from(["work", "home"]), max_size=2, unique=True).map(tuple),
    st.sampled_from(["", "3.11", "3.12"]),
    st.booleans(),
    st.sampled_from(["settings 1", "settings 2"]),
    st.sampled_from(["revision 1", "revision 2"]),
    st.sampled_from([10, 30]),
)


def placed(place):
    """The plan of one question under a type, a scope, settings and a state of the corpora, made by routing itself."""
    from encyclopedia.model.plan import Candidate
    from encyclopedia.model.query import Query, Question, Scope
    from encyclopedia.model.settings import Settings
    from encyclopedia.stages.route import route

    type, repository, sources, corpora, tags, version, expand, state, revision, depth = place
    scope = Scope(sources=sources, corpora=corpora, tags=tags, version=version)
    question = Question(Query("parse json", scope=scope, expand=expand), "parse json", type, "default", repository=repository)
    serves = dict.fromkeys(QueryType, 0.3)
    candidates = tuple(
        Candidate(name, serves, tags=True, corpus=name in {"notes", "books"}) for name in ("exa", "kagi", "notes", "books")
    )
    plan = route(question, candidates=candidates, health={}, settings=Settings(depth=depth), state=state)
    return plan._replace(cache_key=f"{plan.cache_key}|{revision}")


@pytest.mark.spec("ENC-NEAR-14")
@given(PLACES, PLACES)
def test_no_two_questions_share_a_group_that_differ_in_anything_but_the_words(one, other):
    def told(place):
        return (*place[:2], *(tuple(sorted(names)) for names in place[2:5]), *place[5:])

    assert (group_of(placed(one)) == group_of(placed(other))) == (told(one) == told(other))
    assert (key_of(placed(one)) == key_of(placed(other))) == (told(one) == told(other))


@pytest.mark.spec("ENC-CACHE-15")
async def test_past_its_lifetime_an_answer_is_shown_while_its_sources_are_asked_anew(make, clock):
    class Aged(Store):
        def get(self, key, stale=0.0):
            entry = self.peek(key)
            return entry if entry and clock.now - entry.stored_at < 3600 + stale else None

    cache = AnswerCache(Aged(), lifetimes=Lifetimes(stale=600.0), clock=clock)
    cache.patient = False
    plan = make.plan("alpha", stale=True)
    await cache.run(plan, Counted(make.ranking(plan, "old")))
    await cache.settle()
    clock.tick(3700)
    work = Counted(make.ranking(plan, "new"))
    late = await cache.run(plan, work)
    assert (late.results[0].hit.title, late.cache.status, late.cache.stale) == ("old", "hit", True)
    await asyncio.gather(*cache._refreshing.values())
    await asyncio.gather(*cache._writing.values())
    assert work.runs == 1
    fresh = await cache.run(plan, work)
    assert (fresh.results[0].hit.title, fresh.cache.stale) == ("new", False)
    clock.tick(3700)
    strict = make.plan("alpha")  # a source that does not allow it
    assert (await cache.run(strict, work)).cache.status == "miss"
    await cache.settle()
    clock.tick(4300)
    assert (await cache.run(plan, Counted(make.ranking(plan, "newest")))).results[0].hit.title == "newest"
    await cache.settle()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.spec("ENC-CACHE-15")
async def test_who_closes_does_not_wait_for_what_is_asked_anew(make, clock):
    class Old(Store):
        def get(self, key, stale=0.0):
            return self.peek(key) if stale else None

    cache = AnswerCache(Old(), lifetimes=Lifetimes(stale=600.0), clock=clock)
    plan = make.plan("alpha", stale=True)
    await cache.run(plan, Counted(make.ranking(plan, "old")))
    cache.patient = False

    async def endless(_plan):
        await asyncio.Event().wait()

    assert (await cache.run(plan, endless)).cache.stale
    await cache.settle()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.spec("ENC-CACHE-16")
async def test_that_nothing_was_found_is_remembered_only_where_that_is_wanted(make, store, clock):
    plan, near = make.plan("alpha"), Nearest()
    await AnswerCache(store, near=near, clock=clock).run(plan, Counted(make.ranking(plan)))
    assert store.entries == {}
    cache = AnswerCache(store, near=near, lifetimes=Lifetimes(nothing=60.0), clock=clock)
    work = Counted(make.ranking(plan))
    await cache.run(plan, work)
    hit = await cache.run(plan, work)
    assert (hit.cache.status, hit.results, work.runs) == ("hit", (), 1)
    (entry,) = store.entries.values()
    assert entry.lifetime == 60.0
    assert near.added == []
    failed = make.plan("alpha", text="other")
    await cache.run(failed, Counted(make.ranking(failed, outcomes=(Outcome("alpha", Status.TIMEOUT),))))
    assert len(store.entries) == 1


async def test_alone_in_its_process_it_needs_no_event_loop(make, store, clock):
    cache = AnswerCache(store, near=Nearest(), lease=Leases(False), clock=clock)
    cache.alone = True
    plan = make.plan("alpha")
    work = cache.run(plan, Counted(make.ranking(plan, "a")))
    with pytest.raises(StopIteration) as done:
        work.send(None)
    assert done.value.value.cache.status == "miss"
    assert cache.lookup(plan)

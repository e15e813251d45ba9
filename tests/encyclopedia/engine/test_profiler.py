"""The log behind the profile: written in one piece, summed up when long, never in the way of an answer."""

from __future__ import annotations

import os

import pytest

from encyclopedia.engine.profile import COLD, WINDOW, replay
from encyclopedia.engine.profiler import Profiler, asked
from encyclopedia.model.outcome import Outcome, Reply
from encyclopedia.model.query import QueryType
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.ledger import open_ledger

KIND = QueryType.GENERAL_SEARCH.value


class Broken:
    """A ledger that does nothing but fail."""

    def append(self, _records):
        raise OSError("the disk is full")

    def read(self, _mark=None):
        raise OSError("the disk is gone")

    def rewrite(self, _change):
        raise OSError("the disk is full")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "profile.jsonl")


@pytest.fixture
def profiler(path, clock):
    return Profiler(open_ledger(path), clock)


def search(make, profiler, times=1):
    for _ in range(times):
        profiler.collect(make.ranking(make.plan("alpha"), "one", "two"))
        profiler.flush()


@pytest.mark.spec("ENC-PROFILE-1")
def test_a_row_tells_outcome_results_time_and_best_place(make):
    outcomes = (
        Outcome("alpha", Status.OK, make.reply("one", "two"), 0.0204),
        Outcome("quiet", Status.EMPTY, Reply(), 0.3),
        Outcome("slow", Status.TIMEOUT, seconds=2.0),
        Outcome("gone", Status.UNAVAILABLE, seconds=0.1),
    )
    found = asked(make.ranking(make.plan("alpha"), "one", "two", outcomes=outcomes))
    assert found == [
        ["alpha", "ok", 2, 20, 1], ["quiet", "empty", 0, 300, 0], ["slow", "timeout", 0, 2000, 0], ["gone", "failed", 0, 100, 0]
    ]  # fmt: skip


@pytest.mark.spec("ENC-PROFILE-1")
@pytest.mark.parametrize("status", ["rate_limited", "auth", "quota", "refused", "cancelled", "skipped"])
def test_what_tells_nothing_of_quality_is_no_sample(make, profiler, path, status):
    outcomes = (Outcome("alpha", Status(status)),)
    profiler.collect(make.ranking(make.plan("alpha"), outcomes=outcomes))
    profiler.flush()
    assert not os.path.exists(path)


@pytest.mark.spec("ENC-PROFILE-3")
def test_another_process_reads_the_same_weights_from_the_log(make, profiler, path, clock):
    search(make, profiler, COLD)
    other = Profiler(open_ledger(path), clock)
    assert other.profile() == profiler.profile()
    assert other.factors(KIND) == profiler.factors(KIND)
    assert other.factors(KIND)["alpha"] != 1.0
    assert other.factors("repository") == {}


@pytest.mark.spec("ENC-PROFILE-3")
def test_one_who_has_looked_reads_on_from_there(make, profiler, path, clock):
    reader = Profiler(open_ledger(path), clock)
    for n in range(1, 5):
        search(make, profiler)
        clock.tick(2)
        assert reader.profile()["alpha", KIND].total == n
    search(make, profiler)
    assert reader.profile()["alpha", KIND].total == 4  # a look is good for a second


@pytest.mark.spec("ENC-PROFILE-5")
def test_a_long_log_is_summed_up_and_says_the_same(make, profiler, path, clock):
    reader, whole = Profiler(open_ledger(path), clock), Profiler(open_ledger(path + ".whole"), clock)
    profiler.bound = 20_000
    sizes = []
    for _ in range(3 * WINDOW):
        search(make, profiler)
        sizes.append(os.path.getsize(path))
        clock.tick(2)
        reader.profile()
    search(make, whole, 3 * WINDOW)
    assert max(sizes) <= 21_000
    assert reader.profile() == whole.profile()
    assert Profiler(open_ledger(path), clock).profile() == whole.profile()


@pytest.mark.spec("ENC-PROFILE-6")
def test_a_vote_counts_for_those_who_found_it(make, profiler, path, clock):
    search(make, profiler)
    profiler.vote(KIND, ["alpha"], "id:1", -1)
    profiler.vote(KIND, ["alpha"], "id:1", 1)
    assert profiler.profile()["alpha", KIND].votes == (("id:1", 1),)
    assert Profiler(open_ledger(path), clock).profile() == profiler.profile()


@pytest.mark.spec("ENC-PROFILE-7")
def test_a_reset_makes_every_weight_the_configured_one(make, profiler, path, clock):
    search(make, profiler, COLD)
    reader = Profiler(open_ledger(path), clock)
    assert reader.factors(KIND)
    assert profiler.reset() == 1
    clock.tick(2)
    assert profiler.factors(KIND) == reader.factors(KIND) == {}
    assert profiler.reset() == 0
    search(make, profiler)
    clock.tick(2)
    assert reader.profile()["alpha", KIND].total == 1


@pytest.mark.spec("ENC-PROFILE-8")
def test_a_ledger_that_fails_costs_nothing_and_is_told(make, clock):
    broken = Profiler(Broken(), clock)
    search(make, broken)
    assert "disk is full" in broken.problem
    assert broken.factors(KIND) == {}
    assert "disk is gone" in broken.problem


@pytest.mark.spec("ENC-PROFILE-8")
def test_looking_makes_no_file(profiler, path):
    assert profiler.profile() == {}
    assert profiler.reset() == 0
    assert not os.path.exists(os.path.dirname(path))


@pytest.mark.spec("ENC-PROFILE-4")
def test_damage_costs_only_what_it_hit(make, profiler, path, clock):
    search(make, profiler)
    with open(path, "ab") as file:
        file.write(b'\x00\xff{"type": "\n[[[\n' + b"[" * 100_000 + b'\n{"type": "general_sea')
    search(make, profiler)
    clock.tick(2)
    assert profiler.profile()["alpha", KIND].total == 2
    assert replay(open_ledger(path).read()[0]) == profiler.profile()


@pytest.mark.spec("ENC-PROFILE-10")
def test_what_another_process_held_up_is_written_with_the_next(make, path, clock):
    class Held:
        def __init__(self):
            self._ledger, self.held = open_ledger(path), 2
            self.read, self.rewrite = self._ledger.read, self._ledger.rewrite

        def append(self, records):
            if self.held:
                self.held -= 1
                raise BlockingIOError("another process holds its lock")
            return self._ledger.append(records)

    profiler = Profiler(Held(), clock)
    search(make, profiler, times=3)
    assert profiler.problem == ""
    assert replay(open_ledger(path).read()[0])["alpha", KIND].total == 3

"""Votes on pairs of questions outlive the answers, and a damaged file costs no answer."""

from __future__ import annotations

import os

import pytest

from encyclopedia_adapters.storage.vote_records import open_votes


@pytest.mark.spec("ENC-NEAR-13")
def test_a_vote_holds_whoever_asks_in_whatever_case_until_it_is_taken_back(tmp_path):
    folder = str(tmp_path / "state")
    votes = open_votes(folder)
    assert votes.of("a", "b") == 0
    assert not os.path.exists(folder)
    votes.cast("Restart a service", "restart  all services", -1)
    other = open_votes(folder)
    assert other.of("RESTART ALL SERVICES", "restart a service") == -1
    assert other.of("restart a service", "restart some services") == 0
    other.cast("restart all services", "restart a service", 0)
    assert votes.of("restart a service", "restart all services") == 0
    votes.close()
    other.close()


@pytest.mark.spec("ENC-STORE-3")
def test_a_damaged_file_of_votes_is_set_aside_at_the_next_vote(tmp_path):
    (tmp_path / "votes.db").write_bytes(b"no database at all" * 500)
    votes = open_votes(str(tmp_path))
    assert votes.of("a", "b") == 0
    votes.cast("a", "b", 1)
    assert votes.of("b", "a") == 1
    assert (tmp_path / "votes.db.damaged").exists()
    votes.close()

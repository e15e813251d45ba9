"""The nearest known name: near enough to help, else what there is."""

from __future__ import annotations

import pytest

from encyclopedia.model.nearest import closest, nearest

OPTIONS = ("--corpus", "--limit", "--sources", "--tag", "--no-cache")


@pytest.mark.spec("ENC-SETTINGS-6")
@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("--bogus", OPTIONS, ""),
        ("--limt", OPTIONS, "--limit"),
        ("--nocache", OPTIONS, "--no-cache"),
        ("limt", ("limit", "timeout"), "limit"),
        ("corpus", ("corpora", "sources", "tags"), "corpora"),
        ("tag", ("corpora", "sources", "tags"), "tags"),
        ("docs", ("library_docs", "repository"), "library_docs"),
        ("INFRAA", ("infra", "deploy"), "infra"),
        ("notes", (), ""),
    ],
)
def test_a_slip_of_the_pen_is_recognised_and_nothing_far_fetched(name: str, known: tuple[str, ...], near: str) -> None:
    assert closest(name, known) == near
    assert nearest(name, known) == (
        f"did you mean {near}?" if near else f"known: {', '.join(sorted(known))}" if known else "there are none"
    )


@pytest.mark.spec("ENC-SETTINGS-6")
def test_a_long_list_is_cut() -> None:
    told = nearest("zzz", [f"name{number:02}" for number in range(50)])
    assert told.startswith("known: name00, name01")
    assert told.endswith("name19 and 30 more")

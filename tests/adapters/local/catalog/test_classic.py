"""The additive scores: equal to what the first loader printed, and made of what it is said to be made of."""

from __future__ import annotations

import pytest

from encyclopedia.model.topic import TopicLoad
from encyclopedia_adapters.local.catalog.classic import score, terms_of, tokens, trace
from encyclopedia_adapters.local.catalog.entry import Entry
from tests.adapters.local.catalog.desk import lines

FLAGS = {"--n": "n", "--expand": "expand", "--tier2-floor": "tier2_floor"}


def options(flags):
    """The options of a line of flags."""
    rest, found = list(flags), {}
    while rest:
        flag = rest.pop(0)
        found |= {"body_search": True} if flag == "--body-search" else {FLAGS[flag]: int(rest.pop(0))}
    return found


@pytest.mark.spec("ENC-CATALOG-5")
def test_the_164_reference_loads_are_equal_in_ids_scores_and_provenance(patterns) -> None:
    references = lines("reference_loads.jsonl")
    assert len(references) == 164
    for reference in references:
        body = patterns.load(reference["topic"], scoring="classic", bodies=False, **options(reference["flags"]))
        got = [{"id": row["id"], "score": row["relevance_score"], "via": row["via"]} for row in body["matches"]]
        assert got == reference["matches"], (reference["topic"], reference["flags"])
        assert reference["exit"] == 0


ENTRY = Entry(
    "arcan",
    claim="The Runtime of agents",
    out_links=("lago",),
    in_links=("nous",),
    tags=("agent", "run-time"),
    sources=("https://lago.example",),
    aliases=("arcan", "Arc Engine", "engine"),
)


@pytest.mark.spec("ENC-CATALOG-6")
@pytest.mark.parametrize(
    ("term", "signals"),
    [
        ("arcan", [("slug==arcan", 10)]),
        ("arc", [("slug~arc", 5), ("alias~arc", 4)]),
        ("engine", [("alias~engine", 4)]),
        ("agent", [("tag==agent", 4), ("claim~agent", 3)]),
        ("run", [("tag~run", 3), ("claim~run", 3)]),
        ("lago", [("link~lago", 1), ("src~lago", 1)]),
        ("nous", [("link~nous", 1)]),
        ("other", []),
    ],
)
def test_what_a_term_counts(term, signals) -> None:
    assert trace(ENTRY, [term]) == signals


@pytest.mark.spec("ENC-CATALOG-6")
def test_an_alias_counts_whole_when_it_is_the_first_that_holds_the_term() -> None:
    assert trace(Entry("x", aliases=("engine", "engine room")), ["engine"]) == [("alias==engine", 8)]


@pytest.mark.spec("ENC-CATALOG-6")
def test_terms_of_a_topic() -> None:
    assert tokens("What is the Run-Time_2 of a C++ agent?") == ["run-time_2", "agent"]
    assert terms_of(TopicLoad("agent, agent")) == ["agent", "agent"]
    assert terms_of(TopicLoad("agent agent", terms=("loop,agent", "gate run"))) == ["agent", "loop", "gate", "run"]


def scored(bodies, **more):
    entries = [Entry("agent-loop", tags=("agent",)), Entry("other"), Entry("last", claim="agent")]
    read = []

    def body(entry):
        read.append(entry.slug)
        return bodies.get(entry.slug)

    return score(TopicLoad("agent", **more), entries, body), read


@pytest.mark.spec("ENC-CATALOG-6")
def test_bodies_are_read_when_there_are_too_few_matches_too_weak_ones_or_when_asked() -> None:
    bodies = {"other": "An AGENT.", "last": "agent"}
    found, read = scored(bodies, n=2, tier2_floor=9)
    assert (dict(found.scores), read) == ({"agent-loop": 9, "last": 3}, [])
    for more in ({"n": 3, "tier2_floor": 0}, {"n": 2, "tier2_floor": 10}, {"n": 2, "tier2_floor": 0, "body_search": True}):
        found, read = scored(bodies, **more)
        assert dict(found.scores) == {"agent-loop": 9, "last": 5, "other": 2}
        assert (found.catalog, found.added) == (2, 1)
        assert read == ["agent-loop", "other", "last"]


@pytest.mark.spec("ENC-CATALOG-6")
def test_equal_scores_go_by_links_to_them_then_by_slug(desk) -> None:
    for name in ("b", "a", "c"):
        desk.page(f"x/{name}.md", "Agent.")
    desk.page("x/seed.md", "See [[c]].")
    assert desk.ids("agent", scoring="classic") == ["x/c", "x/a", "x/b"]


@pytest.mark.spec("ENC-CATALOG-6")
def test_the_trace_adds_up_and_tells_what_the_bodies_added(patterns) -> None:
    body = patterns.load("single instance", scoring="classic", explain=True, n=5, body_search=True)
    for row in body["matches"]:
        assert sum(part["points"] for part in row["trace"]) == row["relevance_score"]
    assert body["matches"][0]["trace"][-1] == {"signal": "body", "points": 4}

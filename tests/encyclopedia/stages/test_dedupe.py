"""Near-duplicates meet, contributors stay, versions keep apart."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encyclopedia.model.outcome import Hit, Locator, Outcome, Outcomes, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question, Scope
from encyclopedia.model.settings import FusionSettings
from encyclopedia.model.status import Status
from encyclopedia.stages.canonical import page_key
from encyclopedia.stages.dedupe import LEAST_TEXT, dedupe
from encyclopedia.stages.fuse import fuse

REQUEST = Request("words", QueryType.GENERAL_SEARCH, 10, 5.0)
LONG = "An event loop runs tasks and callbacks, performs network operations, and runs subprocesses. " * 2


def fused(lists, version="", weights=None):
    weights = weights or {name: 1 / len(lists) for name in lists}
    query = Query("words", scope=Scope(version=version))
    plan = Plan(
        Question(query, "words", QueryType.GENERAL_SEARCH, "default"),
        tuple(Ask(name, REQUEST, weight) for name, weight in weights.items()),
    )
    given = tuple(Outcome(name, Status.OK, Reply(tuple(hits))) for name, hits in lists.items())
    return fuse(Outcomes(plan, given), settings=FusionSettings())


def sources(result):
    return sorted(share.source for share in result.shares)


MEET = {
    "a page that one source names and another only addresses": (
        Hit("A", "https://a.org/x", page="x"),
        Hit("A", "http://www.a.org/x/"),
    ),
    "a version that only one of them tells": (Hit("A", "https://a.org/x", version="2"), Hit("A", "https://a.org/x")),
    "one place in a corpus": (Hit("A", "https://a.org/x", locator=Locator("c", "p")), Hit("A", locator=Locator("c", "p"))),
    "a mirrored page": (Hit("Loops", "https://a.org/x", LONG), Hit("Loops", "https://mirror.net/y", LONG.upper())),
    "a mirror that adds its name": (Hit("Loops - Wiki", "https://a.org/x", LONG), Hit("loops", "https://b.net/x", f" {LONG}")),
    "a text without any address": (Hit("Loops", "https://a.org/x", LONG), Hit("Loops", content=LONG.replace(" ", "\n"))),
}
APART = {
    "versions of a page": (Hit("A", "https://a.org/x", version="1"), Hit("A", "https://a.org/x", version="2")),
    "versions in the address": (Hit("A", "https://a.org/3.11/x", LONG), Hit("A", "https://a.org/3.12/x", LONG)),
    "stable and latest": (Hit("A", "https://a.org/stable/x", LONG), Hit("A", "https://a.org/latest/x", LONG)),
    "versions in the title": (Hit("A 1", "https://a.org/x", LONG), Hit("A 1.2", "https://a.org/y", LONG)),
    "a number in the text": (Hit("A", "https://a.org/x", LONG + "100"), Hit("A", "https://a.org/y", LONG + "101")),
    "a negation in the text": (Hit("A", "https://a.org/x", LONG + "is"), Hit("A", "https://a.org/y", LONG + "is not")),
    "an operator in the text": (Hit("A", "https://a.org/x", LONG + "a == b"), Hit("A", "https://a.org/y", LONG + "a != b")),
    "other titles over one text": (Hit("Loops", "https://a.org/x", LONG), Hit("Tasks", "https://a.org/y", LONG)),
    "a short text": (Hit("A", "https://a.org/x", "Read more"), Hit("A", "https://a.org/y", "Read more")),
    "one path in two corpora": (Hit("A", locator=Locator("c", "p")), Hit("A", locator=Locator("d", "p"))),
    "copies in folders of two versions": (
        Hit("A", content=LONG, locator=Locator("c", "v1/p")),
        Hit("A", content=LONG, locator=Locator("c", "v2/p")),
    ),
}


@pytest.mark.spec("ENC-DEDUPE-1")
@pytest.mark.parametrize("hits", MEET.values(), ids=MEET.keys())
@pytest.mark.parametrize("turned", [False, True])
def test_near_duplicates_are_one_result_that_keeps_its_contributors(hits, turned):
    one, other = hits[::-1] if turned else hits
    before = fused({"s": [one], "t": [other], "u": [Hit("Z", "https://z.org")]}, weights={"s": 0.5, "t": 0.3, "u": 0.2})
    after = dedupe(before)
    assert len(after.results) == 2
    assert sources(after.results[0]) == ["s", "t"]
    assert after.results[0].score == sum(share.score for share in after.results[0].shares)
    assert after.results[0].hit.title == one.title
    assert [(d.source, d.kept) for d in after.fusion.dropped] == [("t", one.title)]


@pytest.mark.spec("ENC-DEDUPE-2")
@pytest.mark.parametrize("hits", APART.values(), ids=APART.keys())
def test_what_differs_in_version_number_or_sense_stays_apart(hits):
    ranking = fused({"s": [hits[0]], "t": [hits[1]]})
    assert dedupe(ranking).results == ranking.results
    assert len(ranking.results) == 2


def test_the_texts_of_the_table_are_long_enough_to_be_compared():
    assert len(LONG) >= LEAST_TEXT


@pytest.mark.spec("ENC-DEDUPE-3")
def test_pages_that_a_source_tells_apart_stay_apart_though_they_share_an_address():
    first = Hit("dumps", "https://a.org/json", LONG, page="json.dumps")
    second = Hit("loads", "https://a.org/json", LONG, page="json.loads")
    results = dedupe(fused({"s": [first, second], "t": [Hit("json", "https://a.org/json/")]})).results
    assert sorted(tuple(sources(result)) for result in results) == [("s",), ("s", "t")]


def test_a_source_keeps_its_best_share_in_a_merged_result():
    hits = [Hit("Loops", "https://a.org/x", LONG), Hit("Loops", "https://b.org/y", LONG)]
    ranking = dedupe(fused({"s": hits}))
    assert [(share.source, share.rank) for share in ranking.results[0].shares] == [("s", 1)]
    assert ranking.fusion.dropped[0].reason == "same text"


@pytest.mark.spec("ENC-DEDUPE-4")
def test_merging_lifts_a_page_and_the_results_are_sorted_again():
    lists = {"s": [Hit("A", "https://a.org"), Hit("B", "https://b.org/x", page="b")], "t": [Hit("B", "http://b.org/x/")]}
    ranking = fused(lists, weights={"s": 0.5, "t": 0.1})
    assert ranking.results[0].hit.title == "A"
    merged = dedupe(ranking)
    assert [r.hit.title for r in merged.results] == ["B", "A"]
    assert merged.results[0].hit.url == "https://b.org/x"
    assert merged.fusion.dropped[0].reason == "same address"


@pytest.mark.spec("ENC-DEDUPE-5")
def test_the_asked_version_takes_the_best_place_among_the_versions_of_a_page():
    one, two, other = (Hit(t, f"https://docs.org/{p}") for t, p in (("1", "v1.0/x"), ("2", "v2.0/x"), ("o", "v1.0/y")))
    lists = {"s": [one, other, two]}
    assert [r.hit.title for r in dedupe(fused(lists)).results] == ["1", "o", "2"]
    assert [r.hit.title for r in dedupe(fused(lists, version="2.0")).results] == ["2", "o", "1"]
    assert [r.hit.title for r in dedupe(fused(lists, version="1.0")).results] == ["1", "o", "2"]
    named = {"s": [two._replace(url="https://d.org/x", version="1"), one._replace(url="https://d.org/x", version="2")]}
    assert [r.hit.version for r in dedupe(fused(named, version="2")).results] == ["2", "1"]
    assert len(dedupe(fused({"s": [Hit("t", content="c")]}, version="2")).results) == 1


URLS = st.sampled_from(("", "https://a.org/x", "http://www.a.org/x/", "https://m.a.org/x?utm_x=1", "https://b.org/1/y"))
LOCATORS = st.sampled_from((None, Locator("c", "p", "one"), Locator("c", "p", "two"), Locator("c", "q")))
HITS = st.builds(
    Hit,
    title=st.sampled_from(("Loops", "loops", "Tasks")),
    url=URLS,
    content=st.sampled_from(("", "short", LONG, LONG.upper(), LONG + "1")),
    locator=LOCATORS,
    version=st.sampled_from(("", "1", "2")),
    page=st.sampled_from(("", "", "p1", "p2")),
)
LISTS = st.dictionaries(st.sampled_from("stuv"), st.lists(HITS, max_size=5), min_size=1)


PLACE = Locator("c", "p")
# Merging the last two makes a copy that has the name and the version of the first.
BECOMES_ANOTHER = [Hit("A", version="2", page="p1"), Hit("A", locator=PLACE, page="p1"), Hit("A", locator=PLACE, version="2")]


@pytest.mark.spec("ENC-DEDUPE-6")
@example({"s": BECOMES_ANOTHER})
@given(LISTS)
def test_laws_of_merging(lists):
    before = fused(lists)
    after = dedupe(before)
    keys = [page_key(result.hit, result.source) for result in after.results]
    assert len(set(keys)) == len(keys)
    heard = {share.source for result in before.results for share in result.shares}
    assert {share.source for result in after.results for share in result.shares} == heard
    for result in after.results:
        assert len(set(sources(result))) == len(result.shares)
    assert [r.score for r in after.results] == sorted((r.score for r in after.results), reverse=True)
    assert len(before.results) - len(after.results) == len(after.fusion.dropped) - len(before.fusion.dropped)
    assert repr(dedupe(fused(dict(sorted(lists.items(), reverse=True)))).results) == repr(after.results)


@pytest.mark.spec("ENC-DEDUPE-7")
@pytest.mark.parametrize("same_text", [True, False])
def test_a_flood_of_texts_that_begin_alike_is_not_compared_pairwise(same_text):
    calls = 0

    class Counted(str):
        __slots__ = ()

        def casefold(self):
            nonlocal calls
            calls += 1
            return super().casefold()

    hits = [
        Hit(Counted(f"t{n}x"), f"https://a.org/{n}", Counted(LONG + "" if same_text else LONG + str(n))) for n in range(400)
    ]
    assert len(dedupe(fused({"s": hits})).results) == 400
    assert calls <= 400 * 40

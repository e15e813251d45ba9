"""One copy out of several."""

import itertools

import pytest

from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Hit, Locator
from encyclopedia.model.ranking import Ranked, Share
from encyclopedia.stages.merge import addresses_of, best_first, heaviest_first, one_copy

BEST = Hit("Best", "http://a.org/x?utm_source=y", "short", None, "", "", "", "name")
RICH = Hit("Rich", "https://a.org/x", "the richest content", Locator("c", "p", "s"), "2024", "", "7", "other")
LAST = Hit("Last", "", "middle content", Locator("d", "q"), "2020", "3", "8")


@pytest.mark.spec("ENC-FUSE-9")
def test_each_field_comes_from_where_the_rule_says():
    copy = one_copy([BEST, RICH, LAST], {"one"})
    assert copy == Hit("Best", BEST.url, RICH.content, RICH.locator, "2024", "3", "7", "name")


def test_the_place_is_that_of_the_content_else_of_the_best_that_has_one():
    longest = Hit("t", content="longer than all the others are")
    assert one_copy([LAST, RICH, longest], set()).locator == LAST.locator
    assert one_copy([LAST, RICH], set()).locator == RICH.locator
    assert one_copy([longest, RICH, LAST], set()).locator == RICH.locator


def test_of_equally_rich_contents_the_best_is_taken():
    assert one_copy([Hit("a", content="1234"), Hit("b", content="abcd")], set()).content == "1234"


@pytest.mark.spec("ENC-LABEL-1")
def test_the_highest_label_holds_whatever_else_is_taken():
    for order in itertools.permutations((BEST, RICH._replace(label=Label.INTERNAL), LAST._replace(label=Label.SECRET))):
        assert one_copy(order, {"one"}).label is Label.SECRET


def test_one_hit_is_its_own_copy_but_for_the_address_of_many():
    assert one_copy([BEST], {"one"}) == BEST
    assert one_copy([BEST], {"one", "two"}).url == "https://a.org/x"


def test_addresses_are_counted_without_the_place_in_the_page_and_missing_ones_not_at_all():
    urls = ("https://a.org/x#a", "https://a.org/x#b", "", "http://a.org/x")
    assert addresses_of([Hit("t", url) for url in urls]) == {"https://a.org/x", "http://a.org/x"}


@pytest.mark.spec("ENC-FUSE-6")
def test_the_orders_are_total():
    shares = [Share("b", 1, 0.5, 0.2), Share("a", 1, 0.5, 0.2), Share("c", 1, 0.5, 0.3)]
    results = [Ranked(BEST, (share,)) for share in shares]
    for turned in itertools.permutations(range(3)):
        assert [s.source for s in sorted((shares[n] for n in turned), key=heaviest_first)] == ["c", "a", "b"]
        assert [r.source for r in sorted((results[n] for n in turned), key=best_first)] == ["c", "a", "b"]

"""The near tier: which stored question it offers, what it refuses, and what it does with an embedder that is none."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from encyclopedia.engine.near import Limits, Nearness, NoEmbedderError, digest
from encyclopedia.wiring.near import GUARDS
from encyclopedia.wiring.near import wording as shipped
from tests.near_doubles import Index, Votes


class Bag:
    """A vector of the words, whatever their order: opposites and other words are far, swaps and repetitions near."""

    fingerprint, dimension = "bag of words", 512

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, word in enumerate(text.split()):
                row[int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16) % self.dimension] += 1 + place / 50
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


@pytest.fixture(scope="module")
def wording():
    return shipped()


@pytest.fixture
def make(wording):
    def make(embedder=None, guards=GUARDS, votes=None, **limits):
        made = embedder or Bag()
        return Nearness((Index(), votes), lambda: made, lambda: wording, Limits(guards=guards, **limits))

    return make


@pytest.mark.spec("ENC-NEAR-4")
def test_nothing_is_made_while_a_group_is_empty():
    def never():
        raise AssertionError("made without need")

    near = Nearness((Index(), None), never, never, Limits())
    assert near.find("g", "how to install numpy") == ()
    near.add("g", "how to install numpy", "k")
    assert near.find("other", "how to install numpy") == ()
    with pytest.raises(AssertionError):
        near.find("g", "how to install numpy")


@pytest.mark.spec("ENC-NEAR-11")
def test_the_same_in_other_words_is_offered_the_nearest_first(make):
    near = make()
    for key, text in enumerate(("install numpy", "install numpy please", "delete numpy")):
        near.add("g", text, str(key))
    found = near.find("g", "how to install numpy")
    assert [(one.key, one.query, one.refused_by) for one in found] == [
        ("0", "install numpy", ""),
        ("1", "install numpy please", ""),
    ]
    assert found[0].similarity == pytest.approx(1.0)


@pytest.mark.spec("ENC-CACHE-9")
def test_a_refusal_is_named_if_nothing_may_be_served(make):
    near = make()
    near.add("g", "convert json to yaml", "k")
    (refused,) = near.find("g", "convert yaml to json")
    assert (refused.query, refused.refused_by) == ("convert json to yaml", "direction")
    near.add("g", "yaml to json conversion", "l")
    assert [one.key for one in near.find("g", "convert yaml to json")] == ["l"]


@pytest.mark.spec("ENC-NEAR-12")
def test_thresholds_and_guards_are_settings(make):
    pairs = ("convert json to yaml", "convert yaml to json")
    loose = make(guards=[name for name in GUARDS if name != "direction"])
    loose.add("g", pairs[0], "k")
    assert [one.refused_by for one in loose.find("g", pairs[1])] == [""]
    strict = make(threshold=1.0, same_words=1.0)
    strict.add("g", "install numpy", "k")
    assert strict.find("g", "install numpy fast") == []
    far = make(threshold=0.5, guards=())
    far.add("g", "red apples", "k")
    assert [one.key for one in far.find("g", "red pears")] == []  # 0.5 but for rounding, and other words
    assert [one.key for one in make(threshold=0.0, same_words=0.0, guards=()).find("g", "x")] == []


@pytest.mark.spec("ENC-NEAR-13")
def test_a_vote_speaks_before_every_guard(make):
    near = make(votes=Votes())
    near.add("g", "install numpy", "k")
    near.vote("how to install numpy", "install numpy", -1)
    assert [one.refused_by for one in near.find("g", "how to install numpy")] == ["feedback"]
    assert [one.refused_by for one in near.find("g", "installing numpy please")] in ([""], [])
    near.vote("how to install numpy", "install numpy", 0)
    assert [one.refused_by for one in near.find("g", "how to install numpy")] == [""]
    near.add("h", "json to yaml", "l")
    assert [one.refused_by for one in near.find("h", "yaml to json")] == ["direction"]
    near.vote("yaml to json", "json to yaml", 1)
    assert [one.refused_by for one in near.find("h", "yaml to json")] == [""]


@pytest.mark.spec("ENC-NEAR-13")
def test_a_vote_speaks_however_far_the_two_are_from_one_another(make):
    votes = Votes()
    near = make(votes=votes)
    near.add("g", "how to install numpy", "k")
    assert near.find("g", "numerical python setup") == []
    near.vote("numerical python setup", "how to install numpy", 1)
    (found,) = near.find("g", "numerical python setup")
    assert (found.key, found.refused_by) == ("k", "")
    assert found.similarity < 0.8
    near.vote("numerical python setup", "how to install numpy", 0)
    assert near.find("g", "numerical python setup") == []


@pytest.mark.spec("ENC-NEAR-5")
def test_vectors_are_made_together_with_that_of_the_question_and_once(make):
    bag = Bag()
    near = make(bag)
    for number in range(300):
        near.add("g", f"question number {number}", str(number))
    assert bag.texts == []
    near.find("g", "question number 1000")
    assert len(bag.texts) == 257  # as many as one look makes, and the question
    near.find("g", "question number 1001")
    assert len(bag.texts) == 257 + 45
    near.find("g", "question number 1002")
    assert len(bag.texts) == 257 + 45 + 1


@pytest.mark.spec("ENC-NEAR-5")
def test_the_vector_that_a_question_was_looked_for_with_is_stored_with_it(make):
    bag = Bag()
    near = make(bag)
    near.add("g", "delete numpy", "a")
    for text in ("install numpy", "update numpy"):
        assert near.find("g", text) == []
        near.add("g", text, text)
    assert near.counted() == (3, 3)
    assert len(bag.texts) == 3
    assert [one.key for one in near.find("g", "how to install numpy")] == ["install numpy"]
    assert len(bag.texts) == 4


def test_words_are_put_into_one_form_before_they_become_a_vector(make):
    bag = Bag()
    near = make(bag)
    near.add("g", "How do I configure K8s?", "k")
    near.find("g", "pyhton3.11   config, for k8s...")
    assert sorted(bag.texts) == ["configure kubernetes", "python 3.11 configuration for kubernetes"]


@pytest.mark.spec("ENC-NEAR-10")
def test_without_an_embedder_it_says_so(wording):
    near = Nearness((Index(), None), lambda: None, lambda: wording, Limits())
    near.add("g", "install numpy", "k")
    with pytest.raises(NoEmbedderError, match="semantic"):
        near.find("g", "how to install numpy")


class Degenerate:
    fingerprint, dimension = "broken", 8

    def __init__(self, row, dimension=8):
        self.row, self.size = row, dimension

    def embed(self, texts):
        return np.tile(np.asarray(self.row, np.float32), (len(texts), self.size // len(self.row)))


BROKEN = {
    "zeros": Degenerate([0.0]),
    "one constant vector": Degenerate([1.0, 0, 0, 0, 0, 0, 0, 0]),
    "not a number": Degenerate([np.nan]),
    "infinite": Degenerate([np.inf]),
    "another dimension": Degenerate([0.25], 16),
    "too long": Degenerate([5.0]),
}


@pytest.mark.spec("ENC-NEAR-10")
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("asked", ["how to install numpy please", "numpy installation", "delete a branch", "x", ""])
def test_a_degenerate_embedder_finds_nothing_for_different_text(make, name, asked):
    near = make(BROKEN[name], threshold=0.1, same_words=0.1)
    for key, text in enumerate(("how do I set up kafka", "uninstall numpy", "installing numpys")):
        near.add("g", text, str(key))
    assert [one for one in near.find("g", asked) if not one.refused_by] == []


@pytest.mark.spec("ENC-NEAR-10")
def test_texts_that_an_embedder_cannot_tell_apart_are_not_the_same(make):
    near = make(BROKEN["one constant vector"])
    near.add("g", "installing numpy now", "k")
    assert [one.refused_by for one in near.find("g", "numpy installation now")] == ["embedder"]


@pytest.mark.spec("ENC-CACHE-2")
def test_a_group_is_stored_as_a_digest():
    assert digest("a") != digest("b")
    assert len(digest("\ud800")) == 64

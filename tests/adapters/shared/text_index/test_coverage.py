"""How much of a question a text holds: rare words count more, endings and other names do not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.shared.text_index import Passage, TextIndex
from encyclopedia_adapters.shared.text_index.coverage import ENOUGH, SMALLEST, Coverage, content_words

COUNTS = {"the": 900, "client": 400, "redirect": 3, "http": 50, "limit": 120, "session": 200}


def coverage(text, stands_for=(), size=1000):
    return Coverage(text, size, lambda term: COUNTS.get(term, 0), stands_for)


@pytest.mark.spec("ENC-COVER-1")
@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("client redirects", "A redirect is followed.", True),
        ("client redirects", "The client is closed.", False),
        ("http client session", "An HTTP session", True),
        ("gizmo client", "The client is closed.", False),
        ("gizmo client", "This gizmo is new.", True),
        ("gizmo", "Nothing of the kind.", False),
        ("what is the way to do it", "nothing", False),
        ("what is a gizmo", "Gizmos everywhere", True),
        ("ClientSession", "The client has a session.", True),
        ("naïve", "naive", True),
        ("日本語", "日本語の検索", True),
    ],
)
def test_what_holds_the_words_that_matter_is_enough(question, text, enough):
    assert (coverage(question).share(text) >= ENOUGH) is enough


@pytest.mark.spec("ENC-COVER-1")
def test_an_unknown_word_weighs_most_and_a_common_one_least():
    weights = {word: coverage(word).needs[0].weight for word in ("gizmo", "redirect", "http", "client")}
    assert sorted(weights, key=weights.__getitem__) == ["client", "http", "redirect", "gizmo"]


@pytest.mark.spec("ENC-COVER-1")
def test_in_a_handful_of_notes_no_word_is_common():
    few = Coverage("oddity pod memory", 3, lambda term: 0 if term == "odditi" else 3)
    assert few.share("the memory of a pod") >= ENOUGH
    assert SMALLEST > 3


@pytest.mark.spec("ENC-COVER-1")
def test_of_a_long_question_less_is_enough():
    assert coverage("gizmo").enough == coverage("one gizmo two gadgets red").enough == ENOUGH
    words = [f"oddity{letter}" for letter in "abcdefgh"]
    enough = [coverage(" ".join(words[:count])).enough for count in range(1, 9)]
    assert enough == sorted(enough, reverse=True)
    assert enough[3] == ENOUGH
    assert enough[7] == ENOUGH / 4


@pytest.mark.spec("ENC-COVER-2")
def test_what_stands_for_a_word_counts_as_the_word():
    others = (("jwt", ("json web token",)), ("expiry", ("lifetime",)))
    assert coverage("jwt expiry", others).share("The lifetime of a JSON web token") == 1.0
    assert coverage("jwt expiry", others).share("A web of lies") == 0.0
    assert coverage("jwt expiry").share("The lifetime of a JSON web token") == 0.0


@pytest.mark.spec("ENC-COVER-2")
def test_a_correction_is_not_asked_for_beside_what_it_corrects():
    made = coverage("kuberntes kubernetes pods", (("kuberntes", ("kubernetes",)),))
    assert [need.terms[0] for need in made.needs] == ["kubernt", "pod"]
    assert made.share("kubernetes pod") == made.share("kuberntes pod") == 1.0


@pytest.mark.spec("ENC-COVER-3")
@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=4), st.integers(0, 10**6))
def test_a_share_is_from_nothing_to_all_and_grows_with_the_text(question, texts, size):
    made = coverage(question, size=size)
    shares = [made.share(*texts[:count]) for count in range(len(texts) + 1)]
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in shares)
    assert shares == sorted(shares)
    assert made.share(question) >= 1.0 - 1e-9


def test_words_without_meaning_count_only_where_there_are_no_others():
    assert content_words("how do I parse the a x of it") == ["parse"]
    assert content_words("to be or not to be") == ["to", "be", "or", "not"]
    assert content_words("") == []
    assert coverage("").share("anything") == 1.0


def test_an_index_gives_its_own_weights(tmp_path):
    index = TextIndex(str(tmp_path / "index"))
    assert index.coverage("flywheel").share("flywheel") == 1.0
    with index.update() as writer:
        for number in range(400):
            writer.put(f"d{number}", [Passage(f"d{number}", f"d{number}", "Gear", "gear" if number else "gear flywheel")])
    made = index.coverage("flywheel gear")
    assert made.share("flywheel") > 9 * made.share("gear") > 0

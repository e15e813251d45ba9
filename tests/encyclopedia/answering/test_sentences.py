import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.answering.sentences import is_prose, sentences
from encyclopedia.answering.words import fold, shown

PAGE = """\
# Timeouts

HTTPX enforces timeouts everywhere, e.g. when it reads. The default is 5 seconds
of inactivity (see v0.28). "Really?" He asked.

| a | b |
|---|---|

* First item here.
* Second item, which
  runs on.

    indented code = 1

You can turn it off:

```python
client = httpx.Client(timeout=None)
```

> Quoted words
> that run on. And more.
"""


@pytest.mark.spec("ENC-ASK-3")
def test_a_passage_is_cut_into_sentences_that_stand_in_it_word_for_word():
    found = [sentence.text for sentence in sentences(PAGE)]
    assert found == [
        "HTTPX enforces timeouts everywhere, e.g. when it reads.",
        "The default is 5 seconds\nof inactivity (see v0.28).",
        '"Really?"',
        "He asked.",
        "First item here.",
        "Second item, which\n  runs on.",
        "You can turn it off:\n\n```python\nclient = httpx.Client(timeout=None)\n```",
        "Quoted words\n> that run on.",
        "And more.",
    ]


@pytest.mark.spec("ENC-ASK-3")
def test_a_short_list_belongs_to_the_line_that_announces_it():
    (one,) = [s for s in sentences("It has two parts:\n\n- one\n- two\n\nAfter that.") if s.text.startswith("It has")]
    assert one.text == "It has two parts:\n\n- one\n- two"


@pytest.mark.spec("ENC-ASK-3")
def test_scripts_without_spaces_are_cut_too():
    assert [s.text for s in sentences("これは文です。次の文です。")] == ["これは文です。", "次の文です。"]


@pytest.mark.spec("ENC-ASK-3")
@given(st.text(alphabet=st.sampled_from("ab. \n`#*-|>:!?1)（。"), max_size=200))
def test_every_sentence_is_the_text_between_its_ends(text):
    found = sentences(text)
    assert all(text[one.start : one.end] == one.text and one.text.strip() == one.text for one in found)
    assert all(one.text for one in found)


@pytest.mark.spec("ENC-ASK-3")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The client waits for five seconds.", True),
        ("[[publish-to-github-pages]], [[publish-to-vercel]]", False),
        ("See [the guide](a.md), [the FAQ](b.md)", False),
        ("api client code", False),
        ("データベースを移行します。", True),
    ],
)
def test_prose_is_told_from_lists_of_links_and_names(text, says):
    assert is_prose(text) is says


@pytest.mark.spec("ENC-ASK-3")
def test_an_aside_belongs_to_the_sentence_before_it():
    text = "- `max`, the most there may be. (Default 100)\n- `least`, the least. (Default 1)"
    assert [s.text for s in sentences(text)] == [
        "`max`, the most there may be. (Default 100)",
        "`least`, the least. (Default 1)",
    ]


@pytest.mark.spec("ENC-ASK-3")
def test_a_list_belongs_whole_to_a_line_without_an_end():
    text = "Use it when\n\n- there are many sources, each of which\n  speaks often\n- nobody listens\n\nAfter that."
    assert sentences(text)[0].text == text.removesuffix("\n\nAfter that.")


@pytest.mark.spec("ENC-ASK-3")
def test_quoted_paragraphs_are_apart_and_their_marks_are_no_text():
    found = [s.text for s in sentences("> One says\n> this.\n>\n> And that.")]
    assert found == ["One says\n> this.", "And that."]
    assert shown(found[0]) == "One says this."
    assert fold(found[0]) == fold("One says this.")

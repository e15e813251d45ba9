import pytest

from encyclopedia.model.outcome import Hit, Reply
from encyclopedia_adapters.shared.generated import generated

PAGES = tuple(Hit(f"Page {at}", f"https://example.org/{at}", "text") for at in range(3))
TITLE = "Answer by Acme (generated)"


@pytest.mark.spec("ENC-GENERATED-1")
@pytest.mark.parametrize(
    ("pages", "limit", "titles"),
    [
        (3, 10, ["Page 0", "Page 1", "Page 2", TITLE]),
        (3, 4, ["Page 0", "Page 1", "Page 2", TITLE]),
        (3, 2, ["Page 0", TITLE]),
        (3, 1, ["Page 0"]),
        (3, 0, []),
        (0, 1, [TITLE]),
        (0, 0, []),
    ],
)
def test_the_text_stands_last_within_the_limit_and_never_instead_of_all_pages(pages, limit, titles):
    reply = generated("Acme", "Words.", PAGES[:pages], limit)
    assert [hit.title for hit in reply.hits] == titles
    assert reply.note == (f'"{TITLE}" is text that the service generated, not a page' if TITLE in titles else "")
    assert not reply.reduced


@pytest.mark.spec("ENC-GENERATED-1")
def test_it_is_clean_text_without_an_address():
    (hit,) = generated("Acme", "  a \x1b[31mred\u202e `<div>` <script>x()</script>&amp; [1]\n", (), 5).hits
    assert hit == Hit(TITLE, content="a red `<div>`  &amp; [1]")


@pytest.mark.spec("ENC-GENERATED-1")
@pytest.mark.parametrize("text", ["", "  \n", "\x1b[2J\u200b"])
def test_without_words_there_is_no_answer_and_no_note(text):
    assert generated("Acme", text, PAGES, 2) == Reply(PAGES[:2])

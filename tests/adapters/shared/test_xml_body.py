import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.shared.xml_body import parse_xml

LAUGHS = (
    '<!DOCTYPE l [<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]><l>&l9;</l>"
)


@pytest.mark.spec("ENC-XML-1")
def test_elements_text_and_the_five_entities_are_read():
    root = parse_xml("h", '<?xml version="1.0" encoding="latin-1"?><a><b x="1">é &lt; &amp; &#228;</b><!-- c --></a>')
    assert (root.tag, root[0].get("x"), root[0].text) == ("a", "1", "é < & ä")


@pytest.mark.spec("ENC-XML-1")
def test_a_document_larger_than_one_piece_is_read_whole():
    assert len(parse_xml("h", "<a>" + "<b>é</b>" * 20_000 + "</a>")) == 20_000


@pytest.mark.spec("ENC-XML-2")
@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<?xml version="1.0"?>\n<!-- c --><!DOCTYPE a><a/>',
        "<a><!ENTITY x 'y'></a>",
    ],
)
def test_a_document_type_is_refused_before_it_is_read(text):
    tracemalloc.start()
    try:
        with pytest.raises(Garbled, match="declares a document type"):
            parse_xml("h", text)
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


@pytest.mark.spec("ENC-XML-2")
@pytest.mark.parametrize("text", ["", "x", "<a>", "<a></b>", "<a/><b/>", "<a>&nope;</a>", "<!doctype a><a/>", "\x00<a/>", "{}"])
def test_what_is_no_xml_is_garbled(text):
    with pytest.raises(Garbled, match="h answered something that is not XML"):
        parse_xml("h", text)


@pytest.mark.spec("ENC-XML-2")
def test_depth_is_bounded():
    assert parse_xml("h", "<a>" * 64 + "</a>" * 64).tag == "a"
    with pytest.raises(Garbled, match="too deep"):
        parse_xml("h", "<a>" * 65 + "</a>" * 65)
    with pytest.raises(Garbled, match="too deep"):
        parse_xml("h", "<a>" * 500_000)


@pytest.mark.spec("ENC-XML-2")
@given(st.one_of(st.text(), st.lists(st.sampled_from(["<a>", "</a>", "<b/>", "x", "&lt;", "&", "<", "\ud800"])).map("".join)))
def test_any_text_is_read_or_garbled(text):
    with suppress(Garbled):
        assert parse_xml("h", text).tag

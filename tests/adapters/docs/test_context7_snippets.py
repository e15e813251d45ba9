import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.docs.context7_snippets import snippet_hits
from tests.docs_bodies import context7_body

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/context7.json").read_text())
ROW = ("Title", "https://example.org/a", "Text")


@pytest.mark.spec("ENC-LIBDOCS-4")
def test_code_and_prose_become_hits_in_turn_and_code_is_kept():
    assert list(snippet_hits(WIRE, "2.1.0")) == [
        Hit(
            "Declare a route",
            "https://example.org/acme/webkit/blob/main/docs/routing.md#_snippet_0",
            "Registers a GET handler.\n\n```python\napp.get('/x')(handler)\n```\n\n```toml\n[routes]\nx = 1\n```",
            version="2.1.0",
        ),
        Hit("Guide > Routing", "https://example.org/docs/routing", "Routes match in order.", version="2.1.0"),
        Hit(
            "Fences",
            "https://example.org/acme/webkit/blob/main/docs/fences.md#_snippet_1",
            "````markdown\n```\nvector<int>\n```\n````",
            version="2.1.0",
        ),
        Hit("Without a page.", "", "Without a page.", version="2.1.0"),
    ]


@pytest.mark.spec("ENC-LIBDOCS-4")
def test_rules_of_third_parties_are_not_read():
    assert "rules" in WIRE
    assert "orders" not in str(list(snippet_hits(WIRE, "")))


@pytest.mark.spec("ENC-LIBDOCS-4")
@pytest.mark.parametrize("missing", ["codeSnippets", "infoSnippets"])
def test_one_of_the_two_lists_is_enough(missing):
    assert len(list(snippet_hits({name: value for name, value in WIRE.items() if name != missing}, ""))) == 2
    assert len(list(snippet_hits(WIRE | {missing: None}, ""))) == 2


@pytest.mark.spec("ENC-LIBDOCS-7")
@pytest.mark.parametrize(
    "shape",
    [
        lambda body: body,
        lambda body: body["infoSnippets"],
        lambda body: {"results": body["infoSnippets"]},
        lambda body: {"snippets": body["infoSnippets"]},
        lambda body: {"documents": [{"title": "Title", "url": "https://example.org/a", "content": "Text"}] * 2},
        lambda body: {"results": [{"title": "Title", "source": "https://example.org/a", "text": "Text"}] * 2},
        lambda body: {"results": [{"libraryId": "/a/b", **context7_body(ROW)}, {"libraryId": "/c/d", **context7_body(ROW)}]},
    ],
)
def test_the_one_call_form_is_read_in_any_likely_shape(shape):
    hit = Hit("Title", "https://example.org/a", "Text")
    assert list(snippet_hits(shape(context7_body(ROW, ROW)), "")) == [hit, hit]


@pytest.mark.spec("ENC-LIBDOCS-4")
@pytest.mark.parametrize(
    "data", [{}, {"results": {}}, {"results": [1]}, [1, 2], "text", None, {"codeSnippets": "x"}, {"infoSnippets": {"a": 1}}]
)
def test_what_holds_no_list_of_snippets_is_garbled(data):
    with pytest.raises(Garbled):
        list(snippet_hits(data, ""))

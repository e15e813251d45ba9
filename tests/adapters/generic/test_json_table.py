import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia_adapters.generic.json_table import read_table

WHOLE = {
    "kind": "json",
    "serves": {"general_search": 0.3},
    "url": "https://wiki.example.org/api/search?q={query}&n={limit}&k=${WIKI_KEY}",
    "headers": {"Authorization": "Bearer ${WIKI_TOKEN}"},
    "results": "hits[]",
    "fields": {"title": "name", "url": "links.html", "content": "excerpt", "published": "updated"},
    "timeout": 3.0,
}


@pytest.mark.spec("ENC-JSON-1")
def test_the_table_of_the_product_page_is_read():
    table = read_table("intranet", WHOLE)
    assert table.serves == {QueryType.GENERAL_SEARCH: 0.3}
    assert table.keys == ("WIKI_KEY", "WIKI_TOKEN")
    assert (table.timeout, table.results, table.form, table.markup) == (3.0, "hits[]", Form.KEYWORD, "guess")
    assert (table.body, table.alternatives, table.description) == (None, False, "")


@pytest.mark.spec("ENC-JSON-1")
def test_what_is_left_out_has_a_default_and_what_is_more_is_taken():
    least = {"serves": {"library_docs": 1}, "url": "http://h/{library}", "fields": {"content": "@"}}
    table = read_table("x", least)
    assert (table.results, table.timeout, table.headers) == ("@", None, {})
    more = {"form": "question", "html": True, "alternatives": True, "description": "d", "enabled": True}
    table = read_table("x", least | more | {"body": {"a": ["${K}", {"b": "{query}"}], "n": 3}})
    assert (table.form, table.markup, table.alternatives, table.keys) == (Form.QUESTION, "html", True, ("K",))
    assert read_table("x", least | {"html": False}).markup == "text"


MISTAKES = [
    ({"urll": "x"}, "urll", 'did you mean "url"'),
    ({"wholly": 1}, "wholly", "known are kind"),
    ({"url": None}, "url is missing", ""),
    ({"url": 3}, "url must be a string", ""),
    ({"url": "ftp://x/{query}"}, "url must begin with http", ""),
    ({"url": "https:///{query}"}, "url must begin with http", ""),
    ({"url": "https://u:p@h/{query}"}, "credentials", "headers"),
    ({"url": "https://{query}.example.org/"}, "host from the query", ""),
    ({"url": "https://h/?n={limit}"}, "holds none of", ""),
    ({"url": "https://h/{qurey}{query}"}, "{qurey", 'did you mean "query"'),
    ({"url": "https://h/{query}${1X}"}, "${1X}", ""),
    ({"serves": {}}, "serves is missing", "for example"),
    ({"serves": 3}, "serves must be a table", ""),
    ({"serves": {"general": 0.3}}, "serves.general", 'did you mean "general_search"'),
    ({"serves": {"general_search": "much"}}, "serves.general_search must be a number", ""),
    ({"serves": {"general_search": -1}}, "must be a number from 0", ""),
    ({"serves": {"general_search": float("nan")}}, "must be a number from 0", ""),
    ({"serves": {"general_search": True}}, "must be a number from 0", ""),
    ({"fields": {"titel": "x", "content": "y"}}, "fields.titel", 'did you mean "title"'),
    ({"fields": {}}, "needs a title or a content", ""),
    ({"fields": {"title": 3}}, "fields.title must be a string", ""),
    ({"fields": {"title": "a["}}, "fields.title is not a JMESPath", ""),
    ({"results": "hits["}, "results is not a JMESPath", ""),
    ({"results": "nosuch(@)["}, "results is not a JMESPath", ""),
    ({"headers": {"X": 3}}, "headers.X must be a string", ""),
    ({"headers": {"X Y": "z"}}, "headers.X Y is not a header", ""),
    ({"headers": {"X": "a\r\nY: b"}}, "headers.X is not a header", ""),
    ({"timeout": 0}, "timeout must be more than 0", ""),
    ({"timeout": "fast"}, "timeout must be a number", ""),
    ({"timeout": 3000}, "timeout must be a number from 0 to 300", ""),
    ({"form": "questoin"}, "questoin", 'did you mean "question"'),
    ({"html": "yes"}, "html must be true or false", ""),
    ({"body": "x"}, "body must be a table", ""),
]


@pytest.mark.spec("ENC-JSON-1")
@pytest.mark.parametrize(("change", "message", "hint"), MISTAKES, ids=lambda value: str(value)[:40])
def test_every_mistake_names_its_field_and_the_remedy(change, message, hint):
    table = {name: value for name, value in (WHOLE | change).items() if value is not None}
    with pytest.raises(ConfigurationError) as caught:
        read_table("intranet", table)
    assert str(caught.value).startswith("[sources.intranet] ")
    assert message in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.code == 1

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.faces.http.fields import FLAG, NAMES, NUMBER, TABLE, TEXT, WHOLE, Field, read, take
from encyclopedia.model.errors import UsageError

FIELDS = (
    Field("query", TEXT, "the words", needed=True, longest=5000),
    Field("depth", TEXT, "how deep", choices=("shallow", "deep")),
    Field("limit", WHOLE, "how many", least=1, most=100),
    Field("timeout", NUMBER, "seconds", least=0.1, most=60),
    Field("expand", FLAG, "other words too"),
    Field("tags", NAMES, "with these tags"),
    Field("filters", TABLE, "columns"),
)
SCHEMA = {
    "type": "object",
    "properties": {field.name: field.schema() for field in FIELDS},
    "required": ["query"],
    "additionalProperties": False,
}


@pytest.mark.spec("ENC-SERVE-2")
def test_a_query_string_and_a_body_give_the_same_options() -> None:
    query = {
        "query": ["keys"], "depth": ["deep"], "limit": ["3"], "timeout": ["1.5"], "expand": ["false"], "tags": ["a,b", "c"],
        "filters": ['{"Severity": "High"}'],
    }  # fmt: skip
    body = {"query": "keys", "depth": "deep", "limit": 3, "timeout": 1.5, "expand": False, "tags": ["a", "b", "c"]}
    assert read(FIELDS, query) == take(FIELDS, body | {"filters": {"Severity": "High"}})
    assert read(FIELDS, {"query": ["keys"], "limit": [""]}) == take(FIELDS, {"query": "keys"}) == {"query": "keys"}


@pytest.mark.spec("ENC-SERVE-2")
@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        ({"query": ["x"], "limt": ["1"]}, "unknown parameter 'limt'", "limit"),
        ({}, "query is missing", "the words"),
        ({"query": ["x", "y"]}, "query was given 2 times", ""),
        ({"query": ["x"], "limit": ["many"]}, "limit takes a whole number, not 'many'", ""),
        ({"query": ["x"], "limit": ["0"]}, "limit takes a whole number from 1 to 100, not 0", ""),
        ({"query": ["x"], "timeout": ["nan"]}, "timeout takes a number from 0.1 to 60, not nan", ""),
        ({"query": ["x"], "expand": ["perhaps"]}, "expand takes true or false, not 'perhaps'", ""),
        ({"query": ["x"], "depth": ["depe"]}, "unknown depth 'depe'", "deep"),
        ({"query": ["x"], "filters": ["[1"]}, "filters takes an object, not '[1'", ""),
        ({"query": ["x" * 5001]}, "query is longer than 5000 characters", ""),
        (
            {"query": ["x"], "tags": [",".join(map(str, range(101)))]},
            "tags takes at most 100 names of at most 200 characters",
            "",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_a_remedy(given: dict[str, list[str]], said: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(FIELDS, given)
    assert raised.value.message == said
    assert hint in raised.value.hint


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 200)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["deep"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@pytest.mark.spec("ENC-SERVE-3")
@given(st.dictionaries(st.sampled_from([field.name for field in FIELDS] + ["other"]), VALUES, max_size=4))
def test_a_body_that_the_schema_allows_is_taken_and_any_other_refused_but_for_what_is_lenient(body: dict[str, object]) -> None:
    allowed = jsonschema.Draft202012Validator(SCHEMA).is_valid(body)
    try:
        take(FIELDS, body)
    except UsageError:
        assert not allowed
    else:
        assert allowed

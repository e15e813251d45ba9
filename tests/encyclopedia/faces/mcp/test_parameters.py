"""Schemas that every client takes, and arguments checked with a remedy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.faces.mcp import connector
from encyclopedia.faces.mcp.parameters import Parameter, checked, schema
from encyclopedia.faces.mcp.tools import TOOLS
from encyclopedia.model.errors import UsageError

PARAMETERS = (
    Parameter("query", "words", needed=True),
    Parameter("limit", "number", 5, low=1, high=9),
    Parameter("fast", "switch", False),
    Parameter("depth", "how deep", "flat", values=("flat", "deep")),
)


@pytest.mark.spec("ENC-AGENT-3")
@pytest.mark.parametrize("tool", [*TOOLS.values(), *connector.TOOLS.values()], ids=lambda tool: tool.title)
def test_every_schema_is_flat(tool: Any) -> None:
    found = schema(tool.all_parameters)
    assert set(found) <= {"type", "properties", "required", "additionalProperties"}
    for name, one in found["properties"].items():
        assert one["type"] in ("string", "integer", "boolean"), name
        assert set(one) <= {"type", "description", "default", "minimum", "maximum", "enum"}
        assert all(one.get("enum", ["x"]))  # some refuse a value that is empty
        assert one["description"]
        assert ("default" in one) is (name not in found.get("required", []))


@pytest.mark.spec("ENC-AGENT-4")
def test_arguments_get_defaults_and_may_come_as_text() -> None:
    assert checked(PARAMETERS, {"query": "a", "limit": "7", "fast": "True", "depth": None}) == {
        "query": "a",
        "limit": 7,
        "fast": True,
        "depth": "flat",
    }


@pytest.mark.spec("ENC-AGENT-4")
@pytest.mark.parametrize(
    ("arguments", "told", "hint"),
    [
        ({}, "query is missing", "words"),
        ({"query": 3}, "takes text", "words"),
        ({"query": "a", "limit": 10}, "takes 1 to 9, not 10", "number"),
        ({"query": "a", "limit": "x"}, "takes a whole number", "number"),
        ({"query": "a", "limit": True}, "takes a whole number", "number"),
        ({"query": "a", "fast": 1}, "takes true or false", "switch"),
        ({"query": "a", "limt": 1}, "no argument 'limt'", "did you mean limit?"),
        ({"query": "a" * 30_000}, "longer than", "fewer words"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_remedy(arguments: dict[str, Any], told: str, hint: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        checked(PARAMETERS, arguments)
    assert hint in caught.value.hint


VALUES = st.one_of(
    st.none(), st.text(max_size=5), st.integers(), st.booleans(), st.floats(), st.lists(st.integers(), max_size=2)
)


@pytest.mark.spec("ENC-AGENT-4")
@given(st.dictionaries(st.sampled_from([one.name for one in PARAMETERS]), VALUES))
def test_whatever_comes_is_a_value_of_its_kind_or_refused(arguments: dict[str, Any]) -> None:
    try:
        found = checked(PARAMETERS, arguments)
    except UsageError:
        return
    assert {name: type(value) for name, value in found.items()} == {"query": str, "limit": int, "fast": bool, "depth": str}

"""Inventories of Sphinx, real, old, odd and hostile."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import objects_inv
from encyclopedia_adapters.local.objects_inv import Name
from tests.adapters.local import manuals

HEAD = b"# Sphinx inventory version 2\n# Project: Orrery \xc3\xa9\n# Version: 2.4\n# The remainder of this file is compressed using zlib.\n"


def packed(*lines: str) -> bytes:
    return HEAD + zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"))


@pytest.mark.spec("ENC-REF-9")
def test_a_real_inventory_is_read():
    found = objects_inv.parse((manuals.built() / "objects.inv").read_bytes())
    assert (found.project, found.version) == ("Orrery", "2.4")
    names = {name.name: name for name in found.names}
    assert names["orrery.gears.Train.turn"] == Name(
        "orrery.gears.Train.turn", "py:method", "gears.html#orrery.gears.Train.turn", "orrery.gears.Train.turn"
    )
    assert names["ratio-tables"] == Name("ratio-tables", "std:label", "gears.html#ratio-tables", "Tables of ratios")
    assert names["orrery.gears"].uri == "gears.html#module-orrery.gears"
    assert "orrery.gears.Train.hidden" not in names


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.b py:function 1 x.html#$ -", Name("a.b", "py:function", "x.html#a.b", "a.b")),
        ("two words std:term 2 x.html#t Two  words", Name("two words", "std:term", "x.html#t", "Two  words")),
        ("a: b c:macro 1 x.html#- -", Name("a: b", "c:macro", "x.html#-", "a: b")),
        ("page std:doc -1 page.html The page", Name("page", "std:doc", "page.html", "The page")),
        ("gone py:function -1 x.html -", None),
        ("short py:function 1  ", Name("short", "py:function", "", "short")),
        ("no role here", None),
        ("x" * 5000 + " py:function 1 x.html -", None),
        ("", None),
    ],
)
def test_lines_of_version_2(line, expected):
    assert objects_inv.parse(packed(line)).names == ([expected] if expected else [])


def test_version_1_is_read():
    raw = b"# Sphinx inventory version 1\n# Project: Old\n# Version: 1\na.b function x.html\na mod x.html\nodd line\n"
    assert objects_inv.parse(raw) == (
        "Old",
        "1",
        [Name("a.b", "py:function", "x.html#a.b", "a.b"), Name("a", "py:module", "x.html#module-a", "a")],
    )


@pytest.mark.spec("ENC-REF-10")
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "no Sphinx inventory"),
        (b"<html>not found</html>", "no Sphinx inventory"),
        (b"# Sphinx inventory version 3\n", "no Sphinx inventory"),
        (HEAD + b"no zlib", "damaged"),
        (packed("a py:function 1 x.html -")[:-6], "ends too early"),
        (HEAD, "ends too early"),
        (HEAD + zlib.compress(b"\0" * (objects_inv.MOST_BYTES + 1)), "larger than 64 MB"),
        (packed(*["a b:c 1 x -"] * (objects_inv.MOST_NAMES + 1)), "more than 300000 names"),
    ],
    ids=["empty", "html", "version 3", "no zlib", "torn", "only head", "bomb", "flood"],
)
def test_what_is_no_inventory_says_why(raw, reason):
    with pytest.raises(ValueError, match=reason):
        objects_inv.parse(raw)


@given(st.lists(st.text(alphabet="ab :-1$.\r\t\u0080", max_size=30)))
def test_no_line_is_too_odd(lines):
    for name in objects_inv.parse(packed(*lines)).names:
        assert name.name
        assert ":" in name.role

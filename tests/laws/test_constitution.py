"""Each law names tests, and the tests that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAWS = [
    "Never fabricate results",
    "Never suppress contradicting evidence",
    "Never degrade silently",
    "Never cache across query types",
    "Always attribute sources",
    "Prefer graceful degradation to failure",
    "Never let vocabulary expansion alter meaning",
]


def sections() -> dict[str, str]:
    text = (ROOT / "constitution.md").read_text()
    parts = re.split(r"^## \d\. (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_seven_laws_stand_in_their_order() -> None:
    assert list(sections()) == LAWS


def test_each_law_names_a_test_that_exists() -> None:
    for law, text in sections().items():
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
        assert named, f"{law}: no test"
        for path, function in named:
            source = (ROOT / path).read_text()
            assert re.search(rf"^(async )?def {function}\(", source, re.MULTILINE), f"{law}: {path}::{function} is not there"

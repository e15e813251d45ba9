"""Each id of SPEC.md has a test, and each id that a test keeps stands in SPEC.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ID = r"ENC-[A-Z]+-\d+"


def specified() -> list[str]:
    return re.findall(rf"^- \*\*({ID})\*\*", (ROOT / "SPEC.md").read_text(), re.MULTILINE)


def kept() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for marker in re.findall(r"pytest\.mark\.spec\(([^)]*)\)", path.read_text()):
            found |= set(re.findall(ID, marker))
    return found


def test_no_id_is_given_twice() -> None:
    assert [name for name, times in Counter(specified()).items() if times > 1] == []


def test_every_behaviour_has_a_test() -> None:
    assert sorted(set(specified()) - kept()) == []


def test_every_tested_id_is_specified() -> None:
    assert sorted(kept() - set(specified())) == []

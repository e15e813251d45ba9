"""The rules of the house: formatter, linter, types, import contracts, and what may stand where."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [path for folder in ("encyclopedia", "adapters") for path in sorted((ROOT / folder).rglob("*.py"))]
BIN = Path(sys.executable).parent


@pytest.mark.spec("ENC-HOUSE-1")
@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "format", "--check", "."],
        ["ruff", "check", "."],
        ["mypy"],
        ["lint-imports"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_gate(command: list[str]) -> None:
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.spec("ENC-HOUSE-2")
def test_a_missing_library_is_caught_in_one_place() -> None:
    guards = [
        str(p.relative_to(ROOT)) for p in CODE if re.search(r"except \(?[^\n]*(ImportError|ModuleNotFoundError)", p.read_text())
    ]
    assert guards == ["encyclopedia/wiring/requirements.py"]


@pytest.mark.spec("ENC-HOUSE-3")
def test_the_folder_adapters_is_no_package() -> None:
    assert not (ROOT / "adapters" / "__init__.py").exists()


@pytest.mark.spec("ENC-HOUSE-4")
def test_nothing_unfinished_and_nothing_dangerous() -> None:
    forbidden = r"\bTODO\b|\bFIXME\b|\bXXX\b|NotImplementedError|\bimport pickle\b|\beval\(|\bexec\(|shell=True|os\.system\("
    found = [f"{p.relative_to(ROOT)}: {m.group()}" for p in CODE for m in re.finditer(forbidden, p.read_text())]
    assert found == []


@pytest.mark.spec("ENC-HOUSE-5")
def test_modules_are_short_and_say_what_they_are_for() -> None:
    for path in CODE:
        text = path.read_text()
        assert len(text.splitlines()) <= 250, f"{path} has {len(text.splitlines())} lines"
        assert text.startswith('"""'), f"{path} has no docstring"


@pytest.mark.spec("ENC-HOUSE-6")
def test_every_exception_to_a_rule_has_its_reason() -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in CODE
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"# noqa(: [A-Z0-9, ]+)?\s*$|type: ignore(\[[\w-]+\])?\s*$", line)
    ]
    assert bare == []


@pytest.mark.spec("ENC-HOUSE-7")
def test_every_entry_point_names_something_that_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    from encyclopedia.wiring.requirements import Absent, load

    for group, entries in project["entry-points"].items():
        for name, target in entries.items():
            found = load(target)
            assert not isinstance(found, Absent), f"{group}: {name}: {found}"
            if group == "encyclopedia.sources":
                assert found.name == name


@pytest.mark.spec("ENC-HOUSE-8")
def test_no_card_is_forgotten() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    registered = {t.split(":")[0] for entries in project["entry-points"].values() for t in entries.values()}
    for path in (ROOT / "adapters").rglob("*.py"):
        if re.search(r"^(CARD|KIND) = ", path.read_text(), re.MULTILINE):
            module = ".".join(path.relative_to(ROOT / "adapters").with_suffix("").parts).removesuffix(".__init__")
            assert module in registered, f"{module} has a card and no entry point"

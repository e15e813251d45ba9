from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia.ports import Card, Contact, Key, Option, Package, Program
from encyclopedia.wiring.requirements import Absent, installed, load, on_path, unmet


def card(*requires: object) -> Card:
    return Card("x", {}, requires=requires)  # a tuple of any requirement


def test_load_gives_the_object_or_says_what_is_missing() -> None:
    assert load("json:dumps")([1]) == "[1]"
    assert load("not_there_at_all:x") == Absent("not_there_at_all is not installed", "pip install not_there_at_all")
    assert load("json:not_there") == Absent("json has no not_there")


def test_load_names_the_library_that_a_module_of_ours_misses(tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text("import a_library_that_is_missing\n")
    code = "from encyclopedia.wiring.requirements import load; print(load('ours:x').reason)"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stdout.strip() == "a_library_that_is_missing is not installed"


def test_an_error_that_is_no_missing_library_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "broken_plugin.py").write_text("raise ValueError('mine')\n")
    code = "from encyclopedia.wiring.requirements import load; load('broken_plugin:x')"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert "ValueError: mine" in done.stderr


def test_installed_looks_without_importing() -> None:
    assert installed("antigravity")
    assert "antigravity" not in sys.modules
    assert not installed("not_there_at_all")


@pytest.mark.spec("ENC-PLUGIN-2")
def test_the_first_unmet_requirement_is_told_with_its_remedy() -> None:
    secrets = {"A_KEY": "x"}
    look = lambda name: secrets.get(name, "")  # noqa: E731 - a value of the test, as short as what it stands for
    assert unmet(card(), {}, look) is None
    assert unmet(card(Package("json"), Key("A_KEY"), Program("sh")), {}, look) is None
    library = unmet(card(Package("not_there_at_all")), {}, look)
    assert library is not None
    assert (library.reason, library.expected) == ("not_there_at_all is not installed", False)
    extra = unmet(card(Package("not_there_at_all", "web")), {}, look)
    assert extra is not None
    assert (extra.hint, extra.expected) == ("pip install 'encyclopedia-search[web]'", True)
    key = unmet(card(Key("B_KEY")), {}, look)
    assert key is not None
    assert key.reason == "B_KEY not found"
    option = unmet(card(Option("base_url", "B_URL")), {}, look)
    assert option is not None
    assert option.reason == "B_URL is not set"
    assert unmet(card(Option("base_url", "B_URL")), {"base_url": "http://x"}, look) is None
    program = unmet(card(Program("not-there-at-all")), {}, look)
    assert program is not None
    assert program.reason == "not-there-at-all is not installed"


def test_on_path_sees_programs_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").write_text("x")
    (tmp_path / "program").write_text("x")
    (tmp_path / "program").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert on_path("program")
    assert not on_path("plain")


@pytest.mark.spec("ENC-PLUGIN-2")
def test_a_contact_is_a_requirement_too() -> None:
    missing = unmet(card(Contact()), {}, str)
    assert missing is not None
    assert (missing.reason, missing.expected) == ("contact is not set", True)
    assert "ENCYCLOPEDIA_CONTACT" in missing.hint
    assert unmet(card(Contact()), {}, str, contact="mail@example.org") is None

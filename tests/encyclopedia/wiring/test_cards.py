"""Strangers' plugins: a bad one is named and costs nobody else anything."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from encyclopedia.wiring.cards import built_in
from encyclopedia.wiring.requirements import Absent, plugin

HEAD = "from encyclopedia.ports import Card\nfrom encyclopedia.model.query import QueryType as Q\n"
GOOD = HEAD + "CARD = Card('good', {Q.LIBRARY_DOCS: 0.1})"
Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """``write(name, text)`` makes a module that can be imported; the target of its ``CARD``."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return f"{name}:CARD"

    return made


@pytest.mark.spec("ENC-PLUGIN-3")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('boom')", "a_stranger cannot be imported (RuntimeError)"),
        ("def (", "a_stranger cannot be imported (SyntaxError)"),
        ("import sys; sys.exit(3)", "a_stranger cannot be imported (SystemExit)"),
        ("import not_there_at_all", "not_there_at_all is not installed"),
        ("x = 1", "a_stranger has no CARD"),
        ("CARD = 5", "its card is not sound: int is not a source"),
        ("CARD = None", "its card is not sound: NoneType is not a source"),
        (HEAD + "CARD = Card(None, {})", "its card is not sound: its name is not text"),
        (HEAD + "CARD = Card('../x', {})", "its card is not sound: '../x' cannot be a name"),
        (HEAD + "CARD = Card('x', 5)", "its card is not sound: serves is no table of query types"),
        (HEAD + "CARD = Card('x', {'docs': 0.1})", "its card is not sound: serves is no table of query types"),
        (HEAD + "CARD = Card('x', {Q.LIBRARY_DOCS: float('nan')})", "its card is not sound: serves.library_docs cannot be nan"),
        (HEAD + "CARD = Card('x', {}, timeout='x')", "its card is not sound: timeout is no number of seconds"),
        (HEAD + "CARD = Card('x', {}, form='zz')", "its card is not sound: form is none"),
        (HEAD + "CARD = Card('x', {}, requires=5)", "its card is not sound: requires is no tuple"),
        (HEAD + "CARD = Card('x', {}, knows=5)", "its card is not sound: knows cannot be called"),
        (HEAD + "CARD = Card('good', {})", "its card has the name of another source, good"),
        (
            "class Odd(type):\n def __getattr__(cls, name): raise OSError(name)\nclass CARD(metaclass=Odd): pass",
            "its card is not sound: looking at it raises OSError",
        ),
    ],
)
def test_a_bad_plugin_is_named_and_the_others_stay(write: Write, text: str, reason: str) -> None:
    group = {"good": write("a_good_one", GOOD), "strange": write("a_stranger", text)}
    cards, broken = built_in(group)
    assert list(cards) == ["good"]
    assert {name: absent.reason for name, absent in broken.items()} == {"strange": reason}
    assert broken["strange"].hint


@pytest.mark.spec("ENC-PLUGIN-3")
@pytest.mark.parametrize("target", ["", ":", "..a:b", "a b:c", "nul\0l:x"])
def test_a_target_that_names_nothing_is_absent(target: str) -> None:
    assert isinstance(plugin(target), Absent)


@pytest.mark.spec("ENC-PLUGIN-3")
def test_what_a_plugin_prints_at_its_import_is_no_result(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert not isinstance(plugin(write("a_talker", f"print('noise')\n{GOOD}")), Absent)
    assert capsys.readouterr() == ("", "noise\n")


def test_a_module_is_loaded_whole() -> None:
    assert isinstance(plugin("json"), ModuleType)

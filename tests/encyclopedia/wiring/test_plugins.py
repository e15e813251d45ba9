from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from encyclopedia.wiring.plugins import entry_points


@pytest.mark.spec("ENC-PLUGIN-1")
def test_the_same_as_the_standard_library_finds() -> None:
    ours = {(g, n, t) for g, found in entry_points().items() for n, t in found.items()}
    theirs = {
        (e.group, e.name, e.value) for d in distributions() for e in d.entry_points if e.group.startswith("encyclopedia.")
    }
    assert ours == theirs


@pytest.mark.spec("ENC-PLUGIN-1")
def test_a_strangers_registration_is_found_and_the_first_on_the_path_wins(tmp_path: Path) -> None:
    for folder, target in (("a", "first:CARD"), ("b", "second:CARD")):
        info = tmp_path / folder / "thing-1.0.dist-info"
        info.mkdir(parents=True)
        text = f"[console_scripts]\nx = y:z\n\n[encyclopedia.sources]\n# a remark\nthing = {target} [extra]\n"
        (info / "entry_points.txt").write_text(text)
    path = [str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "none")]
    assert entry_points(path) == {"encyclopedia.sources": {"thing": "first:CARD"}}


def test_a_damaged_file_harms_nobody(tmp_path: Path) -> None:
    info = tmp_path / "thing-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(b"[encyclopedia.sources]\n\xff\xfe\nno sign\n[broken\nx = y\n")
    assert entry_points([str(tmp_path)]) == {"encyclopedia.sources": {"x": "y"}}


def test_the_empty_path_is_the_working_folder() -> None:
    assert isinstance(entry_points(["", *sys.path]), dict)

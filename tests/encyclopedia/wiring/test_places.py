from __future__ import annotations

import os
from pathlib import Path

from encyclopedia.wiring import places

ROOT = Path(__file__).parents[3]


def test_the_data_folder_is_the_chosen_one_or_in_the_home() -> None:
    assert places.home({"ENCYCLOPEDIA_HOME": "/somewhere"}) == "/somewhere"
    assert places.home({"ENCYCLOPEDIA_HOME": "here"}) == os.path.abspath("here")
    assert places.home({"ENCYCLOPEDIA_HOME": ""}) == os.path.expanduser("~/.encyclopedia")


def test_in_a_checkout_the_data_is_the_checkouts() -> None:
    assert Path(places.data()) == ROOT / "config"
    assert {path.name for path in Path(places.data()).iterdir()} >= {
        "defaults.toml",
        "vocabulary.toml",
        "synonyms.toml",
        "english.txt",
    }

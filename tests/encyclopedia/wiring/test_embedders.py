from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.settings import EmbedderSettings
from encyclopedia.ports import Package
from encyclopedia.wiring.embedders import ANY, GROUP, OFF, OWN, Embedders, embedder_of
from encyclopedia.wiring.environment import Environment
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.requirements import Absent, plugin
from encyclopedia.wiring.settings import load

ROOT = Path(__file__).parents[3]
OPENED: list[bool] = []
"""One entry for each time that a kind below was opened: whether for many texts."""


class Kind:
    """A way to run a model that is nothing but its answer."""

    def __init__(self, answer: object, fingerprint: str = "same", requires: tuple[Package, ...] = ()) -> None:
        self.answer, self.fingerprint, self.requires = answer, fingerprint, requires

    def open(self, settings: object, home: str, *, bulk: bool = False) -> object:
        OPENED.append(bulk)
        if isinstance(self.answer, Exception):
            raise self.answer
        return SimpleNamespace(fingerprint=self.fingerprint, name=self.answer)

    def about(self, settings: object, home: str) -> object:
        return self.open(settings, home)


GOOD = Kind("good")
OTHER = Kind("other")
STRANGE = Kind("strange", "different")
REFUSED = Kind(ConfigurationError("the file is another", "fetch it"))
BROKEN = Kind(RuntimeError("no such instruction\nand more"))
LACKING = Kind("lacking", requires=(Package("no_such_library", "semantic"),))


def embedders(tmp_path: Path, own: str = "GOOD", any: str = "OTHER", **settings: str) -> Embedders:
    OPENED.clear()
    values = {f"embedder.{name}": value for name, value in settings.items()}
    found = {OWN: f"{__name__}:{own}", ANY: f"{__name__}:{any}"}
    return embedder_of(load(str(tmp_path), Environment({}, {}), values), {GROUP: found})


@pytest.mark.spec("ENC-EMBED-11")
def test_it_is_opened_once_whoever_asks(tmp_path: Path) -> None:
    embedder, meet = embedders(tmp_path), threading.Barrier(4)
    assert OPENED == []

    def ask(_: int) -> object:
        meet.wait(10)
        return embedder()

    with ThreadPoolExecutor(4) as pool:
        assert len({id(found) for found in pool.map(ask, range(4))}) == 1
    assert OPENED == [False]
    assert embedder.absent is None


@pytest.mark.spec("ENC-EMBED-11")
@pytest.mark.parametrize(
    ("own", "settings", "reason", "hint"),
    [
        ("REFUSED", {}, "the file is another", "fetch it"),
        ("BROKEN", {}, "the embedder cannot be opened (RuntimeError: no such instruction)", "encyclopedia model show"),
        ("LACKING", {}, "no_such_library is not installed", "pip install 'encyclopedia-search[semantic]'"),
        ("ABSENT", {}, "has no ABSENT", ""),
        ("GOOD", {"use": "off"}, "embedder.use is off", "ENCYCLOPEDIA_EMBEDDER_USE=auto"),
    ],
)
def test_what_cannot_be_opened_is_none_with_the_reason(
    tmp_path: Path, own: str, settings: dict[str, str], reason: str, hint: str
) -> None:
    embedder = embedders(tmp_path, own, **settings)
    assert (embedder(), embedder(), embedder.bulk()) == (None, None, None)
    assert len(OPENED) <= 1
    assert embedder.absent is not None
    assert reason in embedder.absent.reason
    assert hint in embedder.absent.hint
    about = embedder.about()
    assert isinstance(about, Absent)
    assert reason in about.reason


@pytest.mark.spec("ENC-EMBED-11")
async def test_what_is_not_there_cannot_be_fetched_either(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no_such_library"):
        await embedders(tmp_path, "LACKING").fetch("agent", lambda *_: None)


@pytest.mark.spec("ENC-EMBED-11")
def test_a_distribution_that_registers_none_has_none(tmp_path: Path) -> None:
    embedder = embedder_of(load(str(tmp_path), Environment({}, {})), {})
    assert embedder() is None
    assert embedder.absent is not None


@pytest.mark.spec("ENC-EMBED-12")
@pytest.mark.parametrize(
    ("settings", "asks", "fills"),
    [
        ({}, OWN, None),
        ({"model": "a/b"}, ANY, None),
        ({"use": "minilm", "bulk": "minilm"}, OWN, OWN),
        ({"use": "minilm", "bulk": "sentence_transformers"}, OWN, ANY),
        ({"use": "sentence_transformers", "bulk": "minilm"}, ANY, OWN),
        ({"use": "off", "bulk": "minilm"}, OFF, OFF),
    ],
)
def test_settings_choose_what_runs_the_model(tmp_path: Path, settings: dict[str, str], asks: str, fills: str | None) -> None:
    embedder = embedders(tmp_path, **settings)
    assert embedder.use == asks
    assert embedder.bulk_use == fills or fills is None
    if fills not in (None, OFF):
        names = {OWN: "good", ANY: "other"}
        assert vars(embedder())["name"] == names[asks]
        assert vars(embedder.bulk())["name"] == names[fills]


@pytest.mark.spec("ENC-EMBED-12")
@pytest.mark.parametrize("any", ["STRANGE", "REFUSED", "LACKING"])
def test_an_index_is_not_filled_with_vectors_that_mean_something_else(tmp_path: Path, any: str) -> None:
    embedder = embedders(tmp_path, "GOOD", any, bulk=ANY)
    assert embedder.bulk() is embedder()


@pytest.mark.spec("ENC-EMBED-12")
def test_both_ways_to_run_the_model_are_registered_and_take_the_same_weights(tmp_path: Path) -> None:
    found = entry_points()[GROUP]
    own, any = (plugin(found[use]).about(EmbedderSettings(), str(tmp_path)) for use in (OWN, ANY))
    assert own["model"] == any["model"] == "all-MiniLM-L6-v2"
    assert own["weights"] == f"{any['weights']}/model.safetensors"


@pytest.mark.spec("ENC-EMBED-13")
def test_an_engine_loads_nothing_before_the_embedder_is_asked_for(tmp_path: Path) -> None:
    code = """
import sys
from encyclopedia import Encyclopedia
engine = Encyclopedia(home=sys.argv[1], environ={}).engine
heavy = {"numpy", "tokenizers", "threadpoolctl", "torch", "encyclopedia_adapters.embedding"}
before = heavy & set(sys.modules)
about = engine.embedder.about()
looked = heavy & set(sys.modules)
found = engine.embedder()
print(sorted(before), sorted(looked), sorted(heavy & set(sys.modules)), found.dimension)
"""
    path = f"{ROOT}:{ROOT / 'adapters'}"
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "[] ['encyclopedia_adapters.embedding'] ['encyclopedia_adapters.embedding', 'numpy', 'tokenizers'] 384\n"
    )

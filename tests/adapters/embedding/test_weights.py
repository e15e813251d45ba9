from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.embedding import weights
from encyclopedia_adapters.embedding.transformers import DESCRIPTION

ROOT = Path(__file__).parents[3]


def laid_out(folder: Path, target: Path) -> Path:
    """The right files at ``target``, as links: they are large."""
    target.mkdir(parents=True)
    for name in weights.FILES:
        (target / name).symlink_to(folder / name)
    return target


def altered(folder: Path, target: Path) -> Path:
    """As ``laid_out``, with one byte of the words changed."""
    laid_out(folder, target)
    raw = bytearray((folder / weights.WORDS).read_bytes())
    raw[1000] ^= 1
    (target / weights.WORDS).unlink()
    (target / weights.WORDS).write_bytes(raw)
    return target


@pytest.mark.spec("ENC-EMBED-5")
def test_the_path_goes_first_then_what_was_fetched_then_a_package(folder: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert weights.folder("", home) == str(folder)
    mine = laid_out(folder, Path(weights.fetched(home)))
    assert weights.folder("", home) == str(mine)
    given = laid_out(folder, tmp_path / "given")
    assert weights.folder(str(given), home) == str(given)
    assert weights.folder(str(given / weights.WEIGHTS), home) == str(given)


@pytest.mark.spec("ENC-EMBED-5")
def test_a_fetched_file_that_is_another_leaves_the_package(folder: Path, tmp_path: Path) -> None:
    altered(folder, Path(weights.fetched(str(tmp_path))))
    assert weights.folder("", str(tmp_path)) == str(folder)


@pytest.mark.spec("ENC-EMBED-5")
@pytest.mark.parametrize("fault", ["absent", "short", "other", "pipe", "folder"])
def test_a_path_to_anything_else_is_refused_with_the_reason(folder: Path, tmp_path: Path, fault: str) -> None:
    place = altered(folder, tmp_path / "given")
    words = place / weights.WORDS
    if fault != "other":
        words.unlink()
    if fault == "short":
        words.write_bytes(b"[PAD]")
    if fault == "pipe":
        os.mkfifo(words)
    if fault == "folder":
        words.mkdir()
    with pytest.raises(ConfigurationError) as caught:
        weights.folder(str(place), str(tmp_path / "home"))
    told = {"short": "has 5 bytes instead of 231508", "other": "is another file: its SHA-256"}.get(fault, "cannot be read")
    assert caught.value.message.startswith(f"embedder.path: {words} {told}")
    assert "embedder.path" in caught.value.hint


@pytest.mark.spec("ENC-EMBED-5")
def test_a_folder_without_what_must_lie_beside_is_passed_over(folder: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    laid_out(folder, Path(weights.fetched(home)))
    assert weights.folder("", home, beside=DESCRIPTION) == str(folder)
    given = laid_out(folder, tmp_path / "given")
    with pytest.raises(ConfigurationError, match=r"given has no config\.json"):
        weights.folder(str(given), home, beside=DESCRIPTION)


@pytest.mark.spec("ENC-EMBED-5")
def test_without_any_the_remedies_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ConfigurationError) as caught:
        weights.folder("", str(tmp_path))
    assert caught.value.message == "the weights of all-MiniLM-L6-v2 are not installed"
    assert "encyclopedia-search[semantic]" in caught.value.hint
    assert "model fetch" in caught.value.hint


@pytest.mark.spec("ENC-EMBED-5")
@pytest.mark.parametrize("package", weights.PACKAGES, ids=lambda package: package[0])
def test_the_code_of_a_package_with_the_files_is_not_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: tuple[str, str]
) -> None:
    name, inner = package
    mine = laid_out(folder, tmp_path / "site" / name / inner)
    (tmp_path / "site" / name / "__init__.py").write_text("raise SystemExit('was run')")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    assert weights.folder("", str(tmp_path)) == str(mine)
    assert name not in sys.modules


@pytest.mark.spec("ENC-EMBED-6")
def test_a_file_that_was_right_is_not_read_again_until_it_changes(folder: Path, tmp_path: Path) -> None:
    place = altered(folder, tmp_path / "given")
    words = place / weights.WORDS
    wrong = words.read_bytes()
    words.write_bytes((folder / weights.WORDS).read_bytes())
    home = str(tmp_path / "home")
    assert weights.folder(str(place), home) == str(place)
    memory = tmp_path / "home" / "state" / "weights.json"
    assert memory.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(memory.read_text())) == {str(place / name) for name in weights.FILES}
    kept = words.stat()
    words.write_bytes(wrong)  # the same size, and then the same time
    os.utime(words, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    with pytest.raises(ConfigurationError, match="is another file"):
        weights.folder(str(place), home)


@pytest.mark.spec("ENC-EMBED-6")
def test_what_is_remembered_is_taken_without_reading(folder: Path, tmp_path: Path) -> None:
    place = altered(folder, tmp_path / "given")
    words = place / weights.WORDS
    found = words.stat()
    expected = weights.FILES[weights.WORDS].sha256
    mark = [expected, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev]
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "weights.json").write_text(json.dumps({str(words): mark}))
    assert weights.folder(str(place), str(tmp_path)) == str(place)


@pytest.mark.spec("ENC-EMBED-6")
@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}', "[" * 100_000])
def test_a_damaged_memory_costs_only_time(folder: Path, tmp_path: Path, damage: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "weights.json").write_text(damage)
    assert weights.folder("", str(tmp_path)) == str(folder)


@pytest.mark.spec("ENC-EMBED-6")
def test_a_home_that_cannot_be_written_to_costs_only_time(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the place of the folder")
    assert weights.folder("", str(tmp_path)) == str(folder)


@pytest.mark.spec("ENC-EMBED-6")
def test_a_look_leaves_no_mark(folder: Path, tmp_path: Path) -> None:
    assert weights.folder("", str(tmp_path / "home"), remember=False) == str(folder)
    assert not (tmp_path / "home").exists()


@pytest.mark.spec("ENC-EMBED-7")
def test_opening_the_room_imports_no_heavy_library() -> None:
    code = """
import sys
sys.path[:0] = [".", "adapters"]
from encyclopedia_adapters.embedding import fetch, minilm, transformers
print(sorted({"numpy", "tokenizers", "threadpoolctl", "torch", "sentence_transformers", "aiohttp"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

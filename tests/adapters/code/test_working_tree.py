from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.code.git_program import Limits, Stopped
from encyclopedia_adapters.code.working_tree import WorkingTree
from encyclopedia_adapters.shared.ignored import ignored, rules
from tests.adapters.code.forge import WEBKIT, git, repository, request, source

PATTERNS = """\
# a comment
*.log
/build
cache/
docs/*.txt
**/made/**
a/**/z
!keep.log
\\!odd
[ab].tmp
x?z
 spaced
"""
PATHS = [
    "run.log", "deep/down/run.log", "keep.log", "build", "src/build", "cache", "src/cache/x", "docs/a.txt", "docs/deep/a.txt",
    "made/x", "src/made/deep/x", "a/z", "a/b/c/z", "!odd", "a.tmp", "c.tmp", "xyz", "xyyz", "spaced", "src/a.py", "README",
]  # fmt: skip


def limits() -> Limits:
    return Limits(time.monotonic() + 30, threading.Event())


def listed(folder: Path) -> set[str]:
    return set(WorkingTree(str(folder)).tree(limits()).paths)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in WEBKIT.items():
        (tmp_path / "webkit" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "webkit" / name).write_text(text)
    return tmp_path / "webkit"


@pytest.mark.spec("ENC-CODE-9")
def test_patterns_mean_what_git_says(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / ".gitignore").write_text(PATTERNS)
    (root / "sub").mkdir()
    (root / "sub" / ".gitignore").write_text("/only\n*.py\n!kept.py\n")
    for path in [*PATHS, "sub/only", "sub/deep/only", "sub/x.py", "sub/kept.py", "sub/deep/y.py"]:
        file = root / path / "leaf" if path in ("build", "cache") else root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")
    told = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root).split("\0")
    assert listed(root) == {path for path in told if path and not path.endswith(".gitignore")}


@pytest.mark.spec("ENC-CODE-9")
def test_patterns_of_bad_faith_take_no_time() -> None:
    known = rules("", "/".join(["**"] * 90) + "/b\n" + "*a" * 120 + "b\n")
    path = "/".join(["a" * 80] * 60)
    start = time.perf_counter()
    assert not ignored(path, known, folder=False)
    plain = rules("", "**/b\n*a*b\n")
    between = time.perf_counter()
    assert not ignored(path, plain, folder=False)
    assert between - start < 1000 * max(time.perf_counter() - between, 1e-4)


@pytest.mark.spec("ENC-CODE-9")
def test_what_nobody_wrote_is_left_out(folder: Path) -> None:
    for name in (
        ".git/config",
        ".env",
        ".venv/x.py",
        "env/pyvenv.cfg",
        "env/lib/y.py",
        "node_modules/z.js",
        "pkg/__pycache__/a.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("secret = 1\n")
    (folder / ".github").mkdir()
    (folder / ".github" / "ci.yml").write_text("on: push\n")
    assert listed(folder) == {*WEBKIT, ".github/ci.yml"}


@pytest.mark.spec("ENC-CODE-10")
def test_links_and_odd_files_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret = 1\n")
    (folder / "link.py").symlink_to(outside / "secret.py")
    (folder / "linked").symlink_to(outside)
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.py")
    assert listed(folder) == set(WEBKIT)
    tree = WorkingTree(str(folder))
    (file,) = (file for file in tree.tree(limits()).files if file.path == "docs/guide.rst")
    shutil.rmtree(folder / "docs")
    (folder / "docs").symlink_to(outside)
    (outside / "guide.rst").write_text("secret\n")
    assert list(tree.texts([file], limits())) == [(file, None)]
    assert tree.read("../outside/secret.py") is None


@pytest.mark.spec("ENC-CODE-10")
def test_sizes_numbers_and_time_are_limited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "big.py").write_text("x = 1\n" * 100_000)
    (folder / "x.bin").write_bytes(b"\0\1\2")
    (folder / "poetry.lock").write_text("x\n")
    tree = WorkingTree(str(folder)).tree(limits())
    assert {"big.py", "poetry.lock"} <= set(tree.paths)
    assert {file.path for file in tree.files} == {*WEBKIT, "x.bin"}
    texts = {file.path: text for file, text in WorkingTree(str(folder)).texts(tree.files, limits())}
    assert texts["x.bin"] is None
    assert texts["README.md"] == WEBKIT["README.md"]
    over = threading.Event()
    over.set()
    with pytest.raises(Stopped):
        WorkingTree(str(folder)).tree(Limits(time.monotonic() + 30, over))


@pytest.mark.spec("ENC-CODE-10")
def test_names_that_are_no_text_are_shown_and_read(folder: Path) -> None:
    raw = os.fsencode(folder) + b"/b\xff\x1b.py"
    with open(raw, "w") as file:
        file.write("def odd():\n    return 'strange'\n")
    tree = WorkingTree(str(folder))
    (odd,) = (file for file in tree.tree(limits()).files if file.path.startswith("b"))
    assert (odd.path, odd.quoted) == ("b\\xff\\x1b.py", "b%FF%1B.py")
    assert next(tree.texts([odd], limits()))[1] == "def odd():\n    return 'strange'\n"


@pytest.mark.spec("ENC-CODE-3")
async def test_only_what_changed_is_read_again(folder: Path, tmp_path: Path) -> None:
    asked = source(tmp_path / "home")
    first = await asked.search(request("middleware", "", folder=str(folder)))
    assert (first.hits[0].locator.path, first.hits[0].url, first.hits[0].version) == ("docs/guide.rst", "", "")
    kept = next((tmp_path / "home" / "cache" / "git").glob("webkit-*"))
    written = sorted(path.stat().st_mtime_ns for path in (kept / "index").rglob("*"))
    assert (await asked.search(request("router", "", folder=str(folder)))).hits
    assert sorted(path.stat().st_mtime_ns for path in (kept / "index").rglob("*")) == written
    (folder / "docs" / "guide.rst").write_text("Guide\n=====\n\nNothing any more.\n")
    assert not (await asked.search(request("middleware", "", folder=str(folder)))).hits


@pytest.mark.spec("ENC-CODE-3")
async def test_a_folder_needs_no_git_and_none_is_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / ".git" / "config").write_text("[core]\n\tfsmonitor = touch ../ran\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    asked = source(tmp_path / "home")
    assert (await asked.search(request("compile_pattern", "", folder=str(folder)))).hits
    assert not (folder / "ran").exists()
    with pytest.raises(Refused, match="no such folder"):
        await asked.search(request("router", "", folder=str(folder / "nowhere")))


@pytest.mark.spec("ENC-CODE-7")
async def test_several_places_of_a_file_where_they_are_wanted(folder: Path, tmp_path: Path) -> None:
    text = "\n\n\n".join(f"def part{at}(widget):\n    first = widget\n    second = first\n    return second" for at in range(9))
    (folder / "parts.py").write_text(text)
    asked = source(tmp_path / "home")
    for passages in (1, 3):
        hits = (await asked.search(request("widget", "", folder=str(folder), passages=passages))).hits
        assert len(hits) == len({hit.locator.lines for hit in hits}) == passages
        assert {hit.locator.path for hit in hits} == {"parts.py"}

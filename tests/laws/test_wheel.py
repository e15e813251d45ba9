"""The wheel holds what the checkout holds, and runs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUFFIXES = (".py", ".typed", ".css", ".js", ".svg")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target], cwd=ROOT, check=True, capture_output=True
    )
    (built,) = target.glob("*.whl")
    return built


def checkout() -> set[str]:
    files = {p.relative_to(ROOT).as_posix() for p in (ROOT / "encyclopedia").rglob("*") if p.suffix in SUFFIXES}
    files |= {p.relative_to(ROOT / "adapters").as_posix() for p in (ROOT / "adapters").rglob("*") if p.suffix in SUFFIXES}
    return files | {f"encyclopedia/_config/{p.name}" for p in (ROOT / "config").iterdir()}


@pytest.mark.spec("ENC-WHEEL-1")
def test_the_wheel_holds_what_the_checkout_holds(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == checkout()


@pytest.mark.spec("ENC-WHEEL-2")
def test_the_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    unpacked = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(unpacked)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("encyclopedia", "_encyclopedia", "__pycache__")) and entry.suffix != ".pth":
            (unpacked / entry.name).symlink_to(entry)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-S", "-m", "encyclopedia", "search", "kuberntes pod", "--dry-run", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "kuberntes → kubernetes" in done.stdout
    assert not (tmp_path / ".encyclopedia").exists()

"""Made-up things that the local sources are tried on."""

from __future__ import annotations

from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"


def unpack(listing: str, folder: Path) -> None:
    """Write the files of a listing, each after a line `>>> its/path`."""
    for part in listing.split("\n>>> ")[1:]:
        name, _, text = part.partition("\n")
        path = folder / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


@pytest.fixture
def site(tmp_path):
    """A folder of made-up installed packages, fresh for each test."""
    folder = tmp_path / "lib" / "site-packages"
    unpack((FIXTURES / "packages" / "site.txt").read_text(), folder)
    return folder

from __future__ import annotations

import os
from pathlib import Path

import pytest

from encyclopedia_adapters.local.dist_units import revision


def install(site: Path, name: str, version: str) -> Path:
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    return info


@pytest.mark.spec("ENC-PKG-14")
def test_the_revision_changes_with_what_is_installed(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    first = install(site, "acme", "1.0")
    one = revision([str(site)])
    assert revision([str(site)]) == one
    install(site, "other", "2.0")
    two = revision([str(site)])
    assert two != one
    (first / "METADATA").unlink()
    first.rmdir()
    install(site, "acme", "1.1")
    assert revision([str(site)]) not in (one, two)


@pytest.mark.spec("ENC-PKG-14")
def test_the_revision_changes_with_an_edit_of_an_editable_package(tmp_path: Path) -> None:
    site, checkout = tmp_path / "site-packages", tmp_path / "checkout"
    info = install(site, "acme_widgets", "1.0")
    (info / "direct_url.json").write_text('{"dir_info": {"editable": true}, "url": "file:///x"}')
    (site / "__editable__.acme_widgets-1.0.pth").write_text(f"{checkout}\n")
    module = checkout / "acme_widgets" / "__init__.py"
    module.parent.mkdir(parents=True)
    module.write_text('"""One."""')
    before = revision([str(site)])
    module.write_text('"""Two."""')
    os.utime(module, ns=(1, module.stat().st_mtime_ns + 10))
    assert revision([str(site)]) != before


def test_a_folder_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert revision([str(tmp_path / "none")]) == [[], []]

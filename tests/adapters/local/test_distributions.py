"""Which distributions are there, under which names, and which files they brought."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import dist_metadata as metadata
from encyclopedia_adapters.local import dist_sources, distributions

ADAPTERS = Path(__file__).parents[3] / "adapters"
FOLDED = [
    ("Acme.Widgets", "acme-widgets"),
    ("acme__widgets", "acme-widgets"),
    ("ACME-_.widgets", "acme-widgets"),
    ("aiohttp", "aiohttp"),
    ("ruamel.yaml", "ruamel-yaml"),
    ("", ""),
    ("_", ""),
]


@pytest.mark.spec("ENC-PKG-1")
@pytest.mark.parametrize(("name", "folded"), FOLDED)
def test_names_are_folded_as_the_packaging_rules_say(name, folded):
    assert distributions.fold(name) == folded


@given(st.text(alphabet="aB9._-", max_size=12))
def test_folding_twice_is_folding_once(name):
    once = distributions.fold(name)
    assert distributions.fold(once) == once
    assert once == once.lower()


@pytest.mark.spec("ENC-PKG-1")
def test_every_kind_of_metadata_folder_is_listed(site):
    found = distributions.installed([str(site)])
    assert {name: item.version for name, item in found.items()} == {"acme-widgets": "2.1.0", "corp-tools": "0.3", "oldegg": ""}
    assert found["acme-widgets"].metadata == str(site / "acme_widgets-2.1.0.dist-info")
    assert found["acme-widgets"].root == str(site)


@pytest.mark.spec("ENC-PKG-1")
def test_what_an_installer_left_half_removed_is_no_distribution(site):
    assert "cme-widgets" not in distributions.installed([str(site)])
    assert not any("~" in name for name in distributions.library_names([str(site)]))


def test_the_first_folder_that_has_a_distribution_counts(site, tmp_path):
    other = tmp_path / "other"
    (other / "acme_widgets-9.9.dist-info").mkdir(parents=True)
    (other / "solo-1-py3.11.egg-info").mkdir()
    assert distributions.installed([str(site), str(other)])["acme-widgets"].version == "2.1.0"
    assert distributions.installed([str(other), str(site)])["acme-widgets"].version == "9.9"
    assert distributions.installed([str(other)])["solo"].version == "1"


def test_folders_that_are_not_there_are_empty(tmp_path):
    assert distributions.installed([str(tmp_path / "nowhere"), ""]) == {}
    assert distributions.library_names([str(tmp_path / "nowhere")]) == {"python"}


@pytest.mark.spec("ENC-PKG-2")
def test_library_names_hold_distribution_and_import_names(site):
    names = distributions.library_names([str(site)])
    assert {"acme-widgets", "acme_widgets", "corp", "corp-tools", "corp_tools", "oldegg", "oldegg_module", "lonely"} <= names
    assert "python" in names
    assert not names & {"docs", "_private_thing", "-private-thing", "bin", "tests"}


@pytest.mark.spec("ENC-PKG-2")
def test_library_names_are_lower_case_and_know_our_own_dependencies():
    names = distributions.library_names()
    assert {"aiohttp", "rich", "tantivy", "pytest", "griffe", "griffelib", "dotenv", "python-dotenv", "stemmer"} <= names
    assert all(name == name.lower() for name in names)


@pytest.mark.spec("ENC-PKG-2")
def test_the_standard_library_has_its_own_list():
    names = distributions.standard_names()
    assert {"asyncio", "json", "pathlib"} <= names
    assert not any(name.startswith("_") for name in names)
    assert not {"asyncio", "time", "select"} & distributions.library_names([])


@pytest.mark.spec("ENC-PKG-2")
def test_the_names_are_told_without_loading_anything_heavy():
    code = (
        f"import sys; sys.path.insert(0, {str(ADAPTERS)!r}); before = set(sys.modules);"
        "from encyclopedia_adapters.local.distributions import library_names; library_names();"
        "print(sorted(set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(run.stdout.replace("'", '"')))
    assert not loaded & {"importlib.metadata", "importlib.util", "email", "pathlib", "dataclasses", "tantivy", "griffe"}


@pytest.mark.spec("ENC-PKG-3")
def test_an_editable_package_is_known_by_its_import_name(site, tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "sprockets").mkdir(parents=True)
    (checkout / "sprockets" / "__init__.py").write_text('"""Sprockets from a checkout."""\n')
    (checkout / "tests").mkdir()
    (checkout / "tests" / "__init__.py").touch()
    (site / "_sprocket_works.pth").write_text(f"# comment\nimport something\n{checkout}\n")
    folder = site / "sprocket_works-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: sprocket-works\nVersion: 1.0\n")
    (folder / "RECORD").write_text("_sprocket_works.pth,,\n")
    (folder / "direct_url.json").write_text('{"dir_info": {"editable": true}, "url": "file:///x"}')
    item = distributions.installed([str(site)])["sprocket-works"]
    assert "sprockets" in distributions.library_names([str(site)])
    assert dist_sources.is_editable(item)
    assert [file.module for file in dist_sources.source_files(item)] == ["sprockets"]
    assert not dist_sources.is_editable(distributions.installed([str(site)])["acme-widgets"])


@pytest.mark.spec("ENC-PKG-4")
def test_metadata_is_read_with_its_links_and_description(site):
    found = metadata.read_metadata(distributions.installed([str(site)])["acme-widgets"])
    assert (found.name, found.version, found.summary) == ("Acme.Widgets", "2.1.0", "Gears and levers for small machines")
    assert found.url == "https://docs.example.org/acme"
    assert found.markup == "text/markdown"
    assert found.description.startswith("# Acme Widgets")


@pytest.mark.spec("ENC-PKG-4")
def test_old_metadata_keeps_its_description_in_a_header(site):
    found = metadata.read_metadata(distributions.installed([str(site)])["oldegg"])
    assert (found.version, found.url, found.description) == ("1.2", "", "Laid long ago\nunder the hen.")


@pytest.mark.parametrize(
    ("headers", "url"),
    [
        ("Project-URL: Homepage, https://a.example.org", "https://a.example.org"),
        ("Home-page: http://b.example.org", "http://b.example.org"),
        ("Project-URL: Docs, javascript:alert(1)\nHome-page: https://c.example.org", "https://c.example.org"),
        ("Project-URL: Funding, https://d.example.org", ""),
        ("Home-page: UNKNOWN", ""),
    ],
)
def test_the_documentation_link_is_a_web_address_or_nothing(tmp_path, headers, url):
    folder = tmp_path / "x-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Name: x\nVersion: 1\n{headers}\n\nText\n")
    assert metadata.read_metadata(distributions.installed([str(tmp_path)])["x"]).url == url


def test_metadata_that_is_not_there_or_not_text_is_empty(tmp_path):
    (tmp_path / "void-3.dist-info").mkdir()
    (tmp_path / "noise-4.egg-info").write_bytes(b"\xff\xfe\x00Name\n\n\x80")
    found = distributions.installed([str(tmp_path)])
    assert metadata.read_metadata(found["void"]) == metadata.Metadata("void", "3")
    assert metadata.read_metadata(found["noise"]).version == "4"


@pytest.mark.spec("ENC-PKG-5")
def test_source_files_leave_out_tests_vendored_copies_and_data(site):
    files = dist_sources.source_files(distributions.installed([str(site)])["acme-widgets"])
    assert [file.module for file in files] == [
        "acme_widgets",
        "acme_widgets._core",
        "acme_widgets.broken",
        "acme_widgets.fast",
        "acme_widgets.gears",
    ]
    assert files[0].path == str(site / "acme_widgets" / "__init__.py")
    assert files[0].shown == "acme_widgets/__init__.py"
    assert dist_sources.import_names(files) == ("acme_widgets",)


@pytest.mark.spec("ENC-PKG-5")
def test_a_namespace_package_is_found_by_its_record(site):
    files = dist_sources.source_files(distributions.installed([str(site)])["corp-tools"])
    assert [file.module for file in files] == ["corp.tools", "corp.tools.hammer"]


@pytest.mark.spec("ENC-PKG-5")
def test_without_a_record_the_named_modules_are_walked(site):
    files = dist_sources.source_files(distributions.installed([str(site)])["oldegg"])
    assert [file.shown for file in files] == ["oldegg_module.py"]
    (site / "acme_widgets-2.1.0.dist-info" / "RECORD").unlink()
    walked = dist_sources.source_files(distributions.installed([str(site)])["acme-widgets"])
    assert "acme_widgets.gears" in [file.module for file in walked]
    assert not [file for file in walked if "tests" in file.module or "_vendor" in file.module or "templates" in file.module]


@pytest.mark.spec("ENC-PKG-5")
def test_a_record_cannot_name_files_outside_its_folder(site):
    (site / "acme_widgets-2.1.0.dist-info" / "RECORD").write_text('../../secret.py,,\n/etc/evil.py,,\n"a b/c.py",,\nok.py,,\n')
    files = dist_sources.source_files(distributions.installed([str(site)])["acme-widgets"])
    assert [file.shown for file in files] == ["ok.py"]


def test_a_source_stands_before_its_stub(tmp_path):
    folder = tmp_path / "both"
    folder.mkdir()
    for name in ("__init__.py", "part.py", "part.pyi", "only.pyi"):
        (folder / name).touch()
    files = dist_sources.files_in(str(tmp_path), "both")
    assert [file.shown for file in files] == ["both/__init__.py", "both/only.pyi", "both/part.py"]


@pytest.mark.parametrize(
    ("entry", "module"),
    [
        ("yaml", "yaml"),
        ("six.py", "six"),
        ("Stemmer.cpython-311-x86_64-linux-gnu.so", "Stemmer"),
        ("fast.pyd", "fast"),
        ("README.txt", ""),
        ("jmespath-stubs", ""),
        ("6ec57__mypyc.cpython-311-x86_64-linux-gnu.so", ""),
        ("distutils-precedence.pth", ""),
    ],
)
def test_module_names_of_directory_entries(entry, module):
    assert distributions.module_name(entry) == module

"""What is read out of Python sources and READMEs, without running them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import builtin_docs, dist_passages, dist_sources, dist_units, distributions, docstrings
from encyclopedia_adapters.local.readme import sections

README_CASES = (Path(__file__).parents[2] / "fixtures" / "packages" / "readmes.txt").read_text().split("\n>>> ")[1:]


def nothing():
    return None


def acme(site):
    unit = dist_units.units([str(site)], standard=False)["acme-widgets"]
    return dist_passages.read(unit, nothing)


def by_title(reading):
    return {passage.title: passage for passage in reading.passages}


def sources(folder, **files):
    for name, text in files.items():
        path = folder / "pack" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return docstrings.read_sources(dist_sources.files_in(str(folder), "pack"), nothing)


@pytest.mark.spec("ENC-PKG-6")
def test_nothing_is_imported(site):
    reading = acme(site)
    assert "acme_widgets.Flywheel" in by_title(reading)
    assert not (site / "acme_widgets" / "IMPORTED").exists()
    assert "acme_widgets" not in sys.modules


@pytest.mark.spec("ENC-PKG-7")
def test_things_are_called_by_their_public_path(site):
    titles = set(by_title(acme(site)))
    assert {"acme_widgets.Flywheel", "acme_widgets.Flywheel.brake", "acme_widgets.spin", "acme_widgets.Gear"} <= titles
    assert not {"acme_widgets._core.Flywheel", "acme_widgets.gears.Gear", "acme_widgets._core.spin"} & titles
    assert "acme_widgets.gears.RATIO" in titles or "acme_widgets.RATIO" in titles


@pytest.mark.spec("ENC-PKG-7")
def test_private_things_are_kept_only_with_a_docstring(site):
    titles = set(by_title(acme(site)))
    assert "acme_widgets._core._private_documented" in titles
    assert not [title for title in titles if title.endswith(("_private_helper", "_hidden", "SILENT", "__init__"))]
    assert "acme_widgets.Flywheel.undocumented" in titles


@pytest.mark.spec("ENC-PKG-7")
def test_tests_and_vendored_copies_are_left_out(site):
    text = " ".join(f"{passage.title} {passage.body}" for passage in acme(site).passages)
    assert "Gears turn in tests" not in text
    assert "Vendored from elsewhere" not in text
    assert "template" not in text


@pytest.mark.spec("ENC-PKG-8")
def test_a_class_shows_signature_docstring_and_members(site):
    passage = by_title(acme(site))["acme_widgets.Flywheel"]
    assert passage.body.splitlines()[0] == "class Flywheel"
    assert "Stores momentum." in passage.body
    assert "Attributes: inertia: float = 4.0, label: str = 'wheel'" in passage.body
    assert "Methods: brake, undocumented" in passage.body
    assert "_hidden" not in passage.body


@pytest.mark.spec("ENC-PKG-8")
def test_signatures_are_written_as_in_the_source(site):
    titles = by_title(acme(site))
    assert titles["acme_widgets.spin"].body.startswith("async spin(wheel: Flywheel, *, turns: int = 3) -> float\n\nTurn")
    assert titles["acme_widgets.Gear"].body.startswith("class Gear(teeth: int, *, module: float = 1.0)\n\nA gear with")
    assert titles["acme_widgets.Gear.pitch"].body == "pitch: float\n\nDistance between two teeth."
    assert titles["acme_widgets.fast.grind"].body == "grind(teeth: int) -> bytes\n\nGrinds teeth in compiled code."
    assert titles["acme_widgets.Flywheel.undocumented"].body == "undocumented(speed: int) -> None"


@pytest.mark.spec("ENC-PKG-8")
def test_a_passage_says_where_it_stands(site):
    data = by_title(acme(site))["acme_widgets.Flywheel.brake"].data
    assert data["path"] == "acme_widgets/_core.py"
    assert data["section"] == "acme_widgets.Flywheel.brake"
    assert data["page"] == "py:acme_widgets.Flywheel.brake"
    assert data["version"] == "2.1.0"
    first, last = data["lines"]
    lines = (site / "acme_widgets" / "_core.py").read_text().splitlines()[first - 1 : last]
    assert lines[0].strip().startswith("def brake")
    assert "until it stands" in lines[-1]


@pytest.mark.spec("ENC-PKG-9")
def test_a_file_that_does_not_parse_costs_only_itself(site):
    (site / "acme_widgets" / "gears.py").write_bytes(b"x = '\xff\xfe'\n")
    (site / "acme_widgets" / "fast.pyi").unlink()
    reading = acme(site)
    assert {name for name, _ in reading.skipped} == {
        "acme_widgets/broken.py",
        "acme_widgets/gears.py",
        "acme_widgets/fast.pyi",
    }
    assert all(reason and "\n" not in reason for _, reason in reading.skipped)
    assert "acme_widgets.Flywheel" in by_title(reading)


@pytest.mark.spec("ENC-PKG-9")
@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 3000 + ")" * 3000,
        "\0",
        "# coding: nonsense\n",
        "from . import *\nfrom .x import *\nfrom pack import pack\n",
        "__all__ = [name for name in dir()]\n",
        "class A(A): pass\n",
        "def f(): ...\nf = f\n",
        "",
    ],
)
def test_odd_sources_do_not_stop_the_reading(tmp_path, text):
    found = sources(tmp_path, __init__='"""Pack."""\n', good='def good(): "Fine."\n', odd=text)
    assert "pack.good.good" in [item.path for item in found.objects]
    docstrings.public_paths(found)


def test_generated_tables_are_skipped(tmp_path):
    found = sources(tmp_path, __init__="", table="x = 1\n" * (docstrings.MAX_SOURCE // 6 + 1))
    assert [name for name, _ in found.skipped] == ["pack/table.py"]


def test_the_reading_stops_when_it_is_told(site):
    unit = dist_units.units([str(site)], standard=False)["acme-widgets"]
    calls = []

    def check():
        calls.append(1)
        if len(calls) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        dist_passages.read(unit, check)
    assert len(calls) == 2


@pytest.mark.spec("ENC-PKG-7")
def test_aliases_are_followed_through_several_modules_and_circles(tmp_path):
    found = sources(
        tmp_path,
        __init__="from .middle import Thing, Round\nfrom .stars import *\n",
        middle="from ._deep import Thing\nfrom .loop import Round\n",
        _deep="class Thing:\n    'Deep.'\n    def act(self): 'Acts.'\n",
        loop="from .middle import Round\n",
        stars="from ._more import *\n",
        _more="def starry(): 'Shines.'\ndef _dark(): 'No.'\n",
    )
    best = docstrings.public_paths(found)
    assert best["pack._deep.Thing"] == "pack.Thing"
    assert docstrings.public_path("pack._deep.Thing.act", best) == "pack.Thing.act"
    assert docstrings.public_path("pack._more.starry", best) == "pack.starry"
    assert docstrings.public_path("pack._more._dark", best) == "pack._more._dark"
    assert docstrings.public_path("elsewhere.x", best) == "elsewhere.x"


def test_the_shorter_public_path_wins_and_exports_bind(tmp_path):
    found = sources(
        tmp_path,
        __init__="from .a import seen, unseen\n__all__ = ['seen']\n",
        a="def seen(): 'S.'\ndef unseen(): 'U.'\n",
    )
    best = docstrings.public_paths(found)
    assert docstrings.public_path("pack.a.seen", best) == "pack.seen"
    assert docstrings.public_path("pack.a.unseen", best) == "pack.a.unseen"


def test_overloads_are_all_shown(tmp_path):
    text = "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\ndef f(a): 'Doc.'\n"
    found = sources(tmp_path, __init__=text)
    assert next(item.signature for item in found.objects if item.path == "pack.f") == "f(a: int) -> int\nf(a: str) -> str"


@pytest.mark.parametrize(("path", "private"), [("a.b", False), ("a._b.c", True), ("_a", True), ("a.b_", False)])
def test_what_is_private(path, private):
    assert docstrings.is_private(path) is private


@pytest.mark.spec("ENC-PKG-10")
def test_a_readme_is_cut_at_its_headings(site):
    titles = by_title(acme(site))
    oil = titles["Acme.Widgets 2.1.0 — README > Acme Widgets > Lubrication"]
    assert oil.body == "Oil the gearbox before the flywheel turns."
    assert oil.data["page"] == "dist:acme-widgets#Acme Widgets > Lubrication"
    assert oil.data["path"] == "acme_widgets-2.1.0.dist-info/METADATA"
    assert titles["Acme.Widgets 2.1.0 — summary"].data["url"] == "https://docs.example.org/acme"
    assert "url" not in oil.data
    assert not [title for title in titles if "Changelog" in title]
    assert not [passage for passage in titles.values() if "badge" in passage.body]


@pytest.mark.spec("ENC-PKG-10")
def test_restructured_text_headings_count_too(site):
    unit = dist_units.units([str(site)], standard=False)["corp-tools"]
    titles = by_title(dist_passages.read(unit, nothing))
    assert titles["corp-tools 0.3 — README > Corp tools"].body == "Intro words."
    assert titles["corp-tools 0.3 — README > Corp tools > Hammers"].body == "Swing the hammer twice."
    assert not [title for title in titles if "Licence" in title]
    assert "corp.tools.Hammer" in titles


def test_headings_of_any_style_nest_by_first_appearance():
    text = "*****\nTop\n*****\n\none\n\nSub\n~~~\n\ntwo\n\nNext\n****\n\nthree\n"
    assert sections(text, "") == [("Top", "one"), ("Top > Sub", "two"), ("Next", "three")]


@pytest.mark.spec("ENC-PKG-10")
@pytest.mark.parametrize("case", README_CASES, ids=lambda case: case.partition("\n")[0])
def test_descriptions_and_their_sections(case):
    _, markup, text, *expected = case.split("\n")
    found = sections(text.replace("\\r", "\r").replace("\\n", "\n"), markup.strip("-"))
    assert ["{}: {}".format(*each).replace("\n", "\\n") for each in found] == [line for line in expected if line]


@given(st.text(alphabet="a#=-\n `~*|<![.", max_size=80), st.sampled_from(["", "text/markdown"]))
def test_no_description_is_too_odd(text, markup):
    for heading, body in sections(text, markup):
        assert isinstance(heading, str)
        assert body.strip() == body != ""


@pytest.mark.spec("ENC-PKG-11")
def test_the_standard_library_is_one_document_a_module():
    units = dist_units.units([], standard=True)
    assert {"python/asyncio", "python/json", "python/pathlib", "python/builtins", "python/itertools"} <= set(units)
    assert not {"python/test", "python/this", "python/antigravity", "python/idlelib", "python/_io_"} & set(units)
    assert {unit.library for unit in units.values()} == {distributions.PYTHON}
    assert units["python/json"].version == sys.version.split()[0]


@pytest.mark.spec("ENC-PKG-11")
@pytest.mark.parametrize(
    ("module", "title", "part"),
    [
        ("json", "json.dumps", "indent"),
        ("asyncio", "asyncio.gather", "return_exceptions"),
        ("posixpath", "os.path.join", "Join two or more pathname components"),
        ("builtins", "builtins.str.split", "maxsplit"),
        ("_collections", "collections.defaultdict", "default factory"),
        ("itertools", "itertools.groupby", "iter"),
        ("math", "math.isclose", "rel_tol"),
    ],
)
def test_modules_of_the_standard_library_are_described(module, title, part):
    unit = dist_units.units([], standard=True)[f"python/{module}"]
    reading = dist_passages.read(unit, nothing)
    assert part in by_title(reading)[title].body
    assert reading.skipped == []


def test_only_listed_compiled_modules_are_looked_at(site):
    assert list(builtin_docs.describe("acme_widgets")) == []
    assert list(builtin_docs.describe("os")) == []
    names = [item.path for item in builtin_docs.describe("time")]
    assert "time.sleep" in names
    assert not [name for name in names if "._" in name]


def test_without_docstrings_only_the_metadata_is_read(site):
    units = dist_units.units([str(site)], standard=True)
    reading = dist_passages.read(units["acme-widgets"], nothing, docstrings=False)
    assert {passage.data["kind"] for passage in reading.passages} == {"metadata", "readme"}
    assert reading.imports == ("acme_widgets",)
    assert dist_passages.read(units["python/json"], nothing, docstrings=False).passages == []


@pytest.mark.spec("ENC-PKG-25")
def test_a_module_lists_what_it_defines_or_offers(tmp_path):
    found = sources(
        tmp_path,
        __init__="from pack.gears import Gear\n",
        gears='"""Gears."""\nfrom pack.tools import Hammer\n\nclass Gear:\n    """Turns."""\n\ndef grind(): ...\n\ndef _oil(): ...\n',
        offers='"""Offers."""\nfrom pack.tools import Hammer\nimport os\n__all__ = ["Hammer", "os"]\n',
        tools='"""Tools."""\nclass Hammer:\n    """Hits."""\n',
    )
    members = {item.path: item.members for item in found.objects if item.kind == "module"}
    assert members == {"pack": "Gear", "pack.gears": "Gear, grind", "pack.offers": "Hammer", "pack.tools": "Hammer"}


@pytest.mark.spec("ENC-PKG-26")
def test_what_a_compiled_form_replaces_is_described(tmp_path):
    text = '''
class partial:
    """Freezes arguments."""

    def call(self):
        """Calls."""

class Task:
    """Runs."""

class Kept:
    """Stays."""

def merge():
    """Merges."""

try:
    from _fast import partial, merge
    from other import Kept
except ImportError:
    pass

import _fast
Task = _fast.Task
'''
    found = sources(tmp_path, __init__="", work=text)
    described = {item.path: (item.kind, item.docstring) for item in found.objects}
    assert described["pack.work.partial"] == ("class", "Freezes arguments.")
    assert described["pack.work.partial.call"] == ("function", "Calls.")
    assert described["pack.work.merge"] == ("function", "Merges.")
    assert described["pack.work.Task"] == ("class", "Runs.")
    assert "pack.work.Kept" not in described

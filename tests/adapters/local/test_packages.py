"""The source `packages`: an index that keeps itself up to date, and what it answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.plan import Request
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Context, Package
from encyclopedia_adapters.local import package_rank, packages
from encyclopedia_adapters.local.package_index import PackageIndex, Stopped
from encyclopedia_adapters.local.package_report import index_all, standing
from encyclopedia_adapters.local.package_search import WITHOUT_GRIFFE, PackageSearch
from encyclopedia_adapters.local.versions import version_fits
from encyclopedia_adapters.shared.text_index import IndexBusy, Match

ROOT = Path(__file__).parents[3]


def nothing(*_):
    return None


def request(text, **fields):
    return Request(text, QueryType.LIBRARY_DOCS, **{"limit": 5, "timeout": 20.0, **fields})


def search_of(tmp_path, site, **options):
    return PackageSearch(PackageIndex(str(tmp_path / "home"), paths=[str(site)], standard=False, **options), paths=[str(site)])


def ask(search, text, **fields):
    return search.answer(request(text, **fields), threading.Event())


def titles(hits):
    return [hit.title for hit in hits]


def update(site, version):
    """What an installer does for a new version of acme-widgets."""
    old = next(site.glob("acme_widgets-*.dist-info"))
    new = site / f"acme_widgets-{version}.dist-info"
    text = (old / "METADATA").read_text().replace(f"Version: {old.name.split('-')[1].removesuffix('.dist')}", "")
    shutil.move(old, new)
    (new / "METADATA").write_text(text.replace("Metadata-Version: 2.1", f"Metadata-Version: 2.1\nVersion: {version}"))


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """An index of some of this project's own dependencies, and of the modules of the standard library that are asked for."""
    index = PackageIndex(str(tmp_path_factory.mktemp("real")))
    wanted = {
        "aiohttp",
        "rich",
        "hypothesis",
        "structlog",
        "pytest",
        "diskcache",
        "yarl",
        "jmespath",
        "python-dotenv",
        "pybreaker",
        "tantivy",
    }
    modules = """_collections argparse asyncio builtins collections csv dataclasses datetime functools heapq itertools json logging
        os pathlib posixpath re shutil subprocess tempfile threading time"""
    wanted |= {f"python/{name}" for name in modules.split()}
    index.bring([unit for name, unit in index.units().items() if name in wanted], nothing, done=nothing)
    return PackageSearch(index)


ROWS = (ROOT / "tests/fixtures/packages/queries.txt").read_text().splitlines()
REAL = [(query.strip(), set(names.split())) for query, bar, names in (row.partition("|") for row in ROWS) if bar]


@pytest.mark.spec("ENC-PKG-12")
@pytest.mark.parametrize(("query", "expected"), REAL)
def test_what_is_asked_for_comes_first(real, query, expected):
    found = [hit.title for hit in real._found(query, wanted(real, query), real.index.units(), request(query))]
    assert found[0] in expected


def wanted(search, query):
    owners = {}
    for document, state in search.index.states().items():
        for name in (document, *state.imports):
            owners.setdefault(name.lower(), set()).add(document)
    return package_rank.wanted(query, owners)


@pytest.mark.spec("ENC-PKG-12")
def test_the_named_library_comes_before_all_others(real):
    query = "aiohttp client session timeout"
    found = real._found(query, wanted(real, query), real.index.units(), request(query))
    assert all(hit.title.startswith("aiohttp.Client") for hit in found[:4])
    assert "total: float | None = None" in next(hit.content for hit in found if hit.title == "aiohttp.ClientTimeout")


@pytest.mark.spec("ENC-PKG-12")
def test_no_test_or_readme_stands_in_front_of_the_thing_itself(real):
    for query, _ in REAL:
        found = real._found(query, wanted(real, query), real.index.units(), request(query))
        assert ".tests." not in found[0].title
        assert "README" not in found[0].title
        assert found[0].page.startswith("py:")


@pytest.mark.spec("ENC-PKG-13")
def test_the_first_question_reads_what_it_names(tmp_path, site):
    search = search_of(tmp_path, site)
    reply = ask(search, "acme_widgets flywheel momentum")
    assert reply.hits[0].title == "acme_widgets.Flywheel"
    assert reply.reduced == reply.note == ""
    assert set(search.index.states()) == {"acme-widgets", "corp-tools", "oldegg"}


@pytest.mark.spec("ENC-PKG-13")
def test_a_hit_tells_everything_about_its_place(tmp_path, site):
    hit = ask(search_of(tmp_path, site), "flywheel brake force").hits[0]
    assert hit.title == "acme_widgets.Flywheel.brake"
    assert hit.content == "brake(force: float = 1.0) -> bool\n\nSlow the wheel down until it stands."
    assert (hit.version, hit.url, hit.page) == ("2.1.0", "", "py:acme_widgets.Flywheel.brake")
    assert (hit.locator.corpus, hit.locator.path) == ("packages", "acme_widgets/_core.py")
    assert hit.locator.section == "acme_widgets.Flywheel.brake"
    assert hit.locator.lines[0] < hit.locator.lines[1]


def test_metadata_gives_the_documentation_address(tmp_path, site):
    hit = ask(search_of(tmp_path, site), "acme-widgets").hits[0]
    assert hit.title == "Acme.Widgets 2.1.0 — summary"
    assert hit.url == "https://docs.example.org/acme"
    assert hit.page == "dist:acme-widgets"
    assert hit.locator.lines is None


@pytest.mark.spec("ENC-PKG-14")
def test_a_second_question_reads_nothing(tmp_path, site):
    search = search_of(tmp_path, site)
    ask(search, "gear")
    before = os.stat(tmp_path / "home/index/packages/segments/meta.json")
    (site / "acme_widgets" / "_core.py").unlink()
    assert ask(search, "flywheel momentum").hits[0].title == "acme_widgets.Flywheel"
    assert os.stat(tmp_path / "home/index/packages/segments/meta.json").st_mtime_ns == before.st_mtime_ns


@pytest.mark.spec("ENC-PKG-14")
def test_new_changed_and_removed_distributions_are_noticed(tmp_path, site):
    search = search_of(tmp_path, site)
    ask(search, "gear")
    update(site, "3.0.0")
    shutil.rmtree(site / "corp_tools-0.3.dist-info")
    (site / "brandnew-1.0.dist-info").mkdir()
    (site / "brandnew-1.0.dist-info" / "METADATA").write_text("Name: brandnew\nVersion: 1.0\nSummary: Polishes levers\n")
    changes = search.index.changes(search.index.units(), search.index.states())
    assert [unit.document for unit in changes.added] == ["brandnew"]
    assert [unit.document for unit in changes.changed] == ["acme-widgets"]
    assert changes.removed == ["corp-tools"]
    assert ask(search, "acme_widgets flywheel").hits[0].version == "3.0.0"
    assert ask(search, "polishes levers").hits[0].title == "brandnew 1.0 — summary"
    assert not [hit for hit in ask(search, "corp tools hammer").hits if "corp" in hit.page]
    assert set(search.index.states()) == {"acme-widgets", "brandnew", "oldegg"}


@pytest.mark.spec("ENC-PKG-14")
def test_an_editable_package_is_read_again_when_a_file_changes(tmp_path, site):
    folder = site / "acme_widgets-2.1.0.dist-info"
    (folder / "direct_url.json").write_text('{"dir_info": {"editable": true}}')
    search = search_of(tmp_path, site)
    ask(search, "gear")
    source = site / "acme_widgets" / "gears.py"
    source.write_text(source.read_text().replace("Distance between two teeth", "Chord between crowns"))
    os.utime(source, ns=(1, 2**62))
    assert "Chord between crowns" in ask(search, "gear pitch chord").hits[0].content


@pytest.mark.spec("ENC-PKG-15")
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_an_interrupted_run_keeps_what_it_finished(tmp_path, site, limit):
    index = search_of(tmp_path, site).index
    finished = []

    def stop_after(unit):
        finished.append(unit.document)
        if len(finished) == limit:
            raise KeyboardInterrupt

    def check():
        if not limit:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.bring(list(index.units().values()), check, done=stop_after)
    assert sorted(index.states()) == sorted(finished)
    assert len(finished) == limit


@pytest.mark.spec("ENC-PKG-15")
def test_a_question_whose_time_is_over_says_how_far_the_index_is(tmp_path, site):
    reply = ask(search_of(tmp_path, site), "acme_widgets flywheel", timeout=0.0)
    assert reply.hits == ()
    assert reply.reduced == "0 of 3 installed packages are indexed so far; `encyclopedia corpus index packages` completes it"


@pytest.mark.spec("ENC-PKG-15")
def test_a_stopped_question_reads_no_further(tmp_path, site):
    search = search_of(tmp_path, site)
    stop = threading.Event()
    stop.set()
    assert "0 of 3" in search.answer(request("acme_widgets flywheel"), stop).reduced
    assert search.index.states() == {}


@pytest.mark.spec("ENC-PKG-15")
async def test_a_cancelled_question_leaves_no_thread_at_work(tmp_path, site):
    entered, released = threading.Event(), threading.Event()

    class Slow(PackageSearch):
        def answer(self, request, stop):
            entered.set()
            stop.wait(20)
            released.set()
            return super().answer(request, stop)

    source = packages.PackageSource(Slow(search_of(tmp_path, site).index))
    task = asyncio.create_task(source.search(request("gear")))
    await asyncio.to_thread(entered.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(released.wait, 20)
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


@pytest.mark.spec("ENC-PKG-16")
def test_a_second_writer_is_told_and_questions_go_on(tmp_path, site):
    search = search_of(tmp_path, site)
    index = search.index
    index.bring([index.units()["acme-widgets"]], nothing, done=nothing)
    with index.text.update():
        reply = ask(search, "acme_widgets flywheel")
        with pytest.raises(IndexBusy):
            index.bring([index.units()["oldegg"]], nothing, done=nothing, wait=0.0)
    assert reply.hits[0].title == "acme_widgets.Flywheel"
    assert reply.reduced == ""  # the package that was named has been read
    assert reply.note.startswith("1 of 3")
    whole = ask(search, "acme_widgets flywheel")
    assert (whole.reduced, whole.note) == ("", "")


@pytest.mark.spec("ENC-PKG-16")
def test_two_processes_may_index_at_once(tmp_path, site):
    code = (
        "import sys; sys.path[:0] = sys.argv[3:5]\n"
        "from encyclopedia_adapters.local.package_index import PackageIndex\n"
        "from encyclopedia_adapters.local.package_report import index_all\n"
        "index = PackageIndex(sys.argv[1], paths=[sys.argv[2]], standard=False)\n"
        "print(index_all(index, lambda *_: None).passages)\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "home"), str(site), str(ROOT), str(ROOT / "adapters")]
    runs = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    results = [run.communicate(timeout=60) for run in runs]
    index = search_of(tmp_path, site).index
    assert [run.returncode for run in runs] == [0, 0], results
    assert set(index.states()) == {"acme-widgets", "corp-tools", "oldegg"}
    assert {int(out) for out, _ in results} == {index.text.count()}


@pytest.mark.spec("ENC-PKG-17")
def test_indexing_all_tells_its_progress_and_what_it_could_not_read(tmp_path, site):
    index = search_of(tmp_path, site).index
    told = []
    report = index_all(index, lambda *step: told.append(step))
    assert [(done, total) for _, done, total in told] == [(1, 3), (2, 3), (3, 3)]
    assert {label for label, _, _ in told} == {"acme-widgets", "corp-tools", "oldegg"}
    assert (report.added, report.changed, report.removed, report.unchanged) == (3, 0, 0, 0)
    assert report.passages == index.text.count() > 15
    assert [name for name, _ in report.skipped] == ["acme_widgets/broken.py"]
    again = index_all(index, nothing)
    assert (again.added, again.unchanged, again.passages) == (0, 3, report.passages)


@pytest.mark.spec("ENC-PKG-17")
def test_a_distribution_that_breaks_the_reader_costs_only_itself(tmp_path, site):
    bad = site / "bad-1.dist-info"
    bad.mkdir()
    (bad / "METADATA").mkdir()
    (bad / "PKG-INFO").symlink_to("PKG-INFO")
    (bad / "RECORD").write_bytes(b'"\x00,\r')
    report = index_all(search_of(tmp_path, site).index, nothing)
    assert report.added == 4
    assert ask(search_of(tmp_path, site), "flywheel momentum").hits


def test_an_index_kept_by_another_is_a_clear_error(tmp_path, site):
    class Kept(PackageIndex):
        def forget(self, documents, wait=0.0):
            raise IndexBusy("the index is being written by process 7")

    with pytest.raises(ConfigurationError) as caught:
        index_all(Kept(str(tmp_path), paths=[str(site)], standard=False), nothing)
    assert "process 7" in caught.value.message
    assert caught.value.hint


@pytest.mark.spec("ENC-PKG-18")
def test_another_version_is_never_given_in_silence(tmp_path, site):
    search = search_of(tmp_path, site)
    reply = ask(search, "acme_widgets flywheel momentum", version="1.9", library="acme_widgets")
    assert reply.hits == ()
    assert reply.note == "acme-widgets 2.1.0 is installed here, not 1.9"
    same = ask(search, "acme_widgets flywheel momentum", version="2.1")
    assert same.hits[0].version == "2.1.0"
    assert same.note == ""


@pytest.mark.parametrize(
    ("asked", "installed", "fits"),
    [
        ("", "1.0", True),
        ("3.14", "3.14.5", True),
        ("v3.14.5", "3.14.5", True),
        ("3.1", "3.14.5", False),
        ("3", "3.14.5", True),
        ("==2.1.0", "2.1.0", True),
        ("3.14.5", "3.14", False),
    ],
)
def test_which_version_is_meant(asked, installed, fits):
    assert version_fits(asked, installed) is fits


@pytest.mark.spec("ENC-PKG-19")
def test_other_words_find_a_second_list(tmp_path, site):
    others = {"expanded": "flywheel momentum hammer nails", "stands_for": (("flywheel momentum", ("hammer nails",)),)}
    reply = ask(search_of(tmp_path, site), "flywheel momentum", limit=20, **others)
    first, second = titles(reply.hits), titles(reply.alternatives)
    assert "acme_widgets.Flywheel" in first
    assert "corp.tools.Hammer" in second
    assert not set(first) & set(second)
    assert ask(search_of(tmp_path, site), "flywheel momentum").alternatives == ()


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_never_more_hits_than_asked_for(tmp_path, site, limit):
    assert len(ask(search_of(tmp_path, site), "acme widgets gear wheel", limit=limit).hits) <= limit


@pytest.mark.spec("ENC-PKG-20")
def test_without_griffe_metadata_and_readmes_still_answer(tmp_path, site):
    search = search_of(tmp_path, site, docstrings=False)
    reply = ask(search, "acme widgets lubrication gearbox")
    assert reply.hits[0].title == "Acme.Widgets 2.1.0 — README > Acme Widgets > Lubrication"
    assert reply.reduced == WITHOUT_GRIFFE
    assert WITHOUT_GRIFFE in standing(search.index)
    with_griffe = search_of(tmp_path, site)
    assert len(with_griffe.index.changes(with_griffe.index.units(), with_griffe.index.states()).changed) == 3
    assert ask(with_griffe, "acme_widgets flywheel").hits[0].title == "acme_widgets.Flywheel"


def test_an_import_name_of_an_unread_package_names_it(tmp_path, site):
    search = search_of(tmp_path, site)
    stop = threading.Event()
    units = search.index.units()
    search._read_named(units, "oldegg_module crack", nothing)
    assert set(search.index.states()) == {"oldegg"}
    assert search.answer(request("crack the shell"), stop).hits[0].title == "oldegg_module.crack"


@pytest.mark.spec("ENC-PKG-21")
def test_how_the_index_stands_is_told_without_writing(tmp_path, site):
    index = search_of(tmp_path, site).index
    assert standing(index) == "0 of 3 installed packages indexed (0 documents, 0 passages)"
    assert not (tmp_path / "home").exists()
    index_all(index, nothing)
    assert standing(index) == f"3 of 3 installed packages indexed (3 documents, {index.text.count()} passages)"


@pytest.mark.spec("ENC-PKG-21")
def test_words_of_the_index_are_known(tmp_path, site):
    context = Context("packages", str(tmp_path / "home"), "agent", 5.0, resources=None, secret=str)
    index_all(search_of(tmp_path, site).index, nothing)
    assert packages.knows(context, "flywheel") is False
    other = site / "engine-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: engine\nVersion: 1.0\n\n# engine\n\nHas a flywheel.\n")
    index_all(search_of(tmp_path, site).index, nothing)
    assert packages.knows(context, "Flywheel") is True
    assert packages.knows(context, "flywheeel") is False


@pytest.mark.spec("ENC-PKG-13")
def test_a_large_package_is_read_when_it_is_named_and_not_begun_in_passing(tmp_path, site):
    folder = site / "heavy-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: heavy\nVersion: 1.0\n\n# heavy\n")
    (folder / "RECORD").write_text("heavy.py,,\n")
    (site / "heavy.py").write_text('"""Lifts anvils."""\n' + "# a line that says nothing\n" * 60_000)
    search = search_of(tmp_path, site)
    assert "3 of 4 installed packages" in ask(search, "anvils").reduced
    assert "heavy" not in search.index.states()
    assert ask(search, "heavy anvils").reduced == ""
    assert "heavy" in search.index.states()


@pytest.mark.spec("ENC-PKG-22")
def test_a_slip_of_the_pen_and_the_examples_of_our_readme_make_no_word_known(tmp_path, site):
    for name, text in (("slip", "A limts.\n\n# More\n\nlimts"), ("encyclopedia-search", "Ask for kuberntes.")):
        folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n# {name}\n\n{text}\n")
        (folder / "RECORD").write_text("")
    context = Context("packages", str(tmp_path / "home"), "agent", 5.0, resources=None, secret=str)
    found = search_of(tmp_path, site)
    index_all(found.index, nothing)
    assert found.index.text.knows("limts")
    assert found.index.text.knows("kuberntes")
    assert not packages.knows(context, "limts")
    assert not packages.knows(context, "kuberntes")


def test_a_home_that_cannot_be_written_is_told(tmp_path, site):
    (tmp_path / "home").write_text("a file where the folder should be")
    reply = ask(search_of(tmp_path, site), "acme_widgets flywheel")
    assert reply.hits == ()
    assert "the packages index cannot be written" in reply.reduced
    assert "0 of 3" in reply.reduced


def test_a_damaged_index_is_made_anew(tmp_path, site):
    search = search_of(tmp_path, site)
    ask(search, "gear")
    (tmp_path / "home/index/packages/segments/meta.json").write_text("{")
    assert "makes it anew" in standing(search_of(tmp_path, site).index)
    assert ask(search_of(tmp_path, site), "acme_widgets flywheel").hits[0].title == "acme_widgets.Flywheel"


def test_what_docstrings_hold_is_cleaned(tmp_path, site):
    evil = '"""Bell \\x07 and \\x1b]52;c;eA==\\x07 \\u202e turn."""\n'
    (site / "acme_widgets" / "gears.py").write_text(f"class Bellringer:\n    {evil}")
    hit = ask(search_of(tmp_path, site), "bellringer").hits[0]
    assert not [char for char in hit.content if char < " " and char != "\n"]
    assert "\u202e" not in hit.content


@settings(max_examples=25, deadline=None)
@given(text=st.text(max_size=60), version=st.sampled_from(["", "1.0", "\0"]))
def test_no_question_crashes(real, text, version):
    units = real.index.units()
    question = wanted(real, text)
    found = real._found(text, question, units, request(text, version=version))
    assert len(found) <= 5


def whole(match):
    return 1.0


@given(st.permutations(range(6)))
def test_the_order_that_matches_come_in_does_not_matter(order):
    matches = [Match(str(n), f"d{n % 2}", 1.0 + n // 3, f"pack.Thing{n}", "", {"kind": "class"}) for n in range(6)]
    question = package_rank.wanted("pack thing2", {"d1": {"d1"}})
    turned = package_rank.ranked([matches[n] for n in order], question, whole)
    assert turned == package_rank.ranked(matches, question, whole)


RANKED = [
    ("json dumps", "json.dumps", "function", "toolkit.json_dumps", "function"),
    ("flywheel", "acme.Flywheel", "class", "acme._core.Flywheel", "class"),
    ("flywheel", "acme.Flywheel", "class", "acme.shop.floor.Flywheel", "class"),
    ("flywheel", "acme.flywheel", "function", "acme._flywheel", "function"),
    ("client timeout", "net.ClientTimeout", "class", "net.ClientConnectorError", "class"),
    ("table width", "r.Table.width", "function", "r — README > Table", "readme"),
]


@pytest.mark.spec("ENC-PKG-12")
@pytest.mark.parametrize(("query", "better", "kind", "worse", "other"), RANKED)
def test_names_weigh_more_than_mentions(query, better, kind, worse, other):
    question = package_rank.wanted(query, {"json": {"python/json"}})
    first = Match("b", "python/json" if better.startswith("json") else "d", 10.0, better, "", {"kind": kind})
    second = Match("a", "d", 10.0, worse, "", {"kind": other})
    assert package_rank.ranked([second, first], question, whole)[0] is first


def test_a_named_library_is_heard_with_its_dots_and_from_the_request():
    owners = {"os.path": {"python/posixpath"}, "os": {"python/os"}, "aiohttp": {"aiohttp"}}
    assert package_rank.wanted("os.path.join?", owners).documents == {"python/posixpath", "python/os"}
    assert package_rank.wanted("client timeout", owners, "aiohttp").documents == {"aiohttp"}
    assert package_rank.wanted("(aiohttp)", owners).content == frozenset()


def test_the_card_says_what_it_is(tmp_path):
    card = packages.CARD
    assert card.serves == {QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15}
    assert (card.name, card.form, card.alternatives, card.requires) == ("packages", Form.KEYWORD, True, (Package("tantivy"),))
    context = Context("packages", str(tmp_path), "agent", 5.0, resources=None, secret=str)
    assert "0 of" in card.state(context)
    assert isinstance(card.make(context), packages.PackageSource)
    assert not list(tmp_path.iterdir())


def test_loading_the_module_loads_nothing_heavy():
    code = "import sys; sys.path[:0] = sys.argv[1:]; import encyclopedia_adapters.local.packages; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(ROOT / "adapters")], capture_output=True, text=True, check=True
    )
    assert not {"tantivy", "griffe", "Stemmer", "asyncio", "logging", "urllib.parse"} & set(run.stdout.split())


def test_reading_stops_with_an_exception_of_its_own():
    assert not issubclass(Stopped, OSError | ValueError)


def test_a_short_time_limit_is_spent_on_the_named_library_first(tmp_path, site):
    for number in range(30):
        folder = site / f"many{number}"
        folder.mkdir()
        (folder / "__init__.py").write_text('def f():\n    """Many words."""\n' * 3000)
        (site / f"many{number}-1.dist-info").mkdir()
        (site / f"many{number}-1.dist-info" / "RECORD").write_text(f"many{number}/__init__.py,,\n")
    search = search_of(tmp_path, site)
    reply = ask(search, "acme_widgets flywheel", timeout=2.0)
    missing = len(search.index.changes(search.index.units(), search.index.states()).stale)
    assert reply.hits[0].title == "acme_widgets.Flywheel"
    assert reply.reduced == ""
    assert reply.note.startswith(f"{33 - missing} of 33 installed packages") if missing else reply.note == ""


@pytest.mark.spec("ENC-PKG-14")
def test_the_same_name_in_another_folder_is_another_unit(tmp_path, site):
    index = PackageIndex(str(tmp_path / "home"), paths=[str(site)], standard=False)
    index_all(index, nothing)
    elsewhere = PackageIndex(str(tmp_path / "home"), paths=[str(tmp_path / "nothing")], standard=False)
    changes = elsewhere.changes(elsewhere.units(), elsewhere.states())
    assert changes.stale == []
    assert sorted(changes.removed) == ["acme-widgets", "corp-tools", "oldegg"]
    elsewhere.forget(changes.removed)
    assert elsewhere.states() == {}
    assert elsewhere.text.count() == 0


def test_states_follow_each_commit(tmp_path, site):
    index = search_of(tmp_path, site).index
    reader = search_of(tmp_path, site).index
    assert reader.states() == {}
    for number, unit in enumerate(index.units().values(), 1):
        index.bring([unit], nothing, done=nothing)
        assert len(reader.states()) == number
        assert reader.states() is reader.states()


@pytest.mark.spec("ENC-PKG-17")
def test_a_large_run_is_committed_in_parts(tmp_path, site):
    index = search_of(tmp_path, site, batch=0).index
    seen = []
    other = search_of(tmp_path, site).index
    index.bring(list(index.units().values()), nothing, done=lambda unit: seen.append(len(other.states())))
    assert seen == [0, 1, 2]


def test_what_is_in_the_index_but_not_installed_is_never_served(tmp_path, site):
    search = search_of(tmp_path, site)
    ask(search, "gear")
    shutil.rmtree(site / "acme_widgets-2.1.0.dist-info")
    with search.index.text.update():  # nobody can remove it now
        reply = ask(search, "flywheel momentum")
    assert not [hit for hit in reply.hits if "acme" in hit.title]


def test_a_new_version_that_was_not_read_yet_is_not_served_from_the_old_one(tmp_path, site):
    search = search_of(tmp_path, site)
    ask(search, "gear")
    update(site, "3.0.0")
    with search.index.text.update():
        reply = ask(search, "acme_widgets flywheel momentum")
    assert not [hit for hit in reply.hits if "acme" in hit.title]
    assert reply.reduced.startswith("2 of 3")


@pytest.mark.parametrize(
    "word", ["acme_widgets", "acme-widgets", "Acme.Widgets", "acme_widgets.Flywheel.brake", "(acme_widgets)"]
)
def test_a_library_is_named_in_many_ways(tmp_path, site, word):
    search = search_of(tmp_path, site)
    search._read_named(search.index.units(), f"how does {word} work", nothing)
    assert "acme-widgets" in search.index.states()


async def test_questions_at_once_share_one_index(tmp_path, site):
    source = packages.PackageSource(search_of(tmp_path, site))
    replies = await asyncio.gather(*(source.search(request("acme_widgets flywheel")) for _ in range(6)))
    settled = await source.search(request("acme_widgets flywheel"))
    assert settled.hits[0].title == "acme_widgets.Flywheel"
    assert settled.reduced == ""
    assert all(reply.hits == settled.hits or reply.reduced for reply in replies)

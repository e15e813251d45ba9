"""Whatever happens to files and to those who index them: never a stale text, never a lost file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.local import corpus_fresh, walk
from encyclopedia_adapters.local.corpus_fresh import Freshness
from encyclopedia_adapters.local.corpus_index import CorpusIndex
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.local.documents.format import DocumentFormat
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.local.documents.shelf import FIXTURES, Shelf, quiet
from tests.damage import put


@pytest.fixture
def empty(tmp_path):
    (tmp_path / "notes").mkdir()
    return Shelf(tmp_path)


@pytest.fixture
def decisions(tmp_path):
    shutil.copytree(FIXTURES / "adr-govuk", tmp_path / "notes")
    return Shelf(tmp_path)


@pytest.mark.spec("ENC-DOCS-15")
def test_an_edit_of_the_same_size_with_the_same_times_is_noticed(empty):
    path = empty.write("a.md", "the zeppelin is red")
    empty.index()
    before = path.stat()
    path.write_text("the dirigible is red"[:19])
    path.write_text("the aeroplane isred")
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert empty.paths("aeroplane") == ["a.md"]
    assert empty.ask("zeppelin").hits == ()


@pytest.mark.spec("ENC-DOCS-15")
def test_edits_faster_than_the_clock_of_the_file_system_are_noticed(empty):
    path = empty.write("a.md", "zeppelin 000")
    for at in range(1, 60):
        empty.index()
        path.write_text(f"zeppelin {at:03}")
        assert empty.ask("zeppelin").hits[0].content == f"zeppelin {at:03}"


@pytest.mark.spec("ENC-DOCS-15")
def test_a_file_that_was_just_written_is_read_again_once_and_then_trusted(empty):
    empty.write("a.md", "zeppelin")
    assert walk.walk(str(empty.path)).fresh == {"a.md"}
    empty.index()
    index = CorpusIndex(empty.corpus, DocumentFormat())
    assert index.changes(walk.walk(str(empty.path))).doubtful == ["a.md"]
    empty.settle()
    empty.index()
    changes = index.changes(walk.walk(str(empty.path)))
    assert (len(changes), changes.doubtful) == (0, [])


@pytest.mark.spec("ENC-DOCS-15")
def test_no_stored_answer_is_good_for_files_that_were_just_written(empty):
    empty.write("a.md", "zeppelin")
    assert KIND.revision(empty.corpus) != KIND.revision(empty.corpus)
    empty.settle()
    before = KIND.revision(empty.corpus)
    assert before == KIND.revision(empty.corpus) != ""
    empty.write("a.md", "airships")
    empty.settle()
    assert KIND.revision(empty.corpus) != before


@pytest.mark.spec("ENC-DOCS-15")
def test_of_many_changed_files_those_that_are_shown_are_as_they_are_now(empty):
    many = corpus_fresh.FEW + 10
    for at in range(many):
        empty.write(f"{at}.md", f"zeppelin number{at} old")
    empty.settle()
    empty.index()
    for at in range(many):
        empty.write(f"{at}.md", f"zeppelin number{at} new")
    reply = empty.ask("zeppelin", limit=5)
    assert [hit.content.split()[-1] for hit in reply.hits] == ["new"] * 5
    assert "files changed since the index was made" in reply.reduced


@pytest.mark.spec("ENC-DOCS-15")
def test_a_changed_file_that_cannot_be_read_again_is_left_out_rather_than_shown_as_it_was(empty):
    empty.write("a.md", "zeppelin old")
    empty.write("b.md", "zeppelin same")
    empty.settle()
    empty.index()
    empty.write("a.md", "zeppelin new")
    with TextIndex(empty.corpus.folder).update():
        reply = empty.ask("zeppelin")
    assert [hit.locator.path for hit in reply.hits] == ["b.md"]
    assert "1 files are not searched as they are now" in reply.reduced


@pytest.mark.spec("ENC-DOCS-15")
def test_a_changed_file_beyond_the_bounds_of_the_walk_is_read_again_before_it_is_shown(decisions):
    decisions.settle()
    decisions.index()
    decisions.write("0022-use-pkl-for-configuration.md", "# Pkl\n\nWe no longer use pkl for anything at all.")
    listing = DocumentFormat().listing(str(decisions.path), walk.Bounds(files=1, seconds=0.0))
    assert not listing.complete
    freshness = Freshness(CorpusIndex(decisions.corpus, DocumentFormat()), listing, lambda: False)
    request = Request("pkl configuration", QueryType.LIBRARY_DOCS, 3, 5.0)
    found = decisions.source._current(request, request.text, freshness)
    assert any("no longer use pkl" in match.body for match in found.values())
    assert not any("Adopt" in match.body and "0022" in match.document for match in found.values())


@pytest.mark.spec("ENC-DOCS-15")
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(["write", "touch", "delete", "move", "ask"]), st.integers(0, 3)), max_size=14))
def test_after_any_history_exactly_what_is_there_is_found(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("history")
    (folder / "notes").mkdir()
    shelf, there = Shelf(folder), dict[str, str]()
    for turn, (step, at) in enumerate(steps):
        name = f"{at}.md"
        if step == "write":
            there[name] = f"zeppelin v{turn:02}"
            shelf.write(name, there[name])
        elif step == "touch" and name in there:
            os.utime(shelf.path / name, ns=(turn, turn))
        elif step == "delete" and name in there:
            (shelf.path / name).unlink()
            del there[name]
        elif step == "move" and name in there:
            there["m.md"] = there.pop(name)
            os.replace(shelf.path / name, shelf.path / "m.md")
        elif step == "ask":
            assert {hit.locator.path: hit.content for hit in shelf.ask("zeppelin").hits} == there
    assert {hit.locator.path: hit.content for hit in shelf.ask("zeppelin").hits} == there


KILLED = """
import os, sys
sys.path[:0] = {path!r}
from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.local import corpus_index
from encyclopedia_adapters.local.documents import KIND
corpus_index.BATCH = 5
def told(name, done, total):
    print(done, flush=True)
KIND.index(Corpus("notes", {notes!r}, "documents", {index!r}, {{}}), told)
print("end", flush=True)
"""


@pytest.mark.spec("ENC-DOCS-16")
@pytest.mark.parametrize("after", [0, 3, 5, 7, 12, 24])
def test_who_indexes_may_be_killed_at_any_time(decisions, after):
    code = KILLED.format(path=sys.path, notes=str(decisions.path), index=decisions.corpus.folder)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.strip() == str(after):
            process.send_signal(signal.SIGKILL)
            break
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    done = decisions.index()
    assert done.added + done.unchanged == 27
    assert set(TextIndex(decisions.corpus.folder).documents()) == set(DocumentFormat().listing(str(decisions.path)).files)
    assert decisions.paths("retire github topics for config management")[0].startswith("0017-")


@pytest.mark.spec("ENC-DOCS-16")
def test_two_processes_index_at_once_and_nothing_is_lost_or_doubled(decisions):
    code = KILLED.format(path=sys.path, notes=str(decisions.path), index=decisions.corpus.folder)

    def run(_):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(run, range(2)))
    assert [done.returncode for done in both] == [0, 0], [done.stderr for done in both]
    index = TextIndex(decisions.corpus.folder)
    assert len(index.documents()) == 27
    ids = [passage.id for path in index.documents() for passage in index.passages(path)]
    assert len(ids) == len(set(ids)) == index.count()
    assert decisions.index().unchanged == 27


@pytest.mark.spec("ENC-DOCS-16")
def test_files_change_while_two_index_and_ask(empty):
    for at in range(30):
        empty.write(f"{at}.md", "zeppelin 0")
    over = threading.Event()

    def index(_):
        while not over.is_set():
            KIND.index(empty.corpus, quiet)

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(index, number) for number in range(2)]
        for turn in range(1, 8):
            for at in range(30):
                empty.write(f"{at}.md", f"zeppelin {turn}")
            for hit in empty.ask("zeppelin", limit=30).hits:
                assert hit.content == f"zeppelin {turn}"
        over.set()
        for each in running:
            each.result()
    reply = empty.ask("zeppelin", limit=40)
    assert len(reply.hits) == 30


@pytest.mark.spec("ENC-DOCS-16")
@pytest.mark.parametrize("suffix", [".store", ".idx", ".term", "meta.json"])
@pytest.mark.parametrize("part", [0, 2])
def test_a_torn_index_loses_no_file(decisions, suffix, part):
    decisions.index()
    for path in list((decisions.path.parent / "index" / "segments").iterdir()):
        if path.name.endswith(suffix):
            put(path, path.read_bytes()[: len(path.read_bytes()) * part // 3])
    assert decisions.paths("retire github topics for config management")[0].startswith("0017-")
    assert len(TextIndex(decisions.corpus.folder).documents()) == 27


@pytest.mark.spec("ENC-DOCS-17")
def test_a_scope_comes_before_the_ranking(empty):
    for at in range(400):
        empty.write(f"{at:03}.md", "zeppelin " * 30)
    for at in (5, 377):
        empty.write(f"{at:03}.md", f"---\ntags: [rare]\n---\n{'about other things ' * 60} zeppelin once\n")
    empty.index()
    for limit in (2, 5, 50):
        assert empty.paths("zeppelin", tags=("rare",), limit=limit) == ["005.md", "377.md"]
    assert empty.ask("zeppelin", tags=("none",)).hits == ()

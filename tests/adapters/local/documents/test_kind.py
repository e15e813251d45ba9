from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from encyclopedia.model.corpus import Corpus, CorpusReport
from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.plan import Request
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Context, Package
from encyclopedia_adapters.local import corpus_fresh, corpus_index, corpus_source, walk
from encyclopedia_adapters.local.corpus_index import CorpusIndex
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.local.documents.format import DocumentFormat
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.local.documents.shelf import NOTES, NoResources, Shelf, quiet
from tests.damage import put
from tests.unprivileged import unprivileged


@pytest.fixture
def shelf(tmp_path):
    shutil.copytree(NOTES, tmp_path / "notes")
    return Shelf(tmp_path)


@pytest.fixture
def empty(tmp_path):
    (tmp_path / "notes").mkdir()
    return Shelf(tmp_path)


# ------------------------------------------------------------------ the card


def test_the_card_says_what_the_corpus_is(shelf):
    card = shelf.card
    assert (card.name, dict(card.serves), card.form) == ("notes", {QueryType.LIBRARY_DOCS: 0.4}, Form.KEYWORD)
    assert (card.corpus, card.tags, card.alternatives, card.repository) == (True, True, True, False)
    assert Package("tantivy") in card.requires
    assert not os.path.exists(shelf.corpus.folder)


def test_the_card_indexes_and_tells_how_it_stands(shelf):
    context = Context("notes", "", "", 5.0, NoResources(), lambda name: "")
    assert shelf.card.state(context) == "not indexed yet"
    assert not os.path.exists(shelf.corpus.folder)
    assert shelf.card.index(context, quiet).added == 5
    assert shelf.card.state(context) == "5 documents, 10 passages"
    shutil.rmtree(shelf.path)
    assert shelf.card.state(context) == f"{shelf.path} is not there"


# ------------------------------------------------------------------ indexing


@pytest.mark.spec("ENC-DOCS-6")
def test_indexing_tells_what_it_did(shelf):
    told = []
    first = KIND.index(shelf.corpus, lambda *step: told.append(step))
    assert (first.added, first.changed, first.moved, first.removed, first.unchanged) == (5, 0, 0, 0, 0)
    assert first.passages == 10
    assert [name for name, _, _ in told] == ["areas/cooking.md", "deploy.md", "latin1.md", "plain.txt", "windows.markdown"]
    assert [(done, total) for _, done, total in told] == [(at, 5) for at in range(5)]
    again = shelf.index()
    assert (again.added, again.unchanged, again.passages) == (0, 5, 10)


@pytest.mark.spec("ENC-DOCS-6")
def test_only_what_changed_is_read_again(shelf):
    shelf.settle()
    shelf.index()
    shelf.write("new.md", "# New\nbrand new")
    shelf.write("plain.txt", "quite different")
    os.rename(shelf.path / "deploy.md", shelf.path / "areas" / "shipping.md")
    (shelf.path / "latin1.md").unlink()
    os.utime(shelf.path / "windows.markdown", ns=(1, 1))
    told = []
    done = KIND.index(shelf.corpus, lambda *step: told.append(step[0]))
    assert (done.added, done.changed, done.moved, done.removed, done.unchanged) == (1, 1, 1, 1, 2)
    assert told == ["areas/shipping.md", "new.md", "plain.txt", "windows.markdown"]
    assert shelf.paths("alembic migration") == ["areas/shipping.md"]
    assert shelf.paths("hosting contract") == []
    assert shelf.paths("quite different")[0] == "plain.txt"
    assert shelf.index().unchanged == 5


def test_a_rebuild_begins_with_nothing(shelf):
    shelf.index()
    done = shelf.index(rebuild=True)
    assert (done.added, done.unchanged, done.passages) == (5, 0, 10)


def test_a_file_that_is_no_text_is_told_once_and_not_read_again(empty):
    empty.write("good.md", "good")
    empty.write("bad.md", b"\x00\x01binary")
    empty.settle()
    done = empty.index()
    assert (done.added, done.skipped) == (2, (("bad.md", "not text"),))
    told = []
    again = KIND.index(empty.corpus, lambda *step: told.append(step))
    assert (told, again.skipped) == ([], (("bad.md", "not text"),))
    empty.write("bad.md", "text at last")
    assert empty.index().skipped == ()
    assert empty.paths("last") == ["bad.md"]


def test_a_file_that_may_not_be_read_is_told(tmp_path, shelf):
    shelf.index()  # loads what is loaded on first use
    (tmp_path / "closed").mkdir(mode=0o777)
    closed = Shelf(tmp_path / "closed")
    closed.write("good.md", "good")
    closed.write("locked.md", "locked").chmod(0)
    with unprivileged(tmp_path / "closed"):
        done = closed.index()
    assert (done.added, done.skipped) == (1, (("locked.md", "cannot be read: Permission denied"),))
    assert closed.paths("good") == ["good.md"]


def test_a_file_that_goes_while_we_read_is_told(empty):
    empty.write("a.md", "alpha")
    gone = empty.write("b.md", "beta")
    done = KIND.index(empty.corpus, lambda name, *_: gone.unlink(missing_ok=True) if name == "b.md" else None)
    assert done.skipped == (("b.md", "cannot be read: No such file or directory"),)
    assert empty.index().removed == 1


def test_many_files_are_committed_in_batches(empty):
    for at in range(corpus_index.BATCH + 7):
        empty.write(f"{at}.md", f"number{at} text")
    counts = []

    def watch(name, done, total):
        counts.append((done, total, TextIndex(empty.corpus.folder).count() if done in (0, corpus_index.BATCH) else None))

    done = KIND.index(empty.corpus, watch)
    assert done.added == done.passages == corpus_index.BATCH + 7
    assert counts[0] == (0, corpus_index.BATCH + 7, 0)
    assert counts[corpus_index.BATCH] == (corpus_index.BATCH, corpus_index.BATCH + 7, corpus_index.BATCH)


def test_an_interrupted_run_keeps_what_it_committed_and_goes_on(empty):
    for at in range(corpus_index.BATCH + 7):
        empty.write(f"{at}.md", f"number{at} text")

    def interrupt(name, done, total):
        if done == corpus_index.BATCH + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KIND.index(empty.corpus, interrupt)
    done = empty.index()
    assert (done.added, done.unchanged) == (7, corpus_index.BATCH)


def test_a_run_can_be_told_to_stop(empty):
    for at in range(9):
        empty.write(f"{at}.md", f"number{at} text")
    seen = []
    index = CorpusIndex(empty.corpus, DocumentFormat())
    done = index.bring(walk.walk(str(empty.path)), lambda *step: seen.append(step), stop=lambda: len(seen) >= 4)
    assert (done.added, done.unchanged) == (4, 0)
    assert len(index.changes(walk.walk(str(empty.path)))) == 5


@pytest.mark.spec("ENC-DOCS-7")
def test_indexing_what_is_not_there_is_an_error_with_a_remedy(shelf):
    shelf.index()
    shutil.rmtree(shelf.path)
    with pytest.raises(ConfigurationError, match="is not there") as caught:
        shelf.index()
    assert "corpus remove notes" in caught.value.hint
    assert CorpusIndex(shelf.corpus, DocumentFormat()).text.count() == 10


def test_an_index_that_cannot_be_written_is_an_error(shelf, tmp_path):
    (tmp_path / "index").write_text("a file where a folder should be")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        shelf.index()


def test_states_survive_what_is_not_one():
    for text in ("", "{}", "[1]", "null", '["x", 1, 2, "", 0, [], "", ""]', "[1, 2, 3, 4, 5, 6, 7, 8]", "[1, 2, 3]"):
        assert corpus_index.decode(text).reader == 0
    state = corpus_index.State(1, 2, 3, 0, "d", 4, ("a",), "p")
    assert corpus_index.decode(json.dumps(state)) == state


# ------------------------------------------------------------------ finding


@pytest.mark.spec("ENC-DOCS-8")
def test_remarks_for_other_readers_are_not_shown_unless_they_are_code(empty):
    empty.write("a.md", "# Fluentbit\n\n<!-- vale off\n-->\nIt ships the logs.\n")
    empty.write("b.md", "# Remarks\n\n```html\n<!-- a remark -->\n```\n")
    assert empty.ask("fluentbit logs").hits[0].content == "It ships the logs."
    assert "<!-- a remark -->" in empty.ask("remarks").hits[0].content


@pytest.mark.spec("ENC-DOCS-8")
def test_a_hit_says_where_it_stands(shelf):
    shelf.index()
    reply = shelf.ask("migration locks orders")
    hit = reply.hits[0]
    assert hit.title == "Deploying the shop > Preparation > Database"
    assert (hit.url, hit.version, hit.page, hit.id) == ("", "", "notes:deploy.md", "notes:deploy.md#2")
    assert (hit.locator.corpus, hit.locator.path, hit.locator.section) == ("notes", "deploy.md", "Preparation > Database")
    first, last = hit.locator.lines
    assert hit.content == "\n".join((shelf.path / "deploy.md").read_text().split("\n")[first - 1 : last])
    assert (reply.reduced, reply.note) == ("", "")


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("pg_dump custom format", "deploy.md"),
        ("rollout guide", "deploy.md"),
        ("shipping", "deploy.md"),
        ("circuit breaker gateway", "deploy.md"),
        ("flour and water", "areas/cooking.md"),
        ("日本語 検索", "areas/cooking.md"),
        ("hosting contract ends", "plain.txt"),
        ("windows wrote", "windows.markdown"),
        ("naïve", "latin1.md"),
        ("plain", "plain.txt"),
    ],
)
def test_questions_find_their_note(shelf, question, path):
    if path == "latin1.md":
        shelf.write("latin1.md", "# Latin\n\nnaïve café")
    assert shelf.paths(question)[0] == path


def test_a_document_is_named_once_by_its_best_passage(empty):
    empty.write("a.md", "# A\n" + "\n".join(f"## Part {at}\nneedle {'hay ' * at}\n" for at in range(20)))
    empty.write("b.md", "# B\n## Other\n" + "needle " + "hay " * 200)
    reply = empty.ask("needle", limit=2)
    assert [hit.locator.path for hit in reply.hits] == ["a.md", "b.md"]
    assert reply.hits[0].locator.section == "A > Part 0"


def test_in_a_single_file_every_passage_is_a_page(tmp_path):
    book = tmp_path / "book.md"
    book.write_text("# Book\n## One\nneedle one\n## Two\nneedle two\n")
    shelf = Shelf(tmp_path, path=book)
    reply = shelf.ask("needle")
    assert {hit.locator.section for hit in reply.hits} == {"Book > One", "Book > Two"}
    assert len({hit.page for hit in reply.hits}) == 2
    assert {hit.locator.path for hit in reply.hits} == {"book.md"}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_hits_than_asked(shelf, limit):
    shelf.index()
    assert len(shelf.ask("the a of and to is text", limit=limit).hits) <= limit


@pytest.mark.spec("ENC-DOCS-9")
def test_other_words_give_a_second_list_without_the_first(empty):
    empty.write("a.md", "kubernetes cluster")
    empty.write("b.md", "k8s cluster setup")
    reply = empty.ask("kubernetes", expanded="kubernetes k8s", stands_for=(("kubernetes", ("k8s",)),))
    assert [hit.locator.path for hit in reply.hits] == ["a.md"]
    assert [hit.locator.path for hit in reply.alternatives] == ["b.md"]
    assert empty.ask("kubernetes").alternatives == ()


@pytest.mark.spec("ENC-DOCS-10")
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ((), {"deploy.md", "areas/cooking.md", "plain.txt"}),
        (("release",), {"deploy.md"}),
        (("#Release",), {"deploy.md"}),
        (("area",), {"deploy.md"}),
        (("area/infra",), {"deploy.md"}),
        (("food", "release"), {"deploy.md", "areas/cooking.md"}),
        (("unknown",), set()),
        (("personal",), {"deploy.md", "areas/cooking.md", "plain.txt"}),
        (("personal", "unknown"), {"deploy.md", "areas/cooking.md", "plain.txt"}),
    ],
)
def test_tags_narrow_the_search(tmp_path, tags, expected):
    shutil.copytree(NOTES, tmp_path / "notes")
    shelf = Shelf(tmp_path, tags=("Personal",))
    for path in ("deploy.md", "areas/cooking.md", "plain.txt"):
        shelf.write(path, (shelf.path / path).read_text() + "\n\nstaging flour hosting\n")
    for at in range(15):
        shelf.write(f"crowd{at}.md", "staging flour hosting " * 3)
    assert {path for path in shelf.paths("staging flour hosting", tags=tags, limit=50) if "crowd" not in path} == expected


def test_what_attacks_a_terminal_is_cleaned(empty):
    empty.write("a.md", "# Bad \x1b[31mtitle\n\nneedle \x1b]0;owned\x07 end\u202e")
    (hit,) = empty.ask("needle").hits
    assert "\x1b" not in hit.title + hit.content + hit.locator.section
    assert "\u202e" not in hit.content


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "?!", "x" * 100_000, '"', "a AND b OR (c", "title:x +y -z"])
def test_odd_questions_are_answered(shelf, text):
    assert shelf.ask(text).reduced == ""


# ------------------------------------------------------------------ never stale in silence


@pytest.mark.spec("ENC-DOCS-11")
def test_a_small_corpus_is_indexed_when_it_is_asked(shelf):
    reply = shelf.ask("circuit breaker")
    assert [hit.locator.path for hit in reply.hits] == ["deploy.md"]
    assert (reply.reduced, reply.note) == ("", "")


@pytest.mark.spec("ENC-DOCS-11")
def test_few_changes_are_read_when_the_corpus_is_asked(shelf):
    shelf.index()
    shelf.write("new.md", "a zeppelin")
    shelf.write("plain.txt", "now about zeppelins only")
    (shelf.path / "deploy.md").unlink()
    reply = shelf.ask("zeppelin")
    assert {hit.locator.path for hit in reply.hits} == {"new.md", "plain.txt"}
    assert shelf.ask("hosting").hits == shelf.ask("circuit breaker").hits == ()
    assert reply.reduced == ""


@pytest.mark.spec("ENC-DOCS-11")
def test_many_changes_are_told_with_the_remedy(shelf):
    shelf.index()
    for at in range(corpus_fresh.FEW):
        shelf.write(f"new{at}.md", "a zeppelin")
    (shelf.path / "deploy.md").unlink()
    assert shelf.ask("zeppelin").hits == shelf.ask("circuit").hits == ()
    reply = shelf.ask("flour")
    assert [hit.locator.path for hit in reply.hits] == ["areas/cooking.md"]
    assert reply.reduced == "21 files changed since the index was made: run `encyclopedia corpus index notes`"
    shelf.index()
    assert shelf.ask("zeppelin").reduced == ""


def test_a_large_corpus_that_is_not_indexed_says_so(empty):
    for at in range(corpus_fresh.SMALL + 1):
        empty.write(f"{at}.md", "a zeppelin")
    reply = empty.ask("zeppelin")
    assert (reply.hits, reply.reduced) == ((), "not indexed yet, 201 files: run `encyclopedia corpus index notes`")
    assert not os.path.exists(empty.corpus.folder)


def test_without_time_nothing_is_read_and_that_is_told(shelf):
    reply = shelf.ask("circuit breaker", timeout=0.0)
    assert (reply.hits, reply.reduced) == ((), "not indexed yet, 5 files: run `encyclopedia corpus index notes`")


def test_a_file_that_went_after_a_walk_that_was_cut_short_is_not_served(shelf):
    shelf.index()
    (shelf.path / "deploy.md").unlink()
    listing = walk.walk(str(shelf.path), walk.Bounds(files=1, seconds=0.0))
    source = corpus_source.CorpusSource(shelf.corpus, DocumentFormat())
    assert not listing.complete
    for text, paths in (("circuit breaker", []), ("flour", ["areas/cooking.md"])):
        request = Request(text, QueryType.LIBRARY_DOCS, 5, 5.0)
        assert list(source._find(request, text, listing)) == paths
    assert source._index.changes(listing).removed == []


@pytest.mark.spec("ENC-DOCS-7")
def test_a_path_that_is_gone_is_refused_with_the_remedy(shelf):
    shelf.index()
    shutil.rmtree(shelf.path)
    with pytest.raises(Refused, match="is not there: bring it back, or `encyclopedia corpus remove notes`"):
        shelf.ask("circuit")


@pytest.mark.spec("ENC-DOCS-12")
def test_an_index_of_another_version_is_made_anew_and_that_is_told(shelf):
    shelf.index()
    manifest = Path(shelf.corpus.folder, "manifest.json")
    manifest.write_text(manifest.read_text().replace('"analyser": ', '"analyser": 9'))
    reply = shelf.ask("circuit breaker")
    assert [hit.locator.path for hit in reply.hits] == ["deploy.md"]
    assert (reply.reduced, reply.note[:38]) == ("", "the index was made by another version ")
    assert shelf.ask("circuit breaker").note == ""


@pytest.mark.spec("ENC-DOCS-12")
@pytest.mark.parametrize("suffix", [".store", ".idx", ".term", "meta.json"])
def test_a_damaged_index_is_made_anew_and_that_is_told(shelf, suffix):
    shelf.index()
    for path in list(Path(shelf.corpus.folder, "segments").iterdir()):
        if path.name.endswith(suffix):
            put(path, path.read_bytes()[:-40])
    reply = shelf.ask("circuit breaker")
    assert [hit.locator.path for hit in reply.hits] == ["deploy.md"]
    assert "damaged" in reply.note
    assert reply.reduced == ""


def test_damage_that_shows_only_in_the_search_is_healed_too(shelf):
    shelf.index()
    for path in list(Path(shelf.corpus.folder, "segments").iterdir()):
        if path.suffix == ".store":
            raw = bytearray(path.read_bytes())
            raw[: len(raw) // 2] = bytes(byte ^ 0x55 for byte in raw[: len(raw) // 2])
            put(path, bytes(raw))
    for word in ("circuit", "flour"):
        reply = shelf.ask(word)
        assert len(reply.hits) == 1
        assert reply.reduced == ""


def test_passages_cut_by_another_reader_are_cut_again(shelf):
    shelf.index()
    with TextIndex(shelf.corpus.folder).update() as writer:
        for path, state in TextIndex(shelf.corpus.folder).documents().items():
            writer.mark(path, json.dumps(corpus_index.decode(state)._replace(reader=0)))
    assert shelf.index().changed == 5


@pytest.mark.spec("ENC-DOCS-13")
def test_while_another_writes_the_last_commit_is_searched_and_that_is_told(shelf):
    shelf.index()
    shelf.write("new.md", "a zeppelin")
    with TextIndex(shelf.corpus.folder).update():
        reply = shelf.ask("circuit breaker zeppelin")
    assert [hit.locator.path for hit in reply.hits] == ["deploy.md"]
    assert reply.reduced.startswith("1 files are not searched as they are now: the index in ")
    assert f"written by process {os.getpid()}" in reply.reduced


def test_two_who_index_at_once_do_the_work_once(shelf):
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: shelf.index(), range(2))
    assert sorted((first.added, second.added)) == [0, 5]
    assert TextIndex(shelf.corpus.folder).count() == 10


def test_an_index_that_cannot_be_written_is_told_and_what_is_there_is_searched(shelf):
    shelf.index()
    shelf.write("new.md", "a zeppelin")
    lock = Path(shelf.corpus.folder, "writer.lock")
    lock.unlink()
    lock.mkdir()
    reply = shelf.ask("circuit breaker")
    assert [hit.locator.path for hit in reply.hits] == ["deploy.md"]
    assert "1 files are not searched as they are now: the index cannot be written" in reply.reduced


def test_a_search_that_was_cancelled_reads_nothing(shelf):
    cancelled = threading.Event()
    cancelled.set()
    reply = shelf.source.answer(Request("circuit", QueryType.LIBRARY_DOCS, 5, 60.0), cancelled)
    assert reply.reduced.startswith("not indexed yet, 5 files")


async def test_a_search_that_is_cancelled_stops_between_two_files(empty):
    for at in range(corpus_fresh.SMALL):
        empty.write(f"{at}.md", "a zeppelin over the town\n" * 5000)
    task = asyncio.create_task(empty.source.search(Request("zeppelin", QueryType.LIBRARY_DOCS, 5, 600.0)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.get_running_loop().shutdown_default_executor()
    assert len(CorpusIndex(empty.corpus, DocumentFormat()).states()) < corpus_fresh.SMALL / 2


async def test_the_loop_goes_on_while_files_are_read(empty):
    for at in range(150):
        empty.write(f"{at}.md", "a zeppelin " * 200)
    task = asyncio.create_task(empty.source.search(Request("zeppelin", QueryType.LIBRARY_DOCS, 5, 60.0)))
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10
    assert (await task).reduced == ""


# ------------------------------------------------------------------ the report


@pytest.mark.spec("ENC-DOCS-14")
def test_the_report_tells_how_the_corpus_stands(shelf):
    shelf.index()
    shelf.write("new.md", "new")
    shelf.write("plain.txt", "changed")
    (shelf.path / "latin1.md").unlink()
    (shelf.path / "out.md").symlink_to("/")
    report = KIND.report(shelf.corpus)
    assert (report.documents, report.passages, report.added, report.changed, report.removed) == (5, 10, 1, 1, 1)
    assert report.bytes == sum((NOTES / name).stat().st_size for name in CorpusIndex(shelf.corpus, DocumentFormat()).states())
    assert report.indexed_at == Path(shelf.corpus.folder, "segments", "meta.json").stat().st_mtime
    assert (report.problems, report.skipped) == ((), (("out.md", "a link out of the corpus"),))
    assert report.tags == tuple((tag, 1) for tag in ("area", "area/infra", "food", "food/bread", "operations", "release"))


def test_a_report_writes_nothing(shelf):
    assert KIND.report(shelf.corpus) == CorpusReport(added=5)
    assert not os.path.exists(shelf.corpus.folder)


def test_the_report_names_what_is_wrong(shelf):
    shelf.write("bad.md", b"\0")
    shelf.index()
    shutil.rmtree(shelf.path)
    report = KIND.report(shelf.corpus)
    assert (report.documents, report.passages) == (5, 10)
    assert report.problems == (f"{shelf.path} of the corpus notes is not there", "bad.md: not text")
    Path(shelf.corpus.folder, "manifest.json").unlink()
    assert KIND.report(shelf.corpus).problems[1] == "the index has no readable manifest; it will be made anew"


def test_words_of_a_corpus_are_known(shelf):
    assert not KIND.knows(shelf.corpus, "alembic")
    shelf.index()
    assert KIND.knows(shelf.corpus, "Alembic")
    assert not KIND.knows(shelf.corpus, "alembick")


@pytest.mark.spec("ENC-INDEX-9")
def test_a_card_costs_nothing_heavy():
    code = (
        "import encyclopedia_adapters.local.documents as d; from encyclopedia.model.corpus import Corpus;"
        "d.KIND.card(Corpus('n', '/', 'documents', '/nowhere', {}));"
        "print([m for m in ('tantivy', 'Stemmer', 'asyncio', 'pathlib', 'urllib.parse', 'hashlib',"
        " 'encyclopedia_adapters.shared.text_index') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.spec("ENC-DOCS-14")
def test_a_report_counts_the_vectors_that_are_there(tmp_path):
    from tests.adapters.shared.text_index.meanings import Meanings

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.md").write_text("# One\n\nThe first of two notes.\n")
    (tmp_path / "notes" / "two.md").write_text("# Two\n\nThe second of two notes.\n")
    made = Corpus("notes", str(tmp_path / "notes"), "documents", str(tmp_path / "kept"), {})
    KIND.index(made, lambda *_: None)
    assert KIND.report(made).counts == ()
    KIND.index(made, lambda *_: None, embedder=Meanings())
    assert KIND.report(made).counts == (("vectors", KIND.report(made).passages),)

"""A graph follows its files: unit by unit, whole or not at all, one writer at a time, private."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.graph import KIND, texts
from encyclopedia_adapters.local.graph.store import FILE, Store
from tests.graph_books import AGENTIC, PATTERNS, PRIMER, bundle, copied, corpus, dump, indexed

ROOT = Path(__file__).parents[4]
INDEXER = """
import sys
sys.path[:0] = [{root!r}, {adapters!r}]
from pathlib import Path
from encyclopedia_adapters.local.graph import KIND
from tests.graph_books import corpus
def tell(name, done, total):
    print(name, flush=True)
KIND.index(corpus(Path(sys.argv[1]), Path(sys.argv[2])), tell, rebuild="rebuild" in sys.argv)
print("done", flush=True)
"""


def indexer(folder: Path, books: Path, *more: str) -> subprocess.Popen[str]:
    program = INDEXER.format(root=str(ROOT), adapters=str(ROOT / "adapters"))
    command = [sys.executable, "-c", program, str(folder), str(books), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.spec("ENC-BOOKS-15")
def test_unchanged_books_are_not_read_changed_ones_replaced_and_gone_ones_forgotten(tmp_path: Path) -> None:
    shelf = copied(tmp_path, AGENTIC)
    (shelf / "primer.md").write_text(PRIMER)
    made = corpus(tmp_path, shelf)
    told: list[str] = []
    assert KIND.index(made, lambda name, *_: told.append(name)).added == 2
    assert {"concept-graph-agentic", "primer.md"} <= set(told)
    os.utime(shelf / "primer.md", (1, 1))
    assert KIND.report(made).changed == 1
    done = KIND.index(made, lambda *_: None)
    assert (done.added, done.changed, done.removed, done.unchanged) == (0, 0, 0, 2)
    at_rest = corpus(tmp_path / "rest", AGENTIC)
    indexed(at_rest)
    told.clear()
    KIND.index(at_rest, lambda name, *_: told.append(name))
    assert told == []
    (shelf / "primer.md").write_text(PRIMER.replace("Fail Fast", "Give Up"))
    done = KIND.index(made, lambda *_: None)
    assert (done.changed, done.unchanged) == (1, 1)
    graph = KIND.graph(made)
    assert [row["id"] for row in graph.match_concepts("fail fast")["matched_concepts"] if "fail" in row["id"]] == []
    assert graph.match_concepts("give up")["matched_concepts"][0]["id"] == "primer__give_up"
    (shelf / "primer.md").unlink()
    assert KIND.report(made).removed == 1
    assert "have changed" in graph.list_books()["notes"][0]
    assert KIND.index(made, lambda *_: None).removed == 1
    assert [book["id"] for book in graph.list_books()["books"]] == ["concept_graph_agentic"]


@pytest.mark.spec("ENC-BOOKS-15")
def test_an_edit_of_the_same_size_in_the_same_second_is_noticed(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    made = corpus(tmp_path, shelf)
    for word in ("Alphabet", "Betaword", "Gammaray"):
        (shelf / "b.md").write_text(f"# Book\n\n## {word}\n\nText.")
        graph = indexed(made)
        assert [row["name"] for row in graph.match_concepts(word)["matched_concepts"]] == [word]


@pytest.mark.spec("ENC-BOOKS-15")
def test_a_changed_book_of_a_bundle_keeps_what_others_say_of_it_and_built_projects_follow(tmp_path: Path) -> None:
    concepts = [
        {"id": f"{book}{n}", "book_id": book, "name": name} for book in "ab" for n, name in enumerate(("Shared Idea", book * 4))
    ]
    said = [{"from": "a0", "to": "b1", "type": "uses", "confidence": 0.9}]
    folder = bundle(tmp_path / "x", concepts=concepts, relationships=said)
    graph = indexed(made := corpus(tmp_path, folder))
    graph.start_project("p")
    graph.build_project_kg("p")
    assert len(graph.merges("p")["merged"]) == 1
    bundle(folder, concepts=[*concepts, {"id": "b2", "book_id": "b", "name": "aaaa"}])
    done = KIND.index(made, lambda *_: None)
    assert (done.changed, done.unchanged) == (1, 1)
    assert graph.get_subgraph(["a0"])["edge_count"] == 1
    assert {row["name"] for row in graph.merges("p")["merged"]} == {"Shared Idea", "aaaa"}
    assert graph.build_project_kg("p")["skipped"]


@pytest.mark.spec("ENC-BOOKS-15")
def test_an_id_that_another_book_has_is_named_and_left_out(tmp_path: Path) -> None:
    for name in ("one", "two"):
        bundle(tmp_path / "shelf" / name, concepts=[{"id": "same", "name": f"The {name}"}, {"id": name, "name": name}])
    bundle(tmp_path / "shelf" / "three", concepts=[{"id": "x", "name": "X", "book_id": "one"}])
    made = corpus(tmp_path, tmp_path / "shelf")
    done = KIND.index(made, lambda *_: None)
    assert any("others have their ids: same" in reason for _, reason in done.skipped)
    assert any("the book one is left out" in reason for _, reason in done.skipped)
    assert {book["id"]: book["concepts"] for book in KIND.graph(made).list_books()["books"]} == {"one": 2, "two": 1}


@pytest.mark.spec("ENC-BOOKS-16")
def test_a_run_that_is_killed_leaves_the_last_whole_state_and_the_next_one_goes_on(tmp_path: Path) -> None:
    shelf = copied(tmp_path)
    (shelf / "primer.md").write_text(PRIMER)
    made = corpus(tmp_path, shelf)
    indexed(made)
    before = dump(made)
    (shelf / "primer.md").write_text(PRIMER.replace("Retry", "Repeat"))
    for lines in (1, 2):  # while books are read, and while their words are written
        with indexer(tmp_path, shelf, "rebuild") as process:
            assert process.stdout is not None
            for _ in range(lines):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait()
        seen = dump(made)
        assert sorted(row[0] for row in seen["book"]) == sorted(row[0] for row in before["book"])
        assert len(seen["section"]) == len(before["section"])
    graph = indexed(made)
    assert graph.match_concepts("repeat")["matched_concepts"][0]["id"] == "primer__repeat"
    fresh = indexed(corpus(tmp_path / "fresh", shelf))
    assert {k: v for k, v in dump(made).items() if k == "concept"} == {
        k: v for k, v in dump(corpus(tmp_path / "fresh", shelf)).items() if k == "concept"
    }
    assert graph.list_books() == fresh.list_books()


@pytest.mark.spec("ENC-BOOKS-16")
def test_texts_that_fell_behind_are_brought_up_by_the_next_run(tmp_path: Path) -> None:
    made = corpus(tmp_path, AGENTIC)
    graph = indexed(made)
    with texts.concepts_of(made.folder).update() as writer:
        writer.clear()
    assert graph.match_concepts("agent")["matched_concepts"] == [] or texts.behind(made.folder, {"concept_graph_agentic": ""})
    KIND.index(made, lambda *_: None)
    assert graph.match_concepts("swarm architecture")["matched_concepts"][0]["id"] == "swarm_architecture"


@pytest.mark.spec("ENC-BOOKS-16")
def test_two_indexers_at_once_make_one_graph_and_readers_see_whole_states(tmp_path: Path) -> None:
    made = corpus(tmp_path, PATTERNS)
    processes = [indexer(tmp_path, PATTERNS) for _ in range(2)]
    for process in processes:
        out, error = process.communicate(timeout=120)
        assert out.endswith("done\n") or "another process" in error
    graph = indexed(made)
    assert sum(book["sections"] for book in graph.list_books()["books"]) == 1217
    counts: list[int] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            counts.append(sum(book["sections"] for book in KIND.graph(made).list_books()["books"]))

    thread = threading.Thread(target=look)
    thread.start()
    KIND.index(made, lambda *_: None, rebuild=True)
    stop.set()
    thread.join()
    assert set(counts) == {1217}


@pytest.mark.spec("ENC-BOOKS-16")
def test_a_writer_that_holds_on_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    made = corpus(tmp_path, AGENTIC)
    graph = indexed(made)
    with Store(made.folder).writer(), pytest.raises(ConfigurationError, match="another process") as busy:
        graph.start_project("p")
    assert busy.value.hint


@pytest.mark.spec("ENC-BOOKS-16")
@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, None])
def test_a_damaged_graph_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    made = corpus(tmp_path, AGENTIC)
    graph = indexed(made)
    path = Path(made.folder) / FILE
    raw = path.read_bytes()
    path.write_bytes(raw[:8192] + b"\xff" * (len(raw) - 8192) if damage is None else damage)
    try:
        graph.list_books()
        graph.get_subgraph(["agent"])
    except ConfigurationError as error:
        assert "corpus index" in error.hint
    done = KIND.index(made, lambda *_: None, rebuild=damage is not None)
    assert damage is not None or any("damaged" in reason for _, reason in done.skipped)
    assert graph.list_books()["books"][0]["concepts"] == 141


@pytest.mark.spec("ENC-BOOKS-16")
def test_only_its_owner_can_read_a_graph(tmp_path: Path) -> None:
    made = corpus(tmp_path, PATTERNS)
    indexed(made).start_project("p")
    for path in Path(made.folder).rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0 or path.is_dir(), (path, oct(mode))


@pytest.mark.spec("ENC-BOOKS-15")
def test_what_is_no_shelf_and_what_is_gone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="neither books of markdown nor"):
        KIND.index(corpus(tmp_path, tmp_path / "empty"), lambda *_: None)
    with pytest.raises(ConfigurationError, match="is not there"):
        KIND.index(corpus(tmp_path, tmp_path / "gone"), lambda *_: None)
    with pytest.raises(ConfigurationError, match="not indexed yet"):
        KIND.graph(corpus(tmp_path, AGENTIC)).list_books()
    assert KIND.report(corpus(tmp_path, AGENTIC)).added == 1

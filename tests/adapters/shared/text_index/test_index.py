from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.private_files import write_private
from encyclopedia_adapters.shared.text_index import IndexBusy, Passage, TextIndex, manifest, questions
from tests.unprivileged import unprivileged


def passage(id, body, **more):
    more = {"title": "", **more}
    return Passage(id=id, document=more.pop("document", id), body=body, **more)


def fill(index, *passages, state="s"):
    with index.update() as writer:
        for each in passages:
            writer.put(each.document, [each], state)
    return index


def ids(matches):
    return [match.id for match in matches]


@pytest.fixture
def index(tmp_path):
    return TextIndex(str(tmp_path / "index"))


PETS = (
    passage("cat", "The cat sleeps on the warm stove.", title="Cats", tags=("animal", "home")),
    passage("dog", "The dog chases the cat around the house.", title="Dogs", tags=("animal",)),
    passage("oak", "An oak grows for three hundred years.", title="Trees", tags=("plant",), data={"lines": [1, 2]}),
)

# ------------------------------------------------------------------ finding


@pytest.mark.spec("ENC-INDEX-2")
def test_all_passages_of_a_document_can_be_asked_for(index):
    assert index.passages("cat") == ()
    with index.update() as writer:
        writer.put("two", [passage("two#1", "second", document="two"), passage("two#0", "first", document="two")], "s")
        writer.put("two#0", [passage("x", "first of another", document="two#0")], "s")
    assert [(match.id, match.body, match.score) for match in index.passages("two")] == [
        ("two#0", "first", 0),
        ("two#1", "second", 0),
    ]
    assert index.passages("tw") == ()


@pytest.mark.spec("ENC-INDEX-2")
def test_what_was_put_is_found_whole(index):
    fill(index, *PETS)
    (match,) = index.search("oaks", limit=5)
    assert (match.id, match.document, match.title) == ("oak", "oak", "Trees")
    assert match.body == "An oak grows for three hundred years."
    assert match.data == {"lines": [1, 2]}
    assert match.score > 0


def test_any_of_the_words_will_do_and_more_are_better(index):
    fill(index, *PETS)
    assert ids(index.search("cat sleeps stove nonsense", limit=5)) == ["cat", "dog"]
    assert index.search("nonsense", limit=5) == ()


def test_a_word_in_the_title_counts_more(index):
    fill(index, passage("b", "timeout and retry in one client"), passage("a", "and retry in one client", title="timeout"))
    assert ids(index.search("timeout", limit=5)) == ["a", "b"]


def test_words_that_are_asked_twice_count_twice(index):
    fill(
        index,
        passage("a", "red blue"),
        passage("b", "red green"),
        passage("c", "blue"),
        passage("d", "green"),
        passage("e", "x"),
    )
    assert ids(index.search("red blue green green", limit=1)) == ["b"]
    assert ids(index.search("red blue blue green", limit=1)) == ["a"]


def test_a_quoted_phrase_counts_more_than_its_words(index):
    fill(
        index,
        passage("a", "time out of mind, client of time out client"),
        passage("b", "a client time is the time of the client out there"),
    )
    assert ids(index.search('"client time"', limit=5))[0] == "b"
    assert len(index.search('"client time"', limit=5)) == 2
    fill(index, passage("c", "set aiohttp.ClientTimeout here"), passage("d", "timeout for a client client"))
    assert ids(index.search('"client timeout"', limit=5))[0] == "c"


@pytest.mark.parametrize("text", ['"', '""', '"a', 'a "b', '"a" "', '"one word" cat', '" " cat', "'\"'"])
def test_unfinished_quotations_are_words(index, text):
    fill(index, *PETS)
    assert isinstance(index.search(text, limit=3), tuple)


def test_words_that_are_not_shown_find_the_passage_too(index):
    fill(
        index,
        passage("a", "nothing of it", also="sobriquet"),
        passage("b", "a sobriquet in a text that is much longer than the other"),
    )
    first, _ = index.search("sobriquet", limit=5)
    assert (first.id, first.title, first.body) == ("a", "", "nothing of it")


def test_equal_scores_come_in_the_order_of_ids(index):
    fill(index, *(passage(id, "same words") for id in "dbca"))
    fill(index, passage("aa", "same words"))
    assert ids(index.search("same", limit=9)) == ["a", "aa", "b", "c", "d"]


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (-1, 0), (1, 1), (2, 2), (1000, 3)])
def test_no_more_than_the_limit(index, limit, count):
    fill(index, *PETS)
    assert len(index.search("cat dog oak", limit=limit)) == count


@pytest.mark.spec("ENC-INDEX-3")
@pytest.mark.parametrize(
    ("tags", "documents", "expected"),
    [
        ((), (), ["cat", "dog", "oak"]),
        (("animal",), (), ["cat", "dog"]),
        (("home", "plant"), (), ["cat", "oak"]),
        (("unknown",), (), []),
        ((), ("dog", "oak"), ["dog", "oak"]),
        (("plant",), ("dog", "oak"), ["oak"]),
        (("Animal",), (), []),
    ],
)
def test_the_scope_comes_before_the_ranking(index, tags, documents, expected):
    fill(index, *PETS, *(passage(f"x{at}", "cat cat dog oak") for at in range(30)))
    found = (
        index.search("cat dog oak", limit=3, tags=tags, documents=documents)
        if tags or documents
        else index.search("cat dog oak", limit=40)
    )
    assert sorted(set(ids(found)) - {f"x{at}" for at in range(30)}) == expected


def test_the_scope_does_not_change_a_score(index):
    fill(index, *PETS)
    plain = {match.id: match.score for match in index.search("cat", limit=5)}
    scoped = {match.id: match.score for match in index.search("cat", limit=5, tags=("animal",), documents=("cat", "dog"))}
    assert plain == pytest.approx(scoped)


@pytest.mark.parametrize("text", ["", " ", "!!! ...", "\0", "\ud800", "?" * 1_000_000])
def test_a_question_without_words_finds_nothing(index, text):
    fill(index, *PETS)
    assert index.search(text, limit=5) == ()


def test_a_huge_question_is_answered(index):
    fill(index, *PETS)
    assert ids(index.search("cat " + " ".join(f"w{at}" for at in range(200_000)), limit=1)) == ["cat"]


# ------------------------------------------------------------------ changing


@pytest.mark.spec("ENC-INDEX-4")
def test_a_document_is_replaced_and_removed_with_all_its_passages(index):
    first, second = passage("n#0", "alpha", document="n"), passage("n#1", "beta", document="n")
    with index.update() as writer:
        writer.put("n", [first, second], "1")
    assert index.count() == 2
    with index.update() as writer:
        writer.put("n", [passage("n#0", "gamma", document="n")], "2")
    assert index.search("alpha beta", limit=5) == ()
    assert ids(index.search("gamma", limit=5)) == ["n#0"]
    assert dict(index.documents()) == {"n": "2"}
    with index.update() as writer:
        writer.remove("n")
        writer.remove("was never there")
    assert (index.count(), dict(index.documents()), index.search("gamma", limit=5)) == (0, {}, ())
    assert not index.knows("gamma")


def test_a_document_put_twice_in_one_update_is_there_once(index):
    with index.update() as writer:
        writer.put("n", [passage("n", "alpha")], "1")
        writer.put("n", [passage("n", "beta")], "2")
    assert (index.count(), dict(index.documents())) == (1, {"n": "2"})


def test_everything_can_be_replaced_at_once(index):
    fill(index, *PETS)
    with index.update() as writer:
        writer.clear()
        writer.put("new", [passage("new", "fresh")], "n")
    assert (index.count(), dict(index.documents())) == (1, {"new": "n"})


def test_a_state_can_change_without_its_passages(index):
    fill(index, *PETS)
    with index.update() as writer:
        writer.mark("oak", "touched")
    assert index.documents()["oak"] == "touched"
    assert index.count() == 3


@pytest.mark.spec("ENC-INDEX-4")
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_update_that_fails_changes_nothing(index, error):
    fill(index, *PETS)
    with pytest.raises(error), index.update() as writer:  # noqa: PT012 - what is in the block is what must be undone
        writer.put("new", [passage("new", "fresh")], "n")
        writer.remove("cat")
        raise error
    assert (index.count(), set(index.documents())) == (3, {"cat", "dog", "oak"})
    assert index.search("fresh", limit=5) == ()
    fill(index, passage("later", "possible"))
    assert index.search("fresh", limit=5) == ()
    assert ids(index.search("possible", limit=5)) == ["later"]


def test_an_update_without_changes_leaves_the_commit_alone(index):
    fill(index, *PETS)
    before = manifest.stamp(index.folder)
    with index.update():
        pass
    assert manifest.stamp(index.folder) == before


def test_the_time_of_the_commit_is_told(index):
    assert index.changed_at() == 0.0
    fill(index, *PETS)
    assert index.changed_at() == Path(index.folder, "segments", "meta.json").stat().st_mtime


NAMES = st.text(min_size=1, max_size=20)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=st.dictionaries(NAMES, st.text(max_size=200), min_size=1, max_size=4), removed=st.sets(NAMES, max_size=2))
def test_any_text_goes_in_and_comes_back(tmp_path_factory, documents, removed):
    index = TextIndex(str(tmp_path_factory.mktemp("any") / "index"))
    with index.update() as writer:
        for name, body in documents.items():
            writer.put(name, [Passage(name, name, body[::-1], f"common {body}", (name,), {"t": body}, also=body)], body)
    with index.update() as writer:
        for name in removed:
            writer.remove(name)
    expected = {name: body for name, body in documents.items() if name not in removed}
    found = {match.document: match for match in index.search("common", limit=9)}
    assert {name: (m.title, m.body, m.data["t"]) for name, m in found.items()} == {
        name: (body[::-1], f"common {body}", body) for name, body in expected.items()
    }
    assert dict(index.documents()) == expected
    for name in expected:
        assert [m.document for m in index.search("common", limit=9, documents=(name,))] == [name]
        assert [m.document for m in index.search("common", limit=9, tags=(name,))] == [name]


@pytest.mark.parametrize("text", ["\ud800 lone", "nul \0 inside", "word " * 200_000, "x" * 1_000_000, "\x1b[31mred", "𠀀𠀁"])
def test_difficult_text_is_kept(index, text):
    fill(index, passage("p", f"{text} needle", title=text, document=text, tags=(text,)))
    (match,) = index.search("needle", limit=2, tags=(text,), documents=(text,))
    assert (match.body, match.title, match.document) == (f"{text} needle", text, text)


# ------------------------------------------------------------------ knowing words


@pytest.mark.spec("ENC-INDEX-5")
@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("sleeps", True),
        ("SLEEPS", True),
        ("sleep", True),
        ("slept", False),
        ("slep", False),
        ("Cats", True),
        ("clienttimeout", True),
        ("ClientTimeout", True),
        ("timeout", True),
        ("timeouts", True),
        ("aiohttp.ClientTimeout", True),
        ("café", True),
        ("cafe", True),
        ("3.11", True),
        ("c++", True),
        ("検索", True),
        ("unheard", False),
        ("", False),
        (" ", False),
        ("\ud800", False),
        ("\0", False),
        ("x" * 100_000, False),
    ],
)
def test_known_words(index, word, known):
    fill(index, *PETS, passage("z", "aiohttp.ClientTimeout in a café, 3.11.2, C++, 日本語の検索"))
    assert index.knows(word) is known


@pytest.mark.spec("ENC-INDEX-5")
def test_how_often_and_where_a_word_must_stand_can_be_told(index):
    fill(index, passage("a", "flywheel"), passage("b", "flywheel gearbox"))
    assert (index.knows("flywheel", least=2), index.knows("gearbox", least=2)) == (True, False)
    assert (index.knows("gearbox", beside=("b",)), index.knows("flywheel", beside=("b",))) == (False, True)


# ------------------------------------------------------------------ on disk


@pytest.mark.spec("ENC-INDEX-6")
def test_reading_a_missing_index_creates_nothing(tmp_path):
    index = TextIndex(str(tmp_path / "a" / "b"))
    assert (index.search("x", limit=3), index.count(), index.knows("x")) == ((), 0, False)
    assert (dict(index.documents()), index.problem, index.changed_at()) == ({}, "", 0.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("ENC-INDEX-6")
def test_nobody_else_may_read_it(tmp_path):
    old = os.umask(0)
    try:
        index = fill(TextIndex(str(tmp_path / "a" / "index")), *PETS)
    finally:
        os.umask(old)
    for folder, _, files in os.walk(index.folder):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in files} == {0o600}


def test_a_second_instance_sees_it_at_once_and_every_commit_after(index):
    reader = TextIndex(index.folder)
    assert reader.count() == 0
    fill(index, *PETS)
    assert reader.count() == 3
    fill(index, passage("late", "late news"))
    assert ids(reader.search("news", limit=3)) == ["late"]


def test_a_reader_sees_whole_commits_only_while_another_writes(index):
    fill(index, *(passage(f"d{at}", "v0 text") for at in range(20)))
    done = threading.Event()

    def write():
        for version in range(1, 9):
            fill(index, *(passage(f"d{at}", f"v{version} text") for at in range(20)))
        done.set()

    def read():
        reader, seen = TextIndex(index.folder), []
        while not done.is_set() or not seen:
            seen.append(frozenset(match.body for match in reader.search("text", limit=50)))
            assert reader.problem == ""
        return seen

    with ThreadPoolExecutor(2) as pool:
        seen, _ = pool.submit(read), pool.submit(write)
        views = seen.result()
    assert all(len(view) == 1 for view in views)


@pytest.mark.spec("ENC-INDEX-7")
def test_a_second_writer_is_told_who_holds_the_index(index):
    fill(index, *PETS)
    with index.update() as writer:
        with pytest.raises(IndexBusy, match=f"written by process {os.getpid()}"), TextIndex(index.folder).update(wait=0.05):
            pass
        writer.put("new", [passage("new", "fresh")])
    assert ids(index.search("fresh", limit=3)) == ["new"]


def test_a_second_writer_waits_for_the_first(index):
    inside, release = threading.Event(), threading.Event()

    def hold():
        with index.update() as writer:
            inside.set()
            release.wait(10)
            writer.put("one", [passage("one", "first")])

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hold)
        assert inside.wait(10)
        second = pool.submit(fill, TextIndex(index.folder), passage("two", "second"))
        release.set()
        first.result()
        second.result()
    assert index.count() == 2


KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
from encyclopedia_adapters.shared.text_index import Passage, TextIndex
with TextIndex({folder!r}).update() as writer:
    writer.clear()
    for at in range({many}):
        writer.put(f"k{{at}}", [Passage(f"k{{at}}", f"k{{at}}", "", "killed " * 50)])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.spec("ENC-INDEX-7")
@pytest.mark.parametrize("many", [1, 3000])
def test_a_writer_that_is_killed_leaves_the_last_commit(index, many):
    fill(index, *PETS)
    code = KILLED.format(path=sys.path, folder=index.folder, many=many)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    again = TextIndex(index.folder)
    assert (again.count(), again.problem, again.search("killed", limit=3)) == (3, "", ())
    fill(again, passage("after", "life goes on"))
    assert (again.count(), again.search("killed", limit=3)) == (4, ())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": 0}, "schema 0 instead of"),
        ({"analyser": 999}, "analyser 999 instead of"),
        ({"engine": "tantivy v9"}, "engine tantivy v9 instead of"),
        ({"stemmer": None}, "stemmer None instead of"),
        ({"more": 1}, "another version"),
    ],
)
@pytest.mark.spec("ENC-INDEX-8")
def test_an_index_of_another_version_is_never_searched(index, change, told):
    fill(index, *PETS)
    manifest = Path(index.folder, "manifest.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))
    assert (index.search("cat", limit=3), index.count(), dict(index.documents()), index.knows("cat")) == ((), 0, {}, False)
    assert told in index.problem
    fill(index, passage("new", "made anew"))
    assert (index.problem, index.count(), ids(TextIndex(index.folder).search("anew", limit=3))) == ("", 1, ["new"])
    assert not os.path.exists(os.path.join(index.folder, "segments.damaged"))


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '"x"', "\0" * 100])
def test_a_manifest_that_cannot_be_read_is_another_version(index, content):
    fill(index, *PETS)
    Path(index.folder, "manifest.json").write_text(content)
    assert (index.search("cat", limit=3), index.problem) == ((), "the index has no readable manifest")
    assert fill(index, *PETS).count() == 3


def damaged_copies(folder, target):
    for name in sorted(os.listdir(os.path.join(folder, "segments"))):
        for damage in ("empty", "half", "noise", "gone"):
            copy = os.path.join(target, f"{name}-{damage}")
            shutil.copytree(folder, copy)
            path = Path(copy, "segments", name)
            raw = path.read_bytes()
            path.unlink()
            if damage != "gone":
                path.write_bytes(
                    {"empty": b"", "half": raw[: len(raw) // 2], "noise": raw.translate(bytes(range(255, -1, -1)))}[damage]
                )
            yield f"{name} {damage}", copy


@pytest.mark.spec("ENC-INDEX-8")
def test_a_damaged_index_is_reported_put_aside_and_made_anew(index, tmp_path):
    fill(index, *PETS)
    fill(index, passage("cat", "The cat has moved."))
    complete = {"cat", "dog", "oak"}
    broken = 0
    for what, folder in damaged_copies(index.folder, str(tmp_path / "copies")):
        copy = TextIndex(folder)
        found = copy.search("cat dog oak", limit=9)
        problem = copy.problem
        assert (set(ids(found)) == complete) is not bool(problem), what
        assert found == () or not problem, what
        fill(copy, passage("new", "made anew"))
        again = TextIndex(folder)
        assert (again.problem, ids(again.search("anew", limit=3))) == ("", ["new"]), what
        assert set(again.documents()) == ({"new"} if problem else complete | {"new"}), what
        assert os.path.exists(os.path.join(folder, "segments.damaged")) is bool(problem), what
        broken += bool(problem)
    assert broken > 20


def test_an_index_that_was_removed_under_a_reader_is_empty(index):
    fill(index, *PETS)
    assert index.count() == 3
    shutil.rmtree(index.folder)
    assert (index.search("cat", limit=3), index.count(), index.problem) == ((), 0, "")


def test_a_folder_that_cannot_be_made_is_an_error_of_the_disk(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"), TextIndex(str(tmp_path / "file" / "index")).update():
        pass


def test_threads_share_one_index_from_the_first_use_on(index):
    fill(index, *PETS)
    for _ in range(20):
        fresh, start = TextIndex(index.folder), threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda _: start.wait() >= 0 and fresh.count(), range(4))) == [3] * 4  # noqa: B023 - ends within the turn
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda word: ids(index.search(word, limit=3)), ["oak", "stove", "house"] * 30))
    assert results == [["oak"], ["cat"], ["dog"]] * 30


# ------------------------------------------------------------------ parts


def test_a_private_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("old")
    write_private(str(path), "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode), list(tmp_path.iterdir())) == ("new", 0o600, [path])


@pytest.mark.parametrize("head", [{}, {"a": "\ud800\0é\n"}, {"n": [1, None, {"x": "y"}]}])
@pytest.mark.parametrize("body", ["", "\n", "two\nlines\n", "\ud800\0é"])
def test_what_is_stored_comes_back(head, body):

    assert questions.decode(questions.encode(head, body)) == (head, body)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff", b"{}\n\xff"])
def test_what_was_not_stored_by_us_is_an_error(raw):

    with pytest.raises((ValueError, TypeError)):
        questions.decode(raw)


def test_names_stay_different_as_terms():
    names = ["a", "A", "a ", "\ud800", "\\ud800x", "x" * 40_000, "x" * 40_001, "é", "e\u0301"]
    assert len({questions.exact(name) for name in names}) == len(names)
    assert max(len(questions.exact(name)) for name in names) <= 30_000


@pytest.mark.spec("ENC-INDEX-15")
def test_a_folder_that_cannot_be_written_is_searched(index, tmp_path):
    fill(index, *PETS)
    folders = [path for path in (Path(index.folder), *Path(index.folder).rglob("*")) if path.is_dir()]
    for path in Path(index.folder).rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o444)
    for folder in folders:
        folder.chmod(0o555)
    try:
        with unprivileged(tmp_path):
            found = TextIndex(index.folder)
            assert (ids(found.search("cat", limit=3)), found.problem) == (["cat", "dog"], "")
            assert set(found.documents()) == {"cat", "dog", "oak"}
            with pytest.raises(PermissionError), found.update():
                pass
    finally:
        for folder in folders:
            folder.chmod(0o755)

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.text_index import IndexBusy, Passage, TextIndex, filling, vector_files, vectors
from tests.adapters.shared.text_index.meanings import Meanings, no_progress

TEXTS = {
    "garage": "The automobile stands in the dwelling.",
    "clinic": "A physician helps at once.",
    "harbour": "The ocean is wide.",
    "wood": "An oak grows.",
}


def put(index, texts, **more):
    with index.update() as writer:
        for name, text in texts.items():
            writer.put(name, [Passage(name, name, "", text, **more)], "s")
    return index


def ids(matches):
    return [match.id for match in matches]


def files(index):
    return {path.name.split("-")[0]: path for path in Path(index.folder, "vectors").iterdir()}


@pytest.fixture
def embedder():
    return Meanings()


@pytest.fixture
def index(tmp_path):
    return put(TextIndex(str(tmp_path / "index")), TEXTS)


# ------------------------------------------------------------------ filling


@pytest.mark.spec("ENC-VECTOR-1")
def test_a_passage_is_found_by_its_meaning(index, embedder):
    assert index.search("doctor", limit=1, embedder=embedder) == ()
    assert index.fill(embedder, no_progress) == 4
    (first,) = index.search("doctor", limit=1, embedder=embedder)
    assert (first.id, first.body, first.document) == ("clinic", TEXTS["clinic"], "clinic")
    assert 0 < first.near <= 1
    assert index.search("doctor", limit=1) == ()
    assert index.vectors(embedder) == (4, 4, "")


@pytest.mark.spec("ENC-VECTOR-2")
def test_only_what_has_no_vector_is_encoded(index, embedder):
    index.fill(embedder, no_progress)
    put(index, {"road": "A quick vehicle.", "clinic": TEXTS["clinic"], "copy": TEXTS["wood"]})
    assert index.vectors(embedder) == (4, 5, "")
    embedder.calls.clear()
    assert index.fill(embedder, no_progress) == 1
    assert embedder.calls == [["A quick vehicle."]]
    assert index.fill(embedder, no_progress) == 0
    assert set(ids(index.search("tree", limit=2, embedder=embedder))) == {"wood", "copy"}


@pytest.mark.spec("ENC-VECTOR-2")
def test_vectors_are_appended_to(index, embedder):
    index.fill(embedder, no_progress)
    rows = files(index)["rows"]
    before = rows.read_bytes()
    put(index, {"road": "A quick vehicle."})
    index.fill(embedder, no_progress)
    assert files(index)["rows"] == rows
    assert rows.read_bytes()[: len(before)] == before
    assert len(rows.read_bytes()) == 5 * 4 * embedder.dimension


@pytest.mark.spec("ENC-VECTOR-3")
def test_a_changed_passage_never_keeps_its_old_vector(index, embedder):
    index.fill(embedder, no_progress)
    put(index, {"clinic": "The sea is near."})
    with index.update() as writer:
        writer.remove("wood")
    found = index.search("doctor tree", limit=9, embedder=embedder)
    assert all(match.near is None or match.near < 0.5 for match in found)
    assert "wood" not in ids(found)
    (changed,) = (match for match in index.search("near sea", limit=9, embedder=embedder) if match.id == "clinic")
    assert (changed.body, changed.near) == ("The sea is near.", None)


WORDS = ("car", "doctor", "quick", "house", "sea", "cat", "oak")


@pytest.mark.spec("ENC-VECTOR-3")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from((*WORDS, None, "fill"))), max_size=12))
def test_nearness_is_always_that_of_the_text(tmp_path_factory, steps):
    index, embedder = TextIndex(str(tmp_path_factory.mktemp("index"))), Meanings()
    known = {}
    for name, word in steps:
        if word == "fill":
            index.fill(embedder, no_progress)
        elif word is None:
            with index.update() as writer:
                writer.remove(name)
            known.pop(name, None)
        else:
            put(index, {name: f"{word} {name}"})
            known[name] = f"{word} {name}"
        for match in index.search("doctor", limit=9, embedder=embedder):
            assert match.body == known[match.id]
            if match.near is not None:
                assert match.near == pytest.approx(
                    float(embedder.embed(["doctor"])[0] @ embedder.embed([match.body])[0]), abs=1e-5
                )
    index.fill(embedder, no_progress)
    assert index.vectors(embedder) == (len(set(known.values())), len(set(known.values())), "")


@pytest.mark.spec("ENC-VECTOR-4")
def test_filling_stops_when_told_and_keeps_what_is_done(index, embedder):
    put(index, {f"n{at}": f"cat number {at}" for at in range(100)})
    seen = []

    def progress(what, done, total):
        seen.append((done, total))

    assert index.fill(embedder, progress, stop=lambda: len(seen) == 2) == 2 * filling.BATCH
    assert seen == [(0, 104), (filling.BATCH, 104)]
    assert index.vectors(embedder).done == 2 * filling.BATCH
    assert index.fill(embedder, no_progress) == 104 - 2 * filling.BATCH


@pytest.mark.spec("ENC-VECTOR-4")
def test_an_embedder_that_fails_costs_one_batch(index, embedder):
    put(index, {f"n{at}": f"cat number {at}" for at in range(100)})

    class Failing(Meanings):
        def embed(self, texts):
            if len(self.calls) == 1:
                raise RuntimeError("out of memory")
            return super().embed(texts)

    with pytest.raises(RuntimeError, match="out of memory"):
        index.fill(Failing(), no_progress)
    assert index.vectors(embedder).done == filling.BATCH


@pytest.mark.parametrize("wrong", [np.zeros((4, 3)), np.zeros((1, 24)), np.full((4, 24), np.nan)])
def test_what_is_no_vector_is_refused(index, embedder, wrong):
    class Wrong(Meanings):
        def embed(self, texts):
            return wrong

    with pytest.raises(ValueError, match="embedder"):
        index.fill(Wrong(), no_progress)
    assert index.vectors(embedder).done == 0


def test_nothing_is_made_for_an_index_that_is_not_there(tmp_path, embedder):
    index = TextIndex(str(tmp_path / "none"))
    assert index.fill(embedder, no_progress) == 0
    assert index.vectors(embedder) == (0, 0, "")
    assert index.search("cat", limit=3, embedder=embedder) == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("ENC-VECTOR-5")
def test_without_vectors_nothing_of_them_is_loaded(index):
    code = (
        "import sys; from encyclopedia_adapters.shared.text_index import TextIndex\n"
        "class Embedder:\n"
        "    fingerprint, dimension = 'x', 3\n"
        f"assert TextIndex({index.folder!r}).search('oak', limit=3, embedder=Embedder())\n"
        "print([m for m in ('numpy', 'faiss') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": "adapters:."}
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.spec("ENC-INDEX-6")
def test_vectors_belong_to_their_owner_only(index, embedder):
    old = os.umask(0)
    try:
        index.fill(embedder, no_progress)
    finally:
        os.umask(old)
    folder = Path(index.folder, "vectors")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_the_stamp_changes_with_the_vectors(index, embedder):
    before = index.stamp()
    index.fill(embedder, no_progress)
    assert index.stamp() != before
    assert index.stamp() == TextIndex(index.folder).stamp()


# ------------------------------------------------------------------ the scope


@pytest.mark.spec("ENC-INDEX-3")
def test_the_scope_comes_before_nearness(index, embedder):
    put(index, {f"n{at}": f"quick car {at}" for at in range(300)})
    put(index, {"mine": "An automobile."}, tags=("private",))
    index.fill(embedder, no_progress)
    assert ids(index.search("quick car", limit=5, tags=("private",), embedder=embedder)) == ["mine"]
    assert ids(index.search("car", limit=1, documents=("mine", "clinic"), embedder=embedder)) == ["mine"]
    assert index.search("car", limit=5, tags=("unknown",), embedder=embedder) == ()
    assert index.search("car", limit=5, tags=("private",), documents=("n1",), embedder=embedder) == ()


@pytest.mark.spec("ENC-VECTOR-3")
def test_vectors_of_what_is_gone_do_not_crowd_out_what_is_there(index, embedder):
    put(index, {f"n{at}": f"doctor doctor {at}" for at in range(400)})
    index.fill(embedder, no_progress)
    with index.update() as writer:
        for at in range(400):
            writer.remove(f"n{at}")
    assert ids(index.search("doctor", limit=1, embedder=embedder)) == ["clinic"]
    size = files(index)["rows"].stat().st_size
    assert index.fill(embedder, no_progress) == 0
    assert files(index)["rows"].stat().st_size == 4 * 4 * embedder.dimension < size
    assert ids(index.search("doctor", limit=1, embedder=embedder)) == ["clinic"]


@pytest.mark.parametrize("limit", [0, -1, 1, 3, 500])
def test_no_more_than_the_limit_by_meaning(index, embedder, limit):
    index.fill(embedder, no_progress)
    assert len(index.search("doctor tree sea car", limit=limit, embedder=embedder)) == min(max(limit, 0), 4)


# ------------------------------------------------------------------ what makes vectors useless


@pytest.mark.spec("ENC-VECTOR-6")
@pytest.mark.parametrize("other", [Meanings("another model"), Meanings(dimension=30)])
def test_vectors_of_another_embedder_are_refused_and_made_anew(index, embedder, other):
    index.fill(embedder, no_progress)
    assert index.search("doctor", limit=3, embedder=other) == ()
    assert ids(index.search("oak", limit=3, embedder=other)) == ["wood"]
    assert "another version" in index.vectors(other).problem
    assert index.vectors(other).done == 0
    assert index.fill(other, no_progress) == 4
    assert index.vectors(other) == (4, 4, "")
    assert ids(index.search("doctor", limit=1, embedder=other)) == ["clinic"]
    assert len(list(Path(index.folder, "vectors").glob("rows-*"))) == 1


@pytest.mark.spec("ENC-VECTOR-6")
@pytest.mark.parametrize("name", ["format", "text", "normalised"])
def test_vectors_made_in_another_way_are_refused(index, embedder, name):
    index.fill(embedder, no_progress)
    keys = files(index)["keys"]
    header = json.loads(keys.read_bytes()[:1024])
    keys.write_bytes(json.dumps(header | {name: "old"}).encode().ljust(1024) + keys.read_bytes()[1024:])
    assert f"{name} old" in index.vectors(embedder).problem
    assert index.search("doctor", limit=1, embedder=embedder) == ()
    assert index.fill(embedder, no_progress) == 4


DAMAGE = {
    "no keys": lambda keys, rows: keys.unlink(),
    "no rows": lambda keys, rows: rows.unlink(),
    "empty keys": lambda keys, rows: keys.write_bytes(b""),
    "garbage": lambda keys, rows: keys.write_bytes(b"\xff" * 5000),
    "a list for a header": lambda keys, rows: keys.write_bytes(b"[]".ljust(1024) + keys.read_bytes()[1024:]),
    "torn keys": lambda keys, rows: keys.write_bytes(keys.read_bytes()[:-5]),
    "torn rows": lambda keys, rows: rows.write_bytes(rows.read_bytes()[:-5]),
    "rows without keys": lambda keys, rows: rows.write_bytes(rows.read_bytes() + b"x" * 500),
    "wrong rows": lambda keys, rows: rows.write_bytes(bytes(len(rows.read_bytes()))),
    "numbers that are none": lambda keys, rows: rows.write_bytes(b"\xff" * len(rows.read_bytes())),
}


@pytest.mark.spec("ENC-VECTOR-7")
@pytest.mark.parametrize("harm", DAMAGE.values(), ids=DAMAGE)
def test_damaged_vectors_are_never_used_and_healed(index, embedder, harm):
    index.fill(embedder, no_progress)
    found = files(index)
    harm(found["keys"], found["rows"])
    index = TextIndex(index.folder)
    assert ids(index.search("oak grows", limit=1, embedder=embedder)) == ["wood"]
    for match in index.search("doctor", limit=9, embedder=embedder):
        assert match.near is None or match.near == pytest.approx(
            float(embedder.embed(["doctor"])[0] @ embedder.embed([match.body])[0]), abs=1e-5
        )
    index.fill(embedder, no_progress)
    assert index.vectors(embedder) == (4, 4, "")
    assert ids(index.search("doctor", limit=1, embedder=embedder)) == ["clinic"]


@pytest.mark.spec("ENC-VECTOR-7")
def test_a_place_that_is_no_file_is_not_waited_for(index, embedder):
    index.fill(embedder, no_progress)
    keys = files(index)["keys"]
    keys.unlink()
    os.mkfifo(keys)
    assert ids(index.search("oak", limit=1, embedder=embedder)) == ["wood"]
    assert "damaged" in index.vectors(embedder).problem


def test_a_name_in_a_header_leads_nowhere(index, embedder, tmp_path):
    index.fill(embedder, no_progress)
    found = files(index)
    (tmp_path / "stolen").write_bytes(found["rows"].read_bytes())
    header = json.loads(found["keys"].read_bytes()[:1024]) | {"born": "../../../stolen"}
    found["keys"].write_bytes(json.dumps(header).encode().ljust(1024) + found["keys"].read_bytes()[1024:])
    assert index.search("doctor", limit=1, embedder=embedder) == ()


# ------------------------------------------------------------------ several at once


@pytest.mark.spec("ENC-VECTOR-8")
def test_one_at_a_time_fills_and_the_index_may_change_meanwhile(index, embedder):
    def progress(what, done, total):
        with pytest.raises(IndexBusy):
            TextIndex(index.folder).fill(embedder, no_progress, wait=0)
        put(index, {"late": "A quick cat."})
        assert ids(TextIndex(index.folder).search("late cat", limit=1, embedder=embedder)) == ["late"]

    assert index.fill(embedder, progress) == 4
    assert index.fill(embedder, no_progress) == 1


KILLED = """
import sys
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.shared.text_index.meanings import Meanings

class Told(Meanings):
    def embed(self, texts):
        print(len(self.calls), flush=True)
        return super().embed(texts)

TextIndex(sys.argv[1]).fill(Told(), lambda *_: None)
"""


@pytest.mark.spec("ENC-VECTOR-4")
@pytest.mark.parametrize("after", [0, 1, 3, 7])
def test_a_killed_run_loses_no_more_than_a_batch(index, embedder, after):
    put(index, {f"n{at}": f"cat number {at}" for at in range(500)})
    run = subprocess.Popen(
        [sys.executable, "-c", KILLED, index.folder], stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": "adapters:."}
    )
    with run:
        for _ in range(after + 1):
            run.stdout.readline()
        run.send_signal(signal.SIGKILL)
    done = index.vectors(embedder).done
    assert done >= after * filling.BATCH
    assert index.fill(embedder, no_progress) == 504 - done
    assert index.vectors(embedder) == (504, 504, "")


# ------------------------------------------------------------------ many


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """50,000 vectors in clusters, of which 45,000 are in lists, one in ten is dead, and all keys are their numbers."""
    folder = str(tmp_path_factory.mktemp("many"))
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(200, 24))
    found = (centres[rng.integers(200, size=50_000)] + 0.3 * rng.normal(size=(50_000, 24))).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    embedder = Meanings()
    with vector_files.appending(folder, embedder, 1) as file:
        file.add(np.arange(45_000, dtype=np.uint64), found[:45_000])
        vectors.list_rows(folder, file.rows)
        file.add(np.arange(45_000, 50_000, dtype=np.uint64), found[45_000:])
        vectors.list_rows(folder, file.rows)
    return folder, embedder, found


@pytest.mark.spec("ENC-VECTOR-9")
def test_the_nearest_of_many_are_found_by_lists(many):
    folder, embedder, found = many
    opened = vectors.OpenVectors(folder).of(embedder)
    shares = []
    for question in (7, 49_000, 12_345):
        exact = set(np.argsort(-(found @ found[question]))[:100].tolist())
        near = next(opened.nearest(found[question]))
        assert near[0] == question
        shares.append(len(exact & set(near)) / 100)
    assert min(shares) >= 0.9
    assert len(list(Path(folder, "vectors").glob("lists-*"))) == 1


@pytest.mark.spec("ENC-VECTOR-9")
@pytest.mark.parametrize("step", [2, 1000])
def test_a_scope_is_kept_among_many(many, step):
    folder, embedder, found = many
    opened = vectors.OpenVectors(folder).of(embedder)
    among = list(range(0, 50_000, step))
    near = next(opened.nearest(found[8], among))
    assert set(near) <= set(among)
    exact = np.array(among)[np.argsort(-(found[among] @ found[8]))[: len(near)]]
    assert len(set(exact.tolist()[:50]) & set(near)) >= 45


def test_damaged_lists_cost_time_and_nothing_else(many):
    folder, embedder, found = many
    (lists,) = Path(folder, "vectors").glob("lists-*")
    whole = lists.read_bytes()
    try:
        for bad in (b"", b"garbage" * 99, whole[:1000], whole[: len(whole) // 2], whole[:-9]):
            lists.write_bytes(bad)
            opened = vectors.OpenVectors(folder).of(embedder)
            assert next(opened.nearest(found[5]))[:20] == np.argsort(-(found @ found[5]), kind="stable")[:20].tolist()
    finally:
        lists.write_bytes(whole)


@pytest.mark.spec("ENC-VECTOR-10")
def test_the_vectors_of_removed_passages_go_with_the_next_filling(tmp_path):
    from encyclopedia_adapters.shared.text_index.vector_files import stored

    index = TextIndex(str(tmp_path))
    with index.update() as writer:
        for name in ("one", "two", "three", "four"):
            writer.put(name, [Passage(name, name, name, f"the text of {name}")])
    index.fill(Meanings(), lambda *_: None)
    assert stored(str(tmp_path)) == 4
    with index.update() as writer:
        writer.remove("two")
    index.fill(Meanings(), lambda *_: None)
    assert stored(str(tmp_path)) == 3
    assert index.vectors(Meanings()).done == 3

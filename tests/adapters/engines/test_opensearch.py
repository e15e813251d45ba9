"""What becomes of a corpus in OpenSearch when workers share it, are killed, or the server does not do what it should.

What answers here stands in for OpenSearch: none can be had.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.errors import (
    AuthRefused,
    ConfigurationError,
    Garbled,
    RateLimited,
    Refused,
    SourceTrouble,
    Unavailable,
)
from encyclopedia_adapters.engines import opensearch_wire
from encyclopedia_adapters.engines.opening import check, engine_of, open_index
from encyclopedia_adapters.shared.text_index import IndexBusy
from tests.adapters.engines.passages import PETS, WORDS, fill, ids, library, passage
from tests.adapters.engines.workers import DOCUMENTS, worker
from tests.adapters.shared.text_index.meanings import Meanings, no_progress
from tests.opensearch_server import PASSWORD, READER, Server, blocked, running
from tests.upstream import certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia_adapters.engines.opening import Index

FRESH = 0.1
"""Seconds after which what was just learnt of an index is no longer taken as known."""


@pytest.fixture
def own() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def made(own: Server) -> Corpus:
    return Corpus("shared", "", "documents", "", {}, engine=own.address(), secret=own.secret)


@pytest.fixture
def index(made: Corpus) -> Index:
    return open_index(made)


def beside(corpus: Corpus, number: int = 0) -> Index:
    """The same corpus as another process has it."""
    return open_index(corpus._replace(engine=f"{corpus.engine}/encyclopedia_{corpus.name}" + "/" * number))


def at(address: str, secret: Callable[[str], str], name: str = "lonely") -> Index:
    return open_index(Corpus(name, "", "documents", "", {}, engine=address, secret=secret))


def held(server: Server, what: str, name: str = "shared") -> dict[str, dict[str, Any]]:
    """What the server holds, by id."""
    return {id: doc.source for id, doc in server.index(f"encyclopedia_{name}-{what}").docs.items()}


def forget_claims(server: Server, name: str = "shared") -> None:
    """As if the time had passed after which claims end."""
    for source in held(server, "documents", name).values():
        if "until" in source:
            source["until"] = 0.0


def whole(index: Index, server: Server) -> None:
    """Each document is there once with its two passages, and nothing else."""
    wanted = [f"d{number:04}" for number in range(DOCUMENTS)]
    assert list(index.documents()) == wanted
    assert index.count() == 2 * DOCUMENTS
    assert sorted(each["document"] for each in held(server, "passages").values()) == sorted(2 * wanted)
    assert not [each for each in held(server, "documents").values() if "owner" in each]


@pytest.mark.spec("ENC-ENGINE-2")
def test_workers_share_the_batches(made: Corpus, own: Server) -> None:
    workers = [worker(made, PASSWORD) for _ in range(3)]
    told = [process.communicate(timeout=200) for process in workers]
    assert [process.returncode for process in workers] == [0, 0, 0], told
    written = sorted(name for out, _ in told for name in out.split())
    assert written == [f"d{number:04}" for number in range(DOCUMENTS)], "a document was written twice, or never"
    assert all(len(out.split()) > 0 for out, _ in told), "one did all the work"
    whole(open_index(made), own)


@pytest.mark.spec("ENC-ENGINE-8")
def test_a_worker_that_is_killed_leaves_whole_documents_and_claims_that_end(made: Corpus, own: Server) -> None:
    first = worker(made, PASSWORD)
    assert first.stdout is not None
    first.stdout.readline()
    first.stdout.readline()
    first.kill()
    first.communicate(timeout=30)
    index = open_index(made)
    left = list(index.documents())
    assert 0 < len(left) < DOCUMENTS
    assert all(len(index.passages(document)) == 2 for document in left[::25])
    forget_claims(own)
    second = worker(made, PASSWORD)
    out, error = second.communicate(timeout=200)
    assert second.returncode == 0, error
    assert len(out.split()) == DOCUMENTS - len(left)
    whole(beside(made), own)


class Killed(Exception):
    """As a worker that is killed: it sends nothing more."""


def cut(number: int, *, done: bool) -> Callable[[str, str, bool], bool]:
    """From its ``number``-th request on a worker is no more; ``done`` tells whether that one was still carried out."""
    seen = iter(range(number))
    dead = threading.Event()

    def drop(_method: str, _path: str, after: bool) -> bool:
        if after is done and next(seen, None) is None:
            dead.set()
        return dead.is_set()

    return drop


OLD = [passage(f"{name}#{part}", f"old {name} {part} shared words", document=name) for name in "ab" for part in range(3)]
NEW = [passage(f"{name}#{part}", f"new {name} {part} shared words", document=name) for name in "ac" for part in range(2)]


def change(index: Index) -> None:
    """A document anew, one removed, one that comes, one that is marked."""
    with index.update(0.3) as writer:
        for name in ("a", "c"):
            writer.put(name, [each for each in NEW if each.document == name], "new")
        writer.remove("b")
        writer.mark("d", "marked")


def picture(index: Index) -> dict[str, Any]:
    found = {name: sorted(each.body for each in index.passages(name)) for name in "abcd"}
    searched: dict[str, list[str]] = {name: [] for name in "abcd"}
    for each in index.search("shared", limit=20):
        searched[each.document].append(each.body)
    assert {name: sorted(bodies) for name, bodies in searched.items()} == found
    return {name: (index.documents().get(name), bodies) for name, bodies in found.items()}


def bodies(passages: list[Any], name: str) -> list[str]:
    return sorted(each.body for each in passages if each.document == name)


@pytest.mark.spec("ENC-ENGINE-8")
@pytest.mark.parametrize("done", [False, True], ids=["unsent", "unheard"])
def test_a_commit_that_is_cut_anywhere_shows_each_document_whole_and_is_made_whole_by_repeating(
    own: Server, *, done: bool
) -> None:
    last = ["d"], [passage("d#0", "steady d shared words", document="d")]
    before = {"a": ("old", bodies(OLD, "a")), "b": ("old", bodies(OLD, "b")), "c": (None, []), "d": ("old", [last[1][0].body])}
    after = {
        "a": ("new", bodies(NEW, "a")),
        "b": (None, []),
        "c": ("new", bodies(NEW, "c")),
        "d": ("marked", [last[1][0].body]),
    }
    for number in range(40):
        name = f"cut{number}{done}".lower()
        corpus = Corpus(name, "", "documents", "", {}, engine=own.address(), secret=own.secret)
        index = open_index(corpus)
        with index.update() as writer:
            for document in "abd":
                writer.put(document, [each for each in (*OLD, *last[1]) if each.document == document], "old")
        own.drop = cut(number, done=done)
        try:
            change(index)
        except Unavailable:
            ended = False
        else:
            ended = True
        own.drop = lambda _method, _path, _done: False
        time.sleep(FRESH)
        own.index(f"encyclopedia_{name}-documents").refresh()  # as it does of itself within a second
        seen = picture(beside(corpus))
        for document in "abcd":
            assert seen[document] in (before[document], after[document]), (number, document)
        forget_claims(own, name)
        change(beside(corpus))
        assert picture(beside(corpus)) == after
        assert len(held(own, "passages", name)) == 5, "what nobody can see was left"
        if ended:
            break
    assert ended
    assert number > 8, "a commit of fewer requests than there are"


@pytest.mark.spec("ENC-ENGINE-8")
def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_is_done_twice(made: Corpus, own: Server) -> None:
    index, number, lost = open_index(made), 0, True
    while lost:
        index.remove()
        with index.update() as writer:
            for document in "ab":
                writer.put(document, [each for each in OLD if each.document == document], "old")
            writer.put("d", [passage("d#0", "steady d shared words", document="d")], "old")
        seen, lost = iter(range(number)), False

        def drop(_method: str, _path: str, done: bool, seen: Iterator[int] = seen) -> bool:
            nonlocal lost
            if not done or lost or next(seen, None) is not None:
                return False
            lost = True
            return True

        own.drop = drop
        change(index)
        own.drop = lambda _method, _path, _done: False
        assert picture(index) == {
            "a": ("new", bodies(NEW, "a")),
            "b": (None, []),
            "c": ("new", bodies(NEW, "c")),
            "d": ("marked", ["steady d shared words"]),
        }
        assert len(held(own, "passages")) == 5
        number += 1
    assert number > 8, "a commit of fewer requests than there are"


@pytest.mark.spec("ENC-ENGINE-2")
def test_what_another_is_at_is_left_to_him_and_waited_for_no_longer_than_agreed(made: Corpus, index: Index) -> None:
    other = beside(made)
    fill(index, passage("old", "old"))
    with other.update() as theirs:
        assert theirs.claim(["a", "b"], 10) == ["a", "b"]
        with index.update(wait=0.2) as mine:
            assert mine.claim(["a", "b", "c"], 10) == ["c"]
            with pytest.raises(IndexBusy, match="2 documents"):
                mine.claim(["a", "b"], 10)
            mine.put("c", [passage("c", "ours")], "1")
        with pytest.raises(IndexBusy, match="1 documents"), index.update(wait=0.2) as mine:
            mine.put("a", [passage("a", "ours")], "1")
        theirs.put("a", [passage("a", "theirs")], "1")
    assert sorted(index.documents()) == ["a", "c", "old"]
    assert ids(index.search("theirs", limit=5)) == ["a"]
    with index.update() as mine:
        assert mine.claim(["a"], 10) == ["a"]


@pytest.mark.spec("ENC-ENGINE-8")
def test_who_was_too_long_at_a_document_begins_it_again(made: Corpus, index: Index, own: Server) -> None:
    fill(index, passage("a", "first of all"))
    with index.update() as slow:
        assert slow.claim(["a"], 1) == ["a"]
        forget_claims(own)
        fill(beside(made), passage("a", "quick words"), state="quick")
        slow.put("a", [passage("a", "slow words")], "slow")
    assert dict(index.documents()) == {"a": "slow"}
    assert ids(index.search("words", limit=5)) == ["a"]
    assert index.search("quick", limit=5) == index.search("first", limit=5) == ()
    assert len(held(own, "passages")) == 1


@pytest.mark.spec("ENC-ENGINE-8")
def test_an_old_passage_that_gets_a_vector_meanwhile_is_removed_all_the_same(index: Index, own: Server) -> None:
    fill(index, passage("a", "automobile"))
    index.fill(Meanings(), no_progress)
    stored = own.index("encyclopedia_shared-passages")
    (old,) = stored.docs
    times = iter(range(2))

    def between(_method: str, path: str, body: bytes) -> None:
        if (
            path.endswith("-documents/_bulk")
            and b'"generation"' in body
            and b'"owner"' not in body
            and next(times, None) is not None
        ):
            stored.write(old, dict(stored.docs[old].source), None)

    with own.failing(between):
        fill(index, passage("a", "vehicle"), state="2")
    assert next(times, None) is None, "nothing came between"
    assert old not in stored.docs
    assert ids(index.search("vehicle", limit=5)) == ["a"]


@pytest.mark.spec("ENC-ENGINE-2")
def test_vectors_are_shared_among_workers_too(made: Corpus, index: Index) -> None:
    fill(index, *(passage(f"d{number}", f"car number {number}") for number in range(200)))
    embedders = [Meanings() for _ in range(3)]
    threads = [
        threading.Thread(target=beside(made, number).fill, args=(embedder, no_progress))
        for number, embedder in enumerate(embedders)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    texts = [text for embedder in embedders for call in embedder.calls for text in call]
    assert (len(texts), len(set(texts))) == (200, 200)
    assert index.vectors(Meanings())[:2] == (200, 200)


@pytest.mark.spec("ENC-ENGINE-8")
def test_a_run_that_stops_keeps_its_vectors_and_leaves_no_claim(index: Index, own: Server) -> None:
    fill(index, *(passage(f"d{number}", f"car number {number}") for number in range(100)))
    embedder = Meanings()
    done = index.fill(embedder, no_progress, stop=lambda: len(embedder.calls) == 2)
    assert 0 < done <= 64
    assert index.encoded() == done
    assert not [id for id in held(own, "documents") if id.startswith("text-")]
    assert index.fill(embedder, no_progress) == 100 - done


@pytest.mark.spec("ENC-ENGINE-2")
def test_searches_see_whole_documents_while_others_write(made: Corpus, own: Server) -> None:
    reader = open_index(made)
    process = worker(made, PASSWORD)
    seen = {0}
    while process.poll() is None:
        found = reader.search("lantern shadow", limit=2 * DOCUMENTS)
        seen.add(len(found))
        assert len(found) == 2 * len({each.document for each in found})
    assert process.communicate()[0]
    assert len(seen) > 2, "nothing was searched while it was written"
    whole(beside(made), own)


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_server_that_goes_is_named_and_one_that_comes_back_is_used_again(index: Index, own: Server) -> None:
    fill(index, *PETS)
    own.stop()
    time.sleep(FRESH)
    for ask in (lambda: index.search("cat", limit=5), index.count, lambda: fill(index, *PETS), index.remove):
        start = time.monotonic()
        with pytest.raises(Unavailable, match="cannot be reached") as told:
            ask()
        assert time.monotonic() - start < 10
        assert PASSWORD not in str(told.value)
        assert "${OS_PASSWORD}" in str(told.value)
    own.start()
    assert ids(index.search("cat", limit=5)) == ["cat", "dog"]


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_server_that_is_frozen_is_not_waited_for(index: Index, own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opensearch_wire, "ANSWER", 1.0)
    fill(index, *PETS)
    with own.frozen():
        time.sleep(FRESH)
        start = time.monotonic()
        for _ in range(2):
            with pytest.raises(TimeoutError, match="did not answer in time"):
                index.search("cat", limit=1)
        assert time.monotonic() - start < 5
    assert ids(index.search("cat", limit=1)) == ["cat"]


@contextmanager
def saying(*pieces: bytes, pause: float = 0.0) -> Iterator[str]:
    """The address of a server that says always the same, whatever it is asked, in pieces."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    try:
                        connection.recv(65536)
                        for piece in pieces:
                            connection.sendall(piece)
                            ended.wait(pause)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"opensearch://127.0.0.1:{listening.getsockname()[1]}"
        ended.set()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def http(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode() + body


@pytest.mark.spec("ENC-ENGINE-3")
@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (b"SSH-2.0-OpenSSH\r\n", Garbled, "not HTTP"),
        (http(b"<html>welcome</html>"), Garbled, "something else"),
        (http(b"[1, 2]"), Garbled, "something else"),
        (http(b"{}"), Garbled, "does not answer as OpenSearch"),
        (http(b'{"version": {"number": "2.19', length=4000), Unavailable, "broke off"),
        (b"", Unavailable, "cannot be reached"),
        (http(b"no such thing", "502 Bad Gateway"), Unavailable, "look at its health"),
        (http(b'{"version": {"number": "8.15.0"}}'), Refused, "Elasticsearch 8.15.0"),
        (http(b'{"version": {"number": "2.9.0", "distribution": "opensearch"}}'), Refused, "update it to 2.13 or later"),
    ],
)
def test_what_is_no_answer_of_opensearch_has_a_name(answer: bytes, error: type[Exception], told: str) -> None:
    with saying(answer) as address, pytest.raises(error, match=told):
        at(address, str).count()


@pytest.mark.spec("ENC-ENGINE-3")
def test_an_answer_that_drips_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opensearch_wire, "ANSWER", 1.0)
    head, *rest = http(b" " * 200)[:-200], *([b" "] * 200)
    with saying(head, *rest, pause=0.1) as address:
        start = time.monotonic()
        with pytest.raises(TimeoutError, match="did not answer in time"):
            at(address, str, "drips").count()
        assert time.monotonic() - start < 3


@pytest.mark.spec("ENC-ENGINE-3")
def test_what_the_server_refuses_has_a_name_and_a_remedy(own: Server) -> None:
    for address, error, told in (
        (own.address("OS_WRONG"), AuthRefused, "correct the user and the password"),
        (own.address("OS_UNSET"), AuthRefused, "set OS_UNSET in the environment"),
        (own.address(user="nobody"), AuthRefused, "correct the user and the password"),
        (own.address(more="/Not A Name"), Refused, "cannot be the name"),
        (own.address().replace("opensearch:", "opensearch+https:"), Unavailable, "cannot be reached safely"),
    ):
        with pytest.raises(error, match=told) as met:
            at(address, own.secret, "refused").count()
        assert PASSWORD not in str(met.value)
        assert "something else" not in str(met.value)
    reader = at(own.address(user=READER), own.secret, "refused")
    assert reader.count() == 0
    with pytest.raises(AuthRefused, match=r"give the user .* the right to \(no permissions for"):
        fill(reader, *PETS)


@pytest.mark.spec("ENC-ENGINE-8")
def test_a_server_whose_disk_is_full_is_read_and_says_what_to_do(index: Index, own: Server) -> None:
    fill(index, *PETS)
    with own.failing(blocked):
        start = time.monotonic()
        with pytest.raises(Refused, match=r"takes no writes: .*flood-stage.*make room on its disks"):
            fill(index, passage("cat", "changed"), state="2")
        with pytest.raises(Refused, match="takes no writes"):
            index.fill(Meanings(), no_progress)
        assert time.monotonic() - start < 3, "what cannot be was tried again and again"
        assert ids(index.search("cat", limit=5)) == ["cat", "dog"]
    fill(index, passage("cat", "changed"), state="2")
    assert ids(index.search("changed", limit=5)) == ["cat"]


def rejecting(server: Server, times: int) -> Callable[[str, str, bytes], Any]:
    """Of each of the first ``times`` bulk requests every second part is rejected, the others are carried out."""
    left = iter(range(times))

    def fault(_method: str, path: str, body: bytes) -> Any:
        if not path.endswith("/_bulk") or next(left, None) is None:
            return None
        lines, heads = iter(body.splitlines(keepends=True)), []
        for line in lines:
            heads.append([line, *([] if line.startswith(b'{"delete"') else [next(lines)])])
        kept = b"".join(line for lot in heads[1::2] for line in lot)
        name = path.strip("/").partition("/")[0]
        done = iter(server._bulk(name, {"require_alias": "true"}, kept)["items"]) if kept else iter(())
        reason = {"type": "rejected_execution_exception", "reason": "rejected execution of coordinating operation"}
        items = []
        for number, (head, *_) in enumerate(heads):
            ((verb, told),) = json.loads(head).items()
            items.append(next(done) if number % 2 else {verb: {"_id": told["_id"], "status": 429, "error": reason}})
        return 200, {"took": 1, "errors": True, "items": items}

    return fault


@pytest.mark.spec("ENC-ENGINE-8")
def test_what_a_busy_server_has_rejected_is_sent_again(index: Index, own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opensearch_wire, "_PAUSE", 0.01)
    fill(index, passage("a", "before"))
    with own.failing(rejecting(own, 5)):
        with index.update() as writer:
            writer.put("many", [passage(f"p{number}", f"word{number}", document="many") for number in range(300)], "1")
        assert len(index.passages("many")) == 300
    with own.failing(
        lambda _method, path, _body: (
            (429, {"error": {"type": "x", "reason": "busy"}, "status": 429}) if path.endswith("_bulk") else None
        )
    ):
        with pytest.raises(RateLimited, match="more to do than it can") as told:
            fill(index, passage("a", "after"), state="2")
        assert told.value.retry_after > 0
    assert ids(index.search("before", limit=5)) == ["a"]


@pytest.mark.spec("ENC-ENGINE-8")
def test_a_part_of_a_batch_that_is_refused_lets_nothing_count(index: Index, own: Server) -> None:
    fill(index, passage("a", "before one"))

    def fault(_method: str, path: str, body: bytes) -> Any:
        if not path.endswith("-passages/_bulk"):
            return None
        done = own._bulk(path.strip("/").partition("/")[0], {"require_alias": "true"}, body)
        error = {"type": "mapper_parsing_exception", "reason": "failed to parse field [x]"}
        done["items"][-1]["index"] |= {"status": 400, "error": error}
        return 200, done | {"errors": True}

    with own.failing(fault), pytest.raises(Refused, match="failed to parse"), index.update() as writer:
        writer.put("a", [passage("a", "one after one"), passage("a2", "one after one", document="a")], "2")
    own.index("encyclopedia_shared-passages").refresh()  # as it does of itself within a second
    assert len(held(own, "passages")) == 3
    (found,) = index.search("one", limit=1)
    assert found.body == "before one"
    assert index.search("after", limit=5) == ()
    assert dict(index.documents()) == {"a": "s"}


@pytest.mark.spec("ENC-ENGINE-8")
def test_half_an_answer_is_none(index: Index, own: Server) -> None:
    fill(index, *PETS)

    def half(_method: str, path: str, body: bytes) -> Any:
        if not path.endswith("-passages/_search"):
            return None
        found = own._search(path.strip("/").partition("/")[0], {}, body)
        found["_shards"] |= {"total": 2, "failed": 1}
        return 200, found

    with own.failing(half), pytest.raises(Unavailable, match="a part of the index only"):
        index.search("cat", limit=5)


@pytest.mark.spec("ENC-ENGINE-8")
def test_only_our_own_indices_are_touched_and_none_is_made_by_writing(made: Corpus, index: Index, own: Server) -> None:
    fill(at(own.address(), own.secret, "neighbour"), *PETS)
    fill(index, *PETS)
    others = set(own.indices)

    def gone() -> None:
        with index.update() as writer:
            writer.put("new", [passage("new", "new")], "1")
            beside(made).remove()

    with pytest.raises(Refused, match="no such index"):
        gone()
    assert others - set(own.indices) == {"encyclopedia_shared-documents-1", "encyclopedia_shared-passages-1"}
    assert not set(own.indices) - others
    own._create(
        "encyclopedia_foreign-passages-1",
        {},
        json.dumps({"settings": {"index": {}}, "aliases": {}, "mappings": {"dynamic": "strict", "properties": {}}}).encode(),
    )
    foreign = at(own.address(), own.secret, "foreign")
    for ask in (lambda: fill(foreign, *PETS), foreign.remove):
        with pytest.raises(Refused, match="somebody else's"):
            ask()
    assert "encyclopedia_foreign-passages-1" in own.indices


@pytest.mark.spec("ENC-ENGINE-1")
def test_an_index_of_another_version_is_never_searched_and_is_made_anew(index: Index, own: Server) -> None:
    fill(index, *PETS)
    held(own, "documents")["about"]["made_by"]["analyser"] = 0
    time.sleep(FRESH)
    assert index.problem == "the index was made by another version (analyser 0 instead of 1)"
    assert (index.search("cat", limit=5), dict(index.documents())) == ((), {})
    with pytest.raises(ValueError, match="--rebuild"):
        fill(index, *PETS)
    with index.update() as writer:
        writer.clear()
        writer.put("cat", [PETS[0]], "s")
    assert (index.problem, ids(index.search("cat", limit=5))) == ("", ["cat"])


@pytest.mark.spec("ENC-ENGINE-8")
def test_scores_are_the_same_whatever_the_version_makes_of_the_formula(index: Index) -> None:
    fill(index, *library(60))
    with running("3.3.0") as newer:
        other = at(newer.address(), newer.secret, "newer")
        fill(other, *library(60))
        for text in ("river bridge", "whisper", 'stone "river bridge"', "brid* water"):
            expected = {each.id: each.score for each in index.search(text, limit=60)}
            assert {each.id: each.score for each in other.search(text, limit=60)} == pytest.approx(expected)


@pytest.mark.spec("ENC-ENGINE-8")
def test_no_question_is_longer_than_the_server_takes(index: Index) -> None:
    fill(
        index,
        *(
            passage(f"d{number}", " ".join(f"word{number}x{part}" for part in range(60)), title=f"title{number}")
            for number in range(30)
        ),
    )
    text = " ".join(f"word{number}x{part} title{number}" for part in range(60) for number in range(30))
    assert len(index.search(text, limit=50)) > 20
    assert ids(index.search('"word3x1 word3x2 word3x3"', limit=1)) == ["d3"]
    assert index.search(" ".join(f"word{number}*" for number in range(30)), limit=50)
    documents = (*(f"other{number}" for number in range(70_000)), "d7")
    assert ids(index.search("word7x1 word8x1", limit=5, documents=documents)) == ["d7"]


@pytest.mark.spec("ENC-ENGINE-4")
def test_passwords_are_left_to_the_environment(made: Corpus) -> None:
    for address in ("opensearch://me:hunter2@host", "opensearch+https://:hunter2@host:9200/x"):
        with pytest.raises(ConfigurationError, match=r"holds a password"):
            check(address, "corpora.x.engine")
    for address in ("opensearch://host", "opensearch+https://me:${PW}@host:443/mine", "opensearch+https://:${TOKEN}@host"):
        check(address, "corpora.x.engine")
    engine: Any = engine_of(made)
    assert PASSWORD not in repr(vars(engine.wire))


@pytest.mark.spec("ENC-ENGINE-4")
def test_a_key_without_a_user_is_sent_as_a_token_and_never_told() -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(
                    http(b'{"error": {"type": "x", "reason": "Bearer open sesame is unknown"}}', "403 Forbidden")
                )

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"opensearch://:${{TOKEN}}@127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(AuthRefused, match="Bearer … is unknown"):
            at(address, lambda _: "open sesame").count()
        thread.join(5)
    assert b"Authorization: Bearer open sesame\r\n" in heard[0]


@pytest.mark.spec("ENC-ENGINE-3")
def test_only_a_server_whose_certificate_can_be_trusted_gets_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(secure=True) as server:
        with pytest.raises(Unavailable, match=r"cannot be reached safely: self.signed certificate; SSL_CERT_FILE names"):
            fill(at(server.address(), server.secret, "distrusted"), *PETS)
        assert not server.asked
        monkeypatch.setenv("SSL_CERT_FILE", certificate()[0])
        index = at(server.address(), server.secret, "trusted")
        fill(index, *PETS)
        assert ids(index.search("cat", limit=5)) == ["cat", "dog"]


ODD_ANSWERS = (
    b"",
    b"{}",
    b'{"hits": [], "responses": 1, "docs": {}, "items": [{}]}',
    b'{"responses": [1, 2], "docs": [null], "items": []}',
    b"[]",
    b'{"error": "plain"}',
    b'{"error": {"type": 3}}',
    b'{"error": {"reason": null, "caused_by": 1}}',
)


@pytest.mark.spec("ENC-ENGINE-3")
def test_troubles_are_all_named(own: Server, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever status comes with whatever body, nothing but a trouble comes out."""
    monkeypatch.setattr(opensearch_wire, "_PAUSE", 0.001)
    fill(index, *PETS)
    for status in (200, 400, 404, 405, 408, 413, 418, 429, 500, 503, 504):
        for body in ODD_ANSWERS:
            time.sleep(0.06)
            with own.failing(lambda _m, _p, _b, answer=(status, body): answer), pytest.raises(SourceTrouble):
                index.search("river", limit=1)
            writes = own.failing(lambda _m, path, _b, answer=(status, body): answer if path.endswith("_bulk") else None)
            with writes, pytest.raises(SourceTrouble):
                fill(index, *PETS, state="2")


@pytest.mark.spec("ENC-ENGINE-8")
def test_words_of_every_kind_are_searched_within_a_scope(index: Index) -> None:
    """What is asked comes out of the same passages that a plain look at them gives."""
    fill(index, *library(80))
    for word in WORDS[:12]:
        wanted = {each.id for each in library(80) if "odd" in each.tags and word in f"{each.title} {each.body}".split()}
        assert set(ids(index.search(word, limit=80, tags=("odd",)))) == wanted

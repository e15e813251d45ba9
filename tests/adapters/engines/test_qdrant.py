"""What becomes of a corpus in Qdrant when workers share it, are killed, or the server does not do what it should.

What answers here stands in for the server, over Qdrant's own engine: no server can be had.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
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
from encyclopedia_adapters.engines import qdrant_wire
from encyclopedia_adapters.engines.opening import check, engine_of, open_index
from encyclopedia_adapters.shared.text_index import IndexBusy
from tests.adapters.engines.passages import PETS, WORDS, fill, ids, library, passage
from tests.adapters.engines.workers import DOCUMENTS, worker
from tests.adapters.shared.text_index.meanings import Meanings, no_progress
from tests.qdrant_server import KEY, Server, running
from tests.upstream import certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

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


def held(server: Server, kind: str, name: str = "shared") -> list[Any]:
    return server.points(f"encyclopedia_{name}", kind=kind)


def forget_claims(server: Server, name: str = "shared") -> None:
    """As if the time had passed after which claims end."""
    for each in [*held(server, "document", name), *held(server, "claim", name)]:
        if "owner" in each:
            server.set(f"encyclopedia_{name}", {"until": 0.0}, owner=each["owner"])


def whole(index: Index, server: Server) -> None:
    """Each document is there once with its two passages, and nothing else."""
    wanted = [f"d{number:04}" for number in range(DOCUMENTS)]
    assert list(index.documents()) == wanted
    assert index.count() == 2 * DOCUMENTS
    assert sorted(each["document"] for each in held(server, "passage")) == sorted(2 * wanted)
    assert not held(server, "claim")
    assert not [each for each in held(server, "document") if "owner" in each]


@pytest.mark.spec("ENC-ENGINE-2")
def test_workers_share_the_batches(made: Corpus, own: Server) -> None:
    workers = [worker(made, KEY) for _ in range(3)]
    told = [process.communicate(timeout=200) for process in workers]
    assert [process.returncode for process in workers] == [0, 0, 0], told
    written = sorted(name for out, _ in told for name in out.split())
    assert written == [f"d{number:04}" for number in range(DOCUMENTS)], "a document was written twice, or never"
    whole(open_index(made), own)


@pytest.mark.spec("ENC-ENGINE-9")
def test_a_worker_that_is_killed_leaves_whole_documents_and_claims_that_end(made: Corpus, own: Server) -> None:
    first = worker(made, KEY)
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
    second = worker(made, KEY)
    out, error = second.communicate(timeout=200)
    assert second.returncode == 0, error
    assert len(out.split()) == DOCUMENTS - len(left)
    whole(beside(made), own)


OLD = [passage(f"{name}#{part}", f"old {name} {part} shared words", document=name) for name in "ab" for part in range(3)]
NEW = [passage(f"{name}#{part}", f"new {name} {part} shared words", document=name) for name in "ac" for part in range(2)]
STEADY = passage("d#0", "steady d shared words", document="d")


def change(index: Index) -> None:
    """A document anew, one removed, one that comes, one that is marked."""
    with index.update(0.3) as writer:
        for name in ("a", "c"):
            writer.put(name, [each for each in NEW if each.document == name], "new")
        writer.remove("b")
        writer.mark("d", "marked")


def picture(index: Index) -> dict[str, list[str]]:
    """The passages of each document, the same for who looks at it and for who searches."""
    found = {name: sorted(each.body for each in index.passages(name)) for name in "abcd"}
    searched: dict[str, list[str]] = {name: [] for name in "abcd"}
    for each in index.search("shared", limit=20):
        searched[each.document].append(each.body)
    assert {name: sorted(bodies) for name, bodies in searched.items()} == found
    return found


def bodies(passages: list[Any], name: str) -> list[str]:
    return sorted(each.body for each in passages if each.document == name)


BEFORE = {"a": ("old", bodies(OLD, "a")), "b": ("old", bodies(OLD, "b")), "c": (None, []), "d": ("old", [STEADY.body])}
AFTER = {"a": ("new", bodies(NEW, "a")), "b": (None, []), "c": ("new", bodies(NEW, "c")), "d": ("marked", [STEADY.body])}


def tried(own: Server, name: str, cutting: Callable[[], AbstractContextManager[None]]) -> bool:
    """Whether the change ended although it was to be cut; cut or not it shows whole documents, and repeated it is whole."""
    corpus = Corpus(name, "", "documents", "", {}, engine=own.address(), secret=own.secret)
    index = open_index(corpus)
    with index.update() as writer:
        for document in "abd":
            writer.put(document, [each for each in (*OLD, STEADY) if each.document == document], "old")
    ended = False
    with cutting(), suppress(Unavailable):
        change(index)
        ended = True
    time.sleep(FRESH)
    other = beside(corpus)
    seen, states = picture(other), dict(other.documents())
    for document in "abcd":
        assert seen[document] in (BEFORE[document][1], AFTER[document][1]), (name, document)
        if states.get(document) == AFTER[document][0]:  # told last: whoever sees it need not do the document again
            assert seen[document] == AFTER[document][1], (name, document)
    forget_claims(own, name)
    change(beside(corpus))
    other = beside(corpus)
    seen = picture(other)
    assert {document: (other.documents().get(document), seen[document]) for document in "abcd"} == AFTER
    assert other.count() == len(held(own, "passage", name)) == 5, "what nobody can see was left"
    assert not held(own, "claim", name)
    return ended


@contextmanager
def dying(own: Server, number: int, *, done: bool) -> Iterator[None]:
    """From its ``number``-th request on a worker is no more; ``done`` tells whether that one was still carried out."""
    seen = iter(range(number))
    dead = threading.Event()

    def drop(_method: str, _path: str, after: bool) -> bool:
        if after is done and next(seen, None) is None:
            dead.set()
        return dead.is_set()

    own.drop = drop
    yield
    own.drop = lambda _method, _path, _done: False


@contextmanager
def stopping(own: Server, most: int) -> Iterator[None]:
    """As a server that carries out ``most`` operations of the batches that it gets, and then nothing more."""
    left = most
    answer = 500, {"status": {"error": "Service internal error: stopped"}}

    def fault(_method: str, path: str, body: bytes) -> Any:
        nonlocal left
        if left < 0:
            return answer
        if not path.endswith("/points/batch"):
            return None
        operations = json.loads(body)["operations"]
        if len(operations) > left:
            own._batch(own.shards[path.split("/")[2]], {"operations": operations[:left]})
            left = -1
            return answer
        left -= len(operations)
        return None

    with own.failing(fault):
        yield


@pytest.mark.spec("ENC-ENGINE-9")
@pytest.mark.parametrize("done", [False, True], ids=["unsent", "unheard"])
def test_a_commit_that_is_cut_anywhere_shows_whole_documents_and_is_made_whole_by_repeating(own: Server, *, done: bool) -> None:
    cuts = ((number, tried(own, f"cut{number}{done}".lower(), partial(dying, own, number, done=done))) for number in range(80))
    number = next(number for number, ended in cuts if ended)
    assert number > 8, "a commit of fewer requests than there are"


@pytest.mark.spec("ENC-ENGINE-9")
def test_a_server_that_stops_within_a_batch_shows_whole_documents_too(own: Server) -> None:
    stops = ((number, tried(own, f"stop{number}", partial(stopping, own, number))) for number in range(80))
    number = next(number for number, ended in stops if ended)
    assert number > 8, "fewer operations than there are"


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


@pytest.mark.spec("ENC-ENGINE-9")
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
    assert len(held(own, "passage")) == 1


@pytest.mark.spec("ENC-ENGINE-2")
def test_vectors_are_shared_among_workers_too(made: Corpus, own: Server) -> None:
    fill(open_index(made), *(passage(f"d{number}", f"car number {number}") for number in range(200)))
    embedders = [Meanings() for _ in range(3)]
    threads = [
        threading.Thread(target=beside(made, number).fill, args=(embedder, no_progress))
        for number, embedder in enumerate(embedders)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert beside(made).fill(Meanings(), no_progress) == 0, "a text was left"
    texts = [text for embedder in embedders for call in embedder.calls for text in call]
    assert (len(texts), len(set(texts))) == (200, 200)
    assert open_index(made).vectors(Meanings())[:2] == (200, 200)
    assert not held(own, "claim")


@pytest.mark.spec("ENC-ENGINE-9")
def test_vectors_of_what_is_no_more_go_and_a_text_that_comes_again_keeps_its_own(index: Index, own: Server) -> None:
    fill(index, passage("a", "automobile"), passage("b", "ocean"))
    index.fill(Meanings(), no_progress)
    (meanings,) = (name for name in own.shards if "-meaning-" in name)
    fill(index, passage("a", "automobile", tags=("moved",)), passage("b", "a tree"), state="2")
    assert [each["tags"] for each in own.points(meanings)] == [["moved"]]
    embedder = Meanings()
    assert index.fill(embedder, no_progress) == 1
    index.fill(Meanings("another", dimension=16), no_progress)
    assert len([name for name in own.shards if "-meaning-" in name]) == 1, "vectors of another kind were left"


@pytest.mark.spec("ENC-ENGINE-2")
def test_searches_see_whole_commits_while_others_write(made: Corpus) -> None:
    reader = open_index(made)
    process = worker(made, KEY)
    seen = {0}
    while process.poll() is None:
        found = reader.search("lantern shadow", limit=2 * DOCUMENTS)
        seen.add(len(found))
        assert len(found) == 2 * len({each.document for each in found})
        time.sleep(0.01)
    assert process.communicate()[0]
    assert len(seen) > 2, "nothing was searched while it was written"


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
        assert KEY not in str(told.value)
        assert "${QDRANT_KEY}" in str(told.value)
    own.start()
    assert ids(index.search("cat", limit=5)) == ["cat", "dog"]


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_server_that_is_frozen_is_not_waited_for(index: Index, own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant_wire, "ANSWER", 1.0)
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
def saying(answer: bytes) -> Iterator[str]:
    """The address of a server that says always the same, whatever it is asked."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    try:
                        connection.recv(65536)
                        connection.sendall(answer)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"qdrant://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def http(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode() + body


TITLE = b'{"title": "qdrant - vector search engine", "version": '


@pytest.mark.spec("ENC-ENGINE-3")
@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (b"SSH-2.0-OpenSSH\r\n", Garbled, "not HTTP"),
        (http(b"<html>welcome</html>"), Garbled, "something else"),
        (http(b"[1, 2]"), Garbled, "something else"),
        (http(b"{}"), Garbled, "does not answer as Qdrant"),
        (http(TITLE + b'"1.16', length=4000), Unavailable, "broke off"),
        (b"", Unavailable, "cannot be reached"),
        (http(b"no such thing", "502 Bad Gateway"), Unavailable, "look at its log"),
        (http(TITLE + b'"1.15.4"}'), Refused, "update it to 1.16 or later"),
        (http(TITLE + b'"1.16.0"}'), Garbled, "something else"),
    ],
)
def test_what_is_no_answer_of_qdrant_has_a_name(answer: bytes, error: type[Exception], told: str) -> None:
    with saying(answer) as address, pytest.raises(error, match=told):
        at(address, str).count()


@pytest.mark.spec("ENC-ENGINE-3")
def test_what_the_server_refuses_has_a_name_and_a_remedy(own: Server) -> None:
    for address, error, told in (
        (own.address("QDRANT_WRONG"), AuthRefused, r"correct the key of its address \(Invalid API key"),
        (own.address("QDRANT_UNSET"), AuthRefused, "set QDRANT_UNSET in the environment"),
        (f"qdrant://127.0.0.1:{own.port}", AuthRefused, "correct the key .*Must provide an API key"),
        (own.address(more="/Not A Name"), Refused, "cannot be the name"),
        (own.address().replace("qdrant:", "qdrant+https:"), Unavailable, "cannot be reached safely"),
    ):
        with pytest.raises(error, match=told) as met:
            at(address, own.secret, "refused").count()
        assert KEY not in str(met.value)
        assert "something else" not in str(met.value)
    reader = at(own.address("QDRANT_READER"), own.secret, "refused")
    assert reader.count() == 0
    with pytest.raises(AuthRefused, match=r"use a key that may read and write \(Forbidden"):
        fill(reader, *PETS)


@pytest.mark.spec("ENC-ENGINE-3")
def test_troubles_are_all_named(own: Server, index: Index) -> None:
    """Whatever status comes with whatever body, nothing but a trouble or a time limit comes out."""
    fill(index, *PETS)
    for status in (200, 400, 404, 405, 408, 413, 418, 422, 429, 500, 503, 504):
        for body in (
            {},
            [],
            {"status": "plain"},
            {"status": {"error": 3}},
            {"result": 3},
            {"result": [3]},
            {"result": [{}]},
            b"plain",
            None,
        ):
            time.sleep(0.06)
            with own.failing(lambda _m, _p, _b, answer=(status, body): answer), pytest.raises(SourceTrouble):
                index.search("river", limit=1)


@pytest.mark.spec("ENC-ENGINE-9")
def test_a_server_that_is_busy_or_full_says_what_to_do(index: Index, own: Server) -> None:
    fill(index, *PETS)
    full = {
        "status": {"error": "Service internal error: No space left on device: WAL buffer size exceeds available disk space"}
    }
    busy = {"status": {"error": "Rate limiting exceeded: Write rate limit exceeded"}}

    def writing(answer: tuple[int, Any]) -> Callable[[str, str, bytes], Any]:
        return lambda method, path, _body: (
            answer if method == "PUT" or (path.endswith("/batch") and "query" not in path) else None
        )

    with own.failing(writing((500, full))):
        with pytest.raises(Refused, match=r"takes no writes: .*make room on its disk"):
            fill(index, passage("cat", "changed"), state="2")
        assert ids(index.search("cat", limit=5)) == ["cat", "dog"]
    with own.failing(writing((429, busy))), pytest.raises(RateLimited, match="more to do than it can") as told:
        fill(index, passage("cat", "changed"), state="2")
    assert told.value.retry_after > 0
    fill(index, passage("cat", "changed"), state="2")
    assert ids(index.search("changed", limit=5)) == ["cat"]


@pytest.mark.spec("ENC-ENGINE-9")
def test_only_our_own_collections_are_touched(index: Index, own: Server) -> None:
    neighbour = at(own.address(), own.secret, "neighbour")
    fill(neighbour, *PETS)
    neighbour.fill(Meanings(), no_progress)
    fill(index, *PETS)
    index.fill(Meanings(), no_progress)
    index.remove()
    assert {name.partition("-")[0] for name in own.shards} == {"encyclopedia_neighbour"}
    own._create("encyclopedia_foreign", {"vectors": {"size": 4, "distance": "Cosine"}})
    foreign = at(own.address(), own.secret, "foreign")
    for ask in (lambda: fill(foreign, *PETS), foreign.remove):
        with pytest.raises(Refused, match="somebody else's"):
            ask()
    assert "encyclopedia_foreign" in own.shards


@pytest.mark.spec("ENC-ENGINE-1")
def test_an_index_of_another_version_is_never_searched_and_is_made_anew(index: Index, own: Server) -> None:
    fill(index, *PETS)
    (about,) = held(own, "about")
    own.set("encyclopedia_shared", {"made_by": about["made_by"] | {"analyser": 0}}, kind="about")
    time.sleep(FRESH)
    assert index.problem == "the index was made by another version (analyser 0 instead of 1)"
    assert (index.search("cat", limit=5), dict(index.documents())) == ((), {})
    with pytest.raises(ValueError, match="--rebuild"):
        fill(index, *PETS)
    with index.update() as writer:
        writer.clear()
        writer.put("cat", [PETS[0]], "s")
    assert (index.problem, ids(index.search("cat", limit=5))) == ("", ["cat"])


@pytest.mark.spec("ENC-ENGINE-4")
def test_keys_are_left_to_the_environment_and_never_told(made: Corpus, own: Server) -> None:
    for address in ("qdrant://:hunter2@host", "qdrant+https://:hunter2@host:6333/x", "qdrant://host?api_key=hunter2"):
        with pytest.raises(ConfigurationError, match=r"holds a password"):
            check(address, "corpora.x.engine")
    for address in ("qdrant://host", "qdrant+https://:${KEY}@host:443/mine", "qdrant://127.0.0.1:6333"):
        check(address, "corpora.x.engine")
    with pytest.raises(ConfigurationError, match="names a user"):
        check("qdrant://hunter2@host", "corpora.x.engine")
    engine: Any = engine_of(made)
    assert KEY not in repr(vars(engine.wire))
    answer = 403, {"status": {"error": f"Forbidden: {KEY} may not"}}
    with own.failing(lambda _m, path, _b: None if path == "/" else answer), pytest.raises(AuthRefused, match="… may not"):
        at(own.address(), own.secret, "told").count()


@pytest.mark.spec("ENC-ENGINE-9")
def test_over_tls_only_a_server_that_can_be_trusted_is_given_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(secure=True) as server:
        with pytest.raises(Unavailable, match=r"cannot be reached safely: .*SSL_CERT_FILE"):
            at(server.address(), server.secret, "distrusted").count()
        assert not server.asked
        monkeypatch.setenv("SSL_CERT_FILE", certificate()[0])
        index = at(server.address(), server.secret, "trusted")
        fill(index, *PETS)
        assert ids(index.search("cat", limit=5)) == ["cat", "dog"]


@pytest.mark.spec("ENC-ENGINE-9")
def test_words_of_every_kind_are_searched_within_a_scope(index: Index) -> None:
    """What is asked comes out of the same passages that a plain look at them gives."""
    fill(index, *library(80))
    for word in WORDS[:12]:
        wanted = {each.id for each in library(80) if "odd" in each.tags and word in f"{each.title} {each.body}".split()}
        assert set(ids(index.search(word, limit=80, tags=("odd",)))) == wanted
    documents = (*(f"other{number}" for number in range(70_000)), "d0007")
    assert ids(index.search(library(8)[7].body, limit=5, documents=documents)) == ["d0007"]


@pytest.mark.spec("ENC-ENGINE-9")
def test_every_write_waits_until_it_is_seen_and_goes_in_order(index: Index, own: Server) -> None:
    fill(index, *PETS)
    kinds = [json.loads(body)["operations"] for _, path, body in own.asked if path.endswith("/points/batch")]
    states = [
        at for at, each in enumerate(kinds) if any("state" in one.get("set_payload", {}).get("payload", {}) for one in each)
    ]
    assert states == [len(kinds) - 1], "the state is not told last"

"""What only an engine can do, or can do to us: workers that share the work, servers that are gone, frozen or closed to us."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.errors import AuthRefused, ConfigurationError, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.engines import postgres_wire
from encyclopedia_adapters.engines.candidates import BUDGET, candidates
from encyclopedia_adapters.engines.opening import check, open_index
from encyclopedia_adapters.engines.port import Words
from encyclopedia_adapters.shared.text_index import IndexBusy
from tests.adapters.engines.passages import PETS, fill, ids, passage
from tests.adapters.engines.workers import BATCH, DOCUMENTS, worker
from tests.adapters.shared.text_index.meanings import Meanings, no_progress
from tests.postgres_server import PASSWORD, Server, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia_adapters.engines.opening import Index


@pytest.fixture
def index(corpus: Callable[[str], Corpus]) -> Index:
    return open_index(corpus("postgres"))


def whole(index: Index, server: Server, name: str) -> None:
    """Each document is there once, and every number that is kept of them is that of what is there."""
    wanted = [f"d{number:04}" for number in range(DOCUMENTS)]
    assert sorted(index.documents()) == wanted
    with server.connect() as connection:
        connection.execute(f'SET search_path = "encyclopedia_{name}"')
        there = connection.execute("SELECT document, count(*) FROM passage GROUP BY document ORDER BY document").fetchall()
        assert there == [(document, 2) for document in wanted]
        assert connection.execute("SELECT passages FROM about").fetchone() == (2 * DOCUMENTS,)
        counted = "SELECT term, passages FROM term WHERE term IN ('lantern', 'number', 'shadow') ORDER BY term"
        assert connection.execute(counted).fetchall() == [(word, DOCUMENTS) for word in ("lantern", "number", "shadow")]


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_copy_whose_server_dies_prints_nothing(server: Server) -> None:
    """As in a program that sets no logging up, which a test does."""
    program = """
import sys
import psycopg
from encyclopedia_adapters.engines.postgres_bounded import Bounded
connection = Bounded.connect(sys.stdin.readline().strip())
connection.execute("CREATE TEMP TABLE put (number int)")
try:
    with connection.cursor().copy("COPY put FROM STDIN") as copy:
        copy.write_row((1,))
        with psycopg.connect(connection.info.dsn, password=connection.info.password, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", (connection.info.backend_pid,))
        while True:
            copy.write_row((2,))
except psycopg.OperationalError:
    print("lost")
"""
    address = f"postgresql://postgres:{quote(PASSWORD, safe='')}@127.0.0.1:{server.port}/postgres"
    done = subprocess.run(
        [sys.executable, "-c", program], input=address, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("lost\n", "")


@pytest.mark.spec("ENC-ENGINE-2")
def test_workers_share_the_batches(corpus: Callable[[str], Corpus], server: Server) -> None:
    made = corpus("postgres")
    workers = [worker(made, PASSWORD) for _ in range(3)]
    told = [process.communicate(timeout=120) for process in workers]
    assert [process.returncode for process in workers] == [0, 0, 0], told
    written = sorted(name for out, _ in told for name in out.split())
    assert written == [f"d{number:04}" for number in range(DOCUMENTS)], "a document was written twice, or never"
    whole(open_index(made), server, made.name)


@pytest.mark.spec("ENC-ENGINE-3")
def test_one_commit_may_hold_more_documents_than_a_server_has_locks_for(corpus: Callable[[str], Corpus]) -> None:
    index, names = open_index(corpus("postgres")), [f"d{number:05}" for number in range(6000)]
    for state in ("first", "second"):
        with index.update() as writer:
            for name in names:
                writer.put(name, [passage(name, name)], state=state)
        assert dict(index.documents()) == dict.fromkeys(names, state)
    assert index.count() == len(names)


@pytest.mark.spec("ENC-ENGINE-2")
def test_a_worker_that_is_killed_leaves_whole_batches_and_nothing_claimed(
    corpus: Callable[[str], Corpus], server: Server
) -> None:
    made = corpus("postgres")
    first = worker(made, PASSWORD)
    assert first.stdout is not None
    first.stdout.readline()
    first.stdout.readline()
    first.kill()
    first.communicate(timeout=30)
    index = open_index(made)
    left = len(index.documents())
    assert 0 < left < DOCUMENTS
    assert left % BATCH == 0
    second = worker(made, PASSWORD)
    out, error = second.communicate(timeout=120)
    assert second.returncode == 0, error
    assert len(out.split()) == DOCUMENTS - left
    whole(index, server, made.name)


@pytest.mark.spec("ENC-ENGINE-2")
def test_what_another_is_at_is_left_to_him_and_waited_for_no_longer_than_agreed(corpus: Callable[[str], Corpus]) -> None:
    made = corpus("postgres")
    index, other = open_index(made), open_index(made._replace(engine=made.engine + "?application_name=other"))
    fill(index, passage("old", "old"))
    with other.update() as theirs:
        assert theirs.claim(["a", "b"], 10) == ["a", "b"]
        with index.update(wait=0.2) as mine:
            assert mine.claim(["a", "b", "c"], 10) == ["c"]
            with pytest.raises(IndexBusy, match="2 documents"):
                mine.claim(["a", "b"], 10)
            mine.put("c", [passage("c", "ours")], "1")
        theirs.put("a", [passage("a", "theirs")], "1")
    assert sorted(index.documents()) == ["a", "c", "old"]
    with index.update() as mine:
        assert mine.claim(["a"], 10) == ["a"]


@pytest.mark.spec("ENC-ENGINE-2")
def test_vectors_are_shared_among_workers_too(corpus: Callable[[str], Corpus]) -> None:
    made = corpus("postgres")
    fill(open_index(made), *(passage(f"d{number}", f"car number {number}") for number in range(200)))
    embedders = [Meanings() for _ in range(3)]
    places = [open_index(made._replace(engine=f"{made.engine}?application_name=w{number}")) for number in range(3)]
    threads = [
        threading.Thread(target=place.fill, args=(embedder, no_progress))
        for place, embedder in zip(places, embedders, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    texts = [text for embedder in embedders for call in embedder.calls for text in call]
    assert (len(texts), len(set(texts))) == (200, 200)
    assert open_index(made).vectors(Meanings())[:2] == (200, 200)


@pytest.mark.spec("ENC-ENGINE-2")
def test_searches_see_whole_commits_while_others_write(corpus: Callable[[str], Corpus]) -> None:
    made = corpus("postgres")
    reader = open_index(made)
    process = worker(made, PASSWORD)
    seen = {0}
    while process.poll() is None:
        found = reader.search("lantern shadow", limit=2 * DOCUMENTS)
        seen.add(len(found))
        assert len(found) == 2 * len({each.document for each in found})
        time.sleep(0.01)
    assert process.communicate()[0]
    assert len(seen) > 2, "nothing was searched while it was written"


@pytest.fixture
def own() -> Iterator[Server]:
    with running() as made:
        yield made


def at(address: str, secret: Callable[[str], str], name: str = "lonely") -> Index:
    return open_index(Corpus(name, "", "documents", "", {}, engine=address, secret=secret))


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_server_that_goes_is_named_and_one_that_comes_back_is_used_again(own: Server) -> None:
    index = at(own.address(), own.secret)
    fill(index, *PETS)
    own.stop()
    for ask in (lambda: index.search("cat", limit=5), index.count, lambda: fill(index, *PETS), index.remove):
        start = time.monotonic()
        with pytest.raises(Unavailable, match="cannot be reached") as told:
            ask()
        assert time.monotonic() - start < 10
        assert PASSWORD not in str(told.value)
        assert "${PG_PASSWORD}" in str(told.value)
    own.start()
    assert ids(index.search("cat", limit=5)) == ["cat", "dog"]


@pytest.mark.spec("ENC-ENGINE-3")
def test_a_server_that_is_frozen_is_not_waited_for(own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_wire, "ANSWER", 1.0)
    index = at(own.address(), own.secret, "frozen")
    fill(index, *PETS)
    assert index.search("cat", limit=1)
    with own.frozen():
        time.sleep(0.1)  # what was just learnt of the index is no longer taken as known
        start = time.monotonic()
        with pytest.raises(TimeoutError, match="did not answer in time"):
            index.search("cat", limit=1)
        with pytest.raises((TimeoutError, SourceTrouble)):  # nobody takes a new connection either
            index.search("cat", limit=1)
        assert time.monotonic() - start < 15
    assert ids(index.search("cat", limit=1)) == ["cat"]


@pytest.mark.spec("ENC-ENGINE-3")
def test_what_the_server_refuses_has_a_name_and_a_remedy(server: Server) -> None:
    for address, error, told in (
        (server.address("PG_WRONG"), AuthRefused, "correct the user and the password"),
        (server.address("PG_UNSET"), AuthRefused, "set PG_UNSET in the environment"),
        (server.address(user="nobody"), AuthRefused, "correct the user and the password"),
        (server.address(database="nowhere"), Refused, "there is no such database"),
    ):
        with pytest.raises(error, match=told) as met:
            at(address, server.secret, "refused").count()
        assert PASSWORD not in str(met.value)
        assert "something else" not in str(met.value)


@pytest.mark.spec("ENC-ENGINE-4")
def test_passwords_are_left_to_the_environment() -> None:
    for address in (
        "postgresql://me:hunter2@host/db",
        "postgresql://me@host/db?password=hunter2",
        "postgres://host/db?sslmode=require&sslpassword=hunter2",
    ):
        with pytest.raises(ConfigurationError, match=r"holds a password"):
            check(address, "corpora.x.engine")
    for address in ("postgresql://me:${PW}@host/db", "postgresql:///db?host=/run/postgresql", "postgres://h/d?password=${PW}"):
        check(address, "corpora.x.engine")
    with pytest.raises(ConfigurationError, match=r"holds a password"):
        check("postgresql://me:${PW}hunter2@host/db", "corpora.x.engine")
    for address in ("mysql://host/db", "/a/path", "postgresql", "postgresql:/host"):
        with pytest.raises(ConfigurationError, match=r"begins with"):
            check(address, "corpora.x.engine")


@pytest.mark.spec("ENC-ENGINE-1")
def test_an_index_of_another_version_is_never_searched_and_is_made_anew(index: Index, server: Server) -> None:
    fill(index, *PETS)
    with server.connect() as connection:
        (name,) = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'encyclopedia_corpus%' ORDER BY oid DESC LIMIT 1"
        ).fetchone()
        connection.execute(f'SET search_path = "{name}"')
        connection.execute("UPDATE about SET made_by = jsonb_set(made_by, '{analyser}', '0')")
    time.sleep(0.1)  # what was just learnt of the index is no longer taken as known
    assert index.problem == "the index was made by another version (analyser 0 instead of 1)"
    assert (index.search("cat", limit=5), dict(index.documents())) == ((), {})
    with pytest.raises(ValueError, match="--rebuild"):
        fill(index, *PETS)
    with index.update() as writer:
        writer.clear()
        writer.put("cat", [PETS[0]], "s")
    assert (index.problem, ids(index.search("cat", limit=5))) == ("", ["cat"])


@pytest.mark.spec("ENC-ENGINE-5")
def test_many_passages_are_narrowed_to_those_with_telling_words() -> None:
    counts = {"the": (900_000, 0), "of": (800_000, 0), "lantern": (15_000, 0), "harbour": (40_000, 0), "pier": (50_000, 0)}
    words = Words(dict.fromkeys(counts, 1.0), 0.25, (), counts, 1_000_000)
    asked = candidates(words)
    assert asked.startswith("'lantern' | ('harbour' & 'pier')")
    assert "'of' & 'the'" not in asked
    cost = sum(
        counts[parts[0]][0] if len(parts) == 1 else counts[parts[0]][0] * counts[parts[1]][0] / words.size
        for parts in (clause.strip("()' ").split("' & '") for clause in asked.split(" | "))
    )
    assert cost <= BUDGET
    assert candidates(words._replace(weights={"the": 1.0, "of": 1.0})) == "'of' & 'the'"

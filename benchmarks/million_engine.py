"""A million passages in PostgreSQL: building by two workers, memory, disk, and queries while they build and afterwards.

Only if it is named, since it takes half an hour. The server is a real one, on this machine, with 64 MB of shared buffers: its
processor time and its memory are told apart from those of the workers. Questions are by words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._rows import Row, most, percentile
from benchmarks._size import sized
from benchmarks.peers.indexing import peak
from benchmarks.scale import questions, texts
from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.engines.opening import open_index
from encyclopedia_adapters.shared.text_index import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres_server import Server

SIZE, BATCH, WORKERS, ASKED, PAUSE = sized((1_000_000, 20_000, 2, 100, 0.5), (10_000, 1_000, 2, 5, 0.05))
START = f"{SIZE:,} passages in PostgreSQL"
MEMORY = 1024.0
TICK = os.sysconf("SC_CLK_TCK")


def corpus(server: Server) -> Corpus:
    """The corpus on the server."""
    return Corpus("million", "million", "documents", "", {}, engine=server.address(), secret=server.secret)


def opened(port: int) -> Any:
    """Its index, in a process that was told the port only."""
    from tests.postgres_server import Server

    server = Server(Path(), Path(), {})
    server.port = port
    return open_index(corpus(server))


def work(port: int, worker: int) -> dict[str, float]:
    """Every second batch, by one of the two that share the building."""
    index, source, begun = opened(port), texts(), time.process_time()
    for at in range(SIZE // BATCH):
        batch = list(islice(source, BATCH))
        if at % WORKERS == worker:
            with index.update() as writer:
                for name, title, text in batch:
                    writer.put(name, [Passage(name, name, title, text)], state="state")
    return {"cpu": time.process_time() - begun, "memory": peak()}


def asked(port: int) -> dict[str, Any]:
    """Milliseconds of the first question, with opening, and of the others, by the wall."""
    begun = time.perf_counter()
    index = opened(port)
    spent = []
    for text in questions(ASKED):
        assert index.search(text, limit=10)
        spent.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
    return {"open": spent[0], "query": spent[1:], "memory": peak()}


def child(step: str, *given: int) -> subprocess.Popen[str]:
    """One step in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.million_engine", step, *map(str, given)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def processes(pid: int) -> dict[int, float]:
    """The server's processes with the seconds that each has computed."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        if pid in (int(path.parent.name), int(fields[1])):
            found[int(path.parent.name)] = (int(fields[11]) + int(fields[12])) / TICK
    return found


def private(pids: dict[int, float]) -> float:
    """MiB that these processes hold, what they share counted once."""
    whole = 0
    for pid in pids:
        try:
            told = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        whole += sum(int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:"))
    return whole / 1024


def build(server: Server, pid: int) -> Iterator[Row]:
    """Two workers at once, and a search now and then."""
    begun, building = time.perf_counter(), [child("work", server.port, worker) for worker in range(WORKERS)]
    spent: list[float] = []
    used: dict[int, float] = {}
    memory, texts_asked = 0.0, questions(ASKED)
    index = open_index(corpus(server))
    while any(worker.poll() is None for worker in building):
        running = processes(pid)
        used |= running
        memory = max(memory, private(running))
        if index.count():
            at = time.perf_counter()
            assert index.search(texts_asked[len(spent) % len(texts_asked)], limit=10)
            spent.append((time.perf_counter() - at) * 1000)
        time.sleep(PAUSE)
    seconds = time.perf_counter() - begun
    told = [json.loads(worker.communicate()[0]) for worker in building]
    assert index.count() == SIZE
    yield Row(f"{START}: building, from start to end", seconds, "s", note=f"{WORKERS} workers")
    yield Row(f"{START}: build, CPU of the workers", sum(each["cpu"] for each in told), "s")
    yield Row(f"{START}: build, CPU of the server", sum(used.values()), "s")
    yield most(f"{START}: most memory of a worker", max(each["memory"] for each in told), "MiB", MEMORY)
    yield most(f"{START}: most memory of the server while building", memory, "MiB", MEMORY)
    yield Row(f"{START}: searches while it was built", len(spent), note="each found something")
    yield Row(f"{START}: a search while it was built, p50", percentile(spent, 0.5), "ms")
    yield Row(f"{START}: a search while it was built, p99", percentile(spent, 0.99), "ms")


def rows() -> Iterator[Row]:
    """Building, then asking."""
    from tests import postgres_server

    with postgres_server.running() as server, closing(server.connect()) as connection:
        (pid,) = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
        yield from build(server, int(pid.split()[0]))
        index = open_index(corpus(server))
        begun = time.perf_counter()
        connection.execute("VACUUM (ANALYZE)")
        yield Row(f"{START}: vacuum and statistics afterwards", time.perf_counter() - begun, "s")
        told = json.loads(child("ask", server.port).communicate()[0])
        (size,) = connection.execute("SELECT pg_database_size('postgres')").fetchone()
        yield Row(f"{START}: on the server's disk", size / 2**20, "MiB")
        yield Row(f"{START}: opening and the first query", told["open"], "ms")
        yield Row(f"{START}: query, p50", percentile(told["query"], 0.5), "ms")
        yield Row(f"{START}: query, p99", percentile(told["query"], 0.99), "ms")
        yield Row(f"{START}: most memory of a process that asks", told["memory"], "MiB")
        begun = time.perf_counter()
        with index.update() as writer:
            for name, title, text in islice(texts(), 1000):
                writer.put(f"more {name}", [Passage(f"more {name}", f"more {name}", title, text)], state="state")
        yield Row(f"{START}: 1,000 passages more", time.perf_counter() - begun, "s")


if __name__ == "__main__":
    step, *given = sys.argv[1:]
    print(json.dumps({"work": work, "ask": asked}[step](*map(int, given))))

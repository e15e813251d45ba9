"""Eight processes on one cache for some seconds; the full minute is ``python -m benchmarks.cache --soak``."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
from contextlib import suppress

import pytest

from encyclopedia_adapters.storage.diskcache_answers import open_store
from encyclopedia_adapters.storage.near_index import open_index

RUN = "import runpy, sys; sys.argv[0:1] = []; sys.argv.insert(0, 'soak'); runpy.run_module('tests.adapters.storage.cache_soak', run_name='__main__')"


@pytest.mark.spec("ENC-NEAR-16")
def test_eight_processes_get_set_clear_and_are_killed(start, tmp_path):
    folder, seconds = str(tmp_path / "cache"), 5
    steady = [start(RUN, folder, seed, seconds) for seed in range(7)]
    for seed in range(7, 13):  # and one after the other that does not live to the end
        doomed = start(RUN, folder, seed, 60)
        with suppress(subprocess.TimeoutExpired):
            doomed.wait(random.Random(seed).uniform(0.6, 1.2))
        doomed.kill()
    told = [json.loads(process.communicate()[0]) for process in steady]
    assert [one["wrong"] for one in told] == [[]] * 7
    assert [one["problem"] for one in told] == [""] * 7
    total = {name: sum(one["done"][name] for one in told) for name in told[0]["done"]}
    assert min(total["hit"], total["put"], total["near"]) > 0
    con = sqlite3.connect(f"{folder}/cache.db")
    assert con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    orphans = con.execute("SELECT count(*) FROM Near WHERE key NOT IN (SELECT key FROM Cache)").fetchone()
    counts = con.execute("SELECT (SELECT count(*) FROM Near), (SELECT coalesce(sum(entries), 0) FROM NearGroups)").fetchone()
    con.close()
    assert orphans == (0,)
    assert counts[0] == counts[1]
    store, index = open_store(folder, ttl=9e9, entries=40), open_index(folder)
    assert all(entry.body for entry in store.entries())
    assert len(index.all()) == counts[0]
    store.close()
    index.close()

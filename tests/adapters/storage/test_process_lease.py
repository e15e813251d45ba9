"""One process at a time on a question, and nobody waits for the dead."""

from __future__ import annotations

import asyncio

import pytest

from encyclopedia_adapters.storage.process_lease import open_lease

HOLD = """
import asyncio, sys
from encyclopedia_adapters.storage.process_lease import open_lease
async def main():
    patience = float(sys.argv[3]) if len(sys.argv) > 3 else 5.0
    async with open_lease(sys.argv[1]).hold(sys.argv[2], patience) as another:
        print(another, flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(main())
"""


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "state")


async def test_a_free_key_is_held_at_once(folder):
    async with open_lease(folder).hold("a", 0.0) as another:
        assert another is False


@pytest.mark.spec("ENC-FLIGHT-5")
async def test_another_process_is_waited_for(folder, start):
    holder = start(HOLD, folder, "a")
    assert holder.stdout.readline() == "False\n"
    async with open_lease(folder).hold("b", 5.0) as another:
        assert another is False  # another question is another matter

    async def ask():
        async with open_lease(folder).hold("a", 30.0) as another:
            return another

    asking = asyncio.create_task(ask())
    await asyncio.sleep(0.05)
    assert not asking.done()
    holder.communicate("\n")
    assert await asking is True


@pytest.mark.spec("ENC-FLIGHT-5")
async def test_a_dead_process_holds_nothing(folder, start):
    holder = start(HOLD, folder, "a")
    holder.stdout.readline()
    asking = open_lease(folder).hold("a", 30.0)
    holder.kill()
    holder.wait()
    async with asking as another:
        assert another is False


@pytest.mark.spec("ENC-FLIGHT-5")
async def test_patience_ends(folder, start):
    holder = start(HOLD, folder, "a")
    holder.stdout.readline()
    for patience in (0.0, 0.05):
        async with open_lease(folder).hold("a", patience) as another:
            assert another is True
    second = start(HOLD, folder, "a", "0")
    assert second.stdout.readline() == "True\n"  # the one that went on without it has not released what it never held
    second.communicate("\n")
    holder.communicate("\n")


async def test_waiting_can_be_cancelled(folder, start):
    holder = start(HOLD, folder, "a")
    holder.stdout.readline()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), open_lease(folder).hold("a", 30.0):
            pass
    holder.communicate("\n")
    async with open_lease(folder).hold("a", 0.0) as another:
        assert another is False


async def test_what_was_done_raises_and_releases(folder, start):
    with pytest.raises(RuntimeError):
        async with open_lease(folder).hold("a", 1.0):
            raise RuntimeError
    holder = start(HOLD, folder, "a")
    assert holder.stdout.readline() == "False\n"
    holder.communicate("\n")


async def test_a_place_without_files_is_no_hindrance(tmp_path):
    (tmp_path / "file").write_text("no folder")
    async with open_lease(str(tmp_path / "file")).hold("a", 1.0) as another:
        assert another is False

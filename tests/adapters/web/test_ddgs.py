import asyncio
import threading

import pytest

from encyclopedia.model.errors import Garbled, RateLimited, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Package
from encyclopedia_adapters.web.ddgs import CARD, Ddgs
from tests.adapters.contract.stand_ins import request


class DDGSException(Exception):
    """As the library has them."""


class RatelimitException(DDGSException):
    pass


class TimeoutException(DDGSException):
    pass


class Engines:
    """Stands for the library: what it was asked, in which thread, and what it answers or raises."""

    def __init__(self, found=(), error=None):
        self.found, self.error = found, error
        self.asked, self.threads = [], []

    def __call__(self, text, limit, seconds):
        self.asked.append((text, limit, seconds))
        self.threads.append(threading.current_thread())
        if self.error is not None:
            raise self.error
        return self.found


@pytest.mark.spec("ENC-DDGS-1")
def test_the_card_is_off_and_needs_the_extra():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert CARD.requires == (Package("ddgs", "ddgs"),)
    assert not CARD.default
    assert not CARD.keyless
    assert CARD.form is Form.KEYWORD


@pytest.mark.spec("ENC-DDGS-2")
async def test_it_is_asked_in_a_thread_of_its_own_that_nobody_waits_for():
    engines = Engines([])
    await Ddgs(engines).search(request("retry policy", limit=7, timeout=5.0))
    await Ddgs(engines).search(request("retry policy", limit=500, timeout=0.3, version="4.2"))
    assert engines.asked == [("retry policy", 7, 4), ("retry policy 4.2", 30, 1)]
    assert all(thread.daemon and thread is not threading.current_thread() for thread in engines.threads)


@pytest.mark.spec("ENC-DDGS-2")
async def test_a_search_that_is_given_up_leaves_the_loop_free():
    started, go_on, threads, faults = threading.Event(), threading.Event(), [], []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))

    def slow(text, limit, seconds):
        threads.append(threading.current_thread())
        started.set()
        go_on.wait(10)
        return []

    task = asyncio.create_task(Ddgs(slow).search(request()))
    while not started.is_set():
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await asyncio.to_thread(threads[0].join, 10)
    await asyncio.sleep(0)  # its late answer arrives at a future that was cancelled
    assert faults == []


@pytest.mark.spec("ENC-DDGS-2")
def test_an_answer_after_the_end_of_the_loop_harms_nobody():
    started, go_on, threads = threading.Event(), threading.Event(), []

    def slow(text, limit, seconds):
        threads.append(threading.current_thread())
        started.set()
        go_on.wait(10)
        return []

    async def given_up():
        task = asyncio.create_task(Ddgs(slow).search(request()))
        while not started.is_set():
            await asyncio.sleep(0)
        task.cancel()

    asyncio.run(given_up())
    go_on.set()
    threads[0].join(10)
    assert not threads[0].is_alive()


@pytest.mark.spec("ENC-DDGS-3")
async def test_results_become_clean_hits():
    found = [
        {"title": "Async \x1b[31mrouting", "href": "https://example.org/a", "body": "vector<int> <script>x</script>"},
        {"title": "Bad address", "href": "javascript:x", "body": "b"},
        {"title": "", "href": "https://example.org/c", "body": ""},
        None,
    ]
    assert (await Ddgs(Engines(found)).search(request())).hits == (
        Hit("Async routing", "https://example.org/a", "vector<int>"),
        Hit("Bad address", "", "b"),
    )
    assert len((await Ddgs(Engines(found)).search(request(limit=1))).hits) == 1


@pytest.mark.spec("ENC-DDGS-3")
async def test_no_results_say_that_engines_may_have_refused():
    reply = await Ddgs(Engines(error=DDGSException("No results found."))).search(request())
    assert reply.hits == ()
    assert "refused to be read" in reply.note
    assert not reply.reduced


@pytest.mark.spec("ENC-DDGS-4")
@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (TimeoutException("operation timed out"), TimeoutError, "in time"),
        (DDGSException(TimeoutException("https://engine.example.org/?q=private")), TimeoutError, "in time"),
        (RatelimitException("202"), RateLimited, "wait"),
        (DDGSException(RatelimitException("202")), RateLimited, "wait"),
        (DDGSException(ValueError("https://engine.example.org/?q=private")), Unavailable, "ValueError"),
        (DDGSException("RequestError: https://engine.example.org/?q=private"), Unavailable, "DDGSException"),
        (KeyError("a fault of its own"), KeyError, "fault"),
    ],
)
async def test_each_error_of_the_library_is_one_of_ours(error, kind, sentence):
    with pytest.raises(kind, match=sentence) as caught:
        await Ddgs(Engines(error=error)).search(request())
    assert "private" not in str(caught.value)


@pytest.mark.spec("ENC-DDGS-4")
@pytest.mark.parametrize("found", [None, {}, "text"])
async def test_something_else_than_a_list_is_garbled(found):
    with pytest.raises(Garbled):
        await Ddgs(Engines(found)).search(request())

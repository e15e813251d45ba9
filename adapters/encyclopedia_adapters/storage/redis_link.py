"""The way to a Redis or Valkey server that may go away: nobody waits for it twice, and it is taken up again when it is back."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from encyclopedia_adapters.storage.redis_address import address_of
from encyclopedia_adapters.storage.redis_patience import patient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia_adapters.storage.redis_address import Address

R = TypeVar("R")
FORMAT = 1
"""The form of everything that is kept: part of each key, so that one form leaves another alone."""
POLL = 0.5
"""Seconds between two rounds: a look whether a lost server is back, and whatever is done in every round."""
ALIVE = 60
"""Seconds for which the mark of the last look stays."""
PROBE = "return redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])"
"""What tells that the server can do all that is asked of it: it runs scripts, and it writes."""
USELESS = {
    "OOM": "is out of memory",
    "READONLY": "is a replica that cannot be written to",
    "MISCONF": "cannot write to its disk and takes nothing",
    "NOAUTH": "asks for a password",
    "WRONGPASS": "does not accept the user or the password",
    "NOPERM": "does not let this user do what is needed",
    "LOADING": "is still loading its data",
    "BUSY": "is busy with a script",
    "MASTERDOWN": "has lost its primary",
    "CLUSTERDOWN": "belongs to a cluster that is down",
    "MOVED": "is one node of a cluster and does not hold these keys",
    "NOREPLICAS": "has too few replicas to be written to",
}
"""Errors of the server that are not about one command: nothing else would work either."""
NAMED = {
    "AuthenticationError": "WRONGPASS",
    "AuthenticationWrongNumberOfArgsError": "WRONGPASS",
    "BusyLoadingError": "LOADING",
    "MovedError": "MOVED",
    "ClusterDownError": "CLUSTERDOWN",
    "MasterDownError": "MASTERDOWN",
    "NoPermissionError": "NOPERM",
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
}
"""Errors from which redis-py takes the code away."""
_CODE = re.compile(r"[A-Z]{2,20}")


class Gone(ConnectionError):
    """The shared state cannot be had just now; whoever hears it uses what this machine has."""


class Refused(Gone):
    """One command was not taken, for a reason that may be its own."""


class Link:
    """The connections of one process to the server, usable from any thread.

    A call that fails, or takes longer than the timeout of the address, says that the server is gone: from then on ``run``
    raises at once, and a thread looks every half second whether it is back. ``problem`` says in a sentence what is wrong,
    ``changed`` is told it at each change (empty: all is well again).
    """

    def __init__(self, address: Address) -> None:
        import threading

        self.address = address
        self.problem = ""
        self.changed: Callable[[str], None] = lambda _problem: None
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._client: Any = None
        self._scripts: dict[str, Any] = {}
        self._rounds: list[Callable[[], None]] = []
        self._returns: list[Callable[[], None]] = []
        self._missed = False

    def key(self, tag: str, *more: str) -> str:
        """The name of a key; keys of one ``tag`` lie together in a cluster, so that one command may use several."""
        return ":".join((f"{self.address.prefix}:{FORMAT}:{{{tag}}}", *more))

    def run(self, work: Callable[[Any], R]) -> R:
        """What ``work`` makes of the client of redis-py (bytes in and out); it blocks, so not on an event loop.

        Raises ``Gone`` when the server does not answer or takes nothing, ``ValueError`` when a key holds what is not ours.
        """
        if self.problem:
            raise Gone(self.problem)
        try:
            return self._tried(work)
        except Refused:
            self.look()  # whether the server takes anything at all
            raise

    def script(self, text: str, keys: Sequence[str], values: Sequence[str | bytes | int | float] = ()) -> Any:
        """Run a Lua script, which nobody comes in between of; as ``run``."""
        return self.run(lambda client: self._script(client, text)(keys=keys, args=values))

    def _script(self, client: Any, text: str) -> Any:
        if text not in self._scripts:
            self._scripts[text] = client.register_script(text)
        return self._scripts[text]

    def each_round(self, work: Callable[[], None]) -> None:
        """Have ``work`` done about every half second in a thread while the server is there; ``Gone`` is suppressed."""
        self._rounds.append(work)
        self._begin()

    def when_back(self, work: Callable[[], None]) -> None:
        """Have ``work`` done in a thread each time that the server is back."""
        self._returns.append(work)

    def look(self) -> bool:
        """Whether the server does what is needed; asks it now."""
        key = self.key("alive")
        try:
            self._tried(lambda client: self._script(client, PROBE)(keys=[key], args=[1, ALIVE]))
        except (Gone, ValueError):
            if not self.problem:
                self._lost("does not do what is needed")
            return False
        if self.problem:
            self._tell("")
        return True

    def close(self) -> None:
        """Give the connections back; a thread that is waiting for the server ends with its wait."""
        self._stop.set()
        with self._lock:
            client, self._client, self._scripts = self._client, None, {}
        if client is not None:
            with suppress(Exception):
                client.close()

    def _tried(self, work: Callable[[Any], R]) -> R:
        client = self._opened()
        import redis.exceptions as failures

        try:
            return work(client)
        except failures.RedisError as error:
            raise self._failure(error) from None
        except OSError:
            raise self._lost("cannot be reached") from None

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = connect(self.address)
            return self._client

    def _failure(self, error: Exception) -> Exception:
        import redis.exceptions as failures

        code = _code(error)
        if code == "WRONGTYPE":
            return ValueError(f"{self.address.place} holds a key of another kind under our name")
        if isinstance(error, failures.TimeoutError):
            return self._lost(f"does not answer within {self.address.timeout:g} s")
        if code in USELESS:
            return self._lost(USELESS[code])
        if isinstance(error, failures.ConnectionError):
            return self._lost("cannot be reached")
        return Refused(f"the shared state {self.address.place} refused a command ({code or type(error).__name__})")

    def _lost(self, why: str) -> Gone:
        problem = f"{self.address.place} {why}"
        if problem != self.problem:
            self._tell(problem)
        self._begin()
        return Gone(problem)

    def _tell(self, problem: str) -> None:
        self.problem = problem
        self._missed = self._missed or bool(problem)
        with suppress(Exception):
            self.changed(problem)

    def _begin(self) -> None:
        import threading

        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._keep, name="shared state", daemon=True)
                self._thread.start()

    def _keep(self) -> None:
        while not self._stop.wait(POLL):
            if self.problem and not self.look():
                continue
            returned, self._missed = self._missed, False
            for work in (*(self._returns if returned else ()), *self._rounds):
                with suppress(Exception):  # one that fails is none of the others' business
                    work()


def open_link(url: str) -> Link:
    """The link to an address; opens nothing. Raises ``ConfigurationError`` for what is no such address."""
    return Link(address_of(url))


def connect(address: Address) -> Any:
    """A client over a pool of connections, none of which is open yet."""
    import redis
    from redis.backoff import NoBackoff
    from redis.connection import ConnectionPool, SSLConnection, UnixDomainSocketConnection
    from redis.retry import Retry

    kinds: dict[bool, Any] = {True: SSLConnection, False: redis.Connection}
    kind = patient(UnixDomainSocketConnection if address.path else kinds[address.tls])
    # a second try belongs to the keeper: retries of the library would hold up every search
    pool = ConnectionPool(kind, 1 << 12, protocol=2, retry=Retry(NoBackoff(), 0), **address.options())
    return redis.Redis(connection_pool=pool)


def _code(error: Exception) -> str:
    """The code with which an error of the server begins; nothing else of it is repeated."""
    word = str(error).partition(" ")[0]
    return word if _CODE.fullmatch(word) else NAMED.get(type(error).__name__, "")

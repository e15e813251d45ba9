"""Connections to PostgreSQL: few, kept open, each with a limit to how long it may be waited for; what goes wrong has a name."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from encyclopedia.model.errors import AuthRefused, Garbled, Refused, SourceTrouble, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

    from encyclopedia_adapters.engines.postgres_bounded import Bounded

T = TypeVar("T")

KEPT = 4
"""Idle connections that an index keeps."""

CONNECT, ANSWER = 3, 5.0
"""Seconds to connect and to wait for an answer to a search."""

WRITTEN = 120.0
"""Seconds to wait for what a writer asks: a batch that other writers wait for is stored, and theirs before it."""

_SESSION = {
    "statement_timeout": str(int(ANSWER * 1000)),
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "jit": "off",
}
"""The server looks whether we are still there: what a machine had claimed that lost its power is free again soon."""

_DENIED = ("28", "42501")
_SHORT = "53"
_MISSING = {
    "3D000": "there is no such database",
    "0A000": "an extension is not there: install pgvector 0.7 or newer on the server",
    "58P01": "an extension is not there: install pgvector 0.7 or newer on the server",
}


class Connections:
    """Connections to one schema; ``shown`` is the address without what is secret in it."""

    def __init__(self, url: str, shown: str, schema: str, hidden: tuple[str, ...] = ()) -> None:
        self._url, self._shown, self._schema, self._hidden = url, shown, schema, hidden
        self._idle: list[psycopg.Connection[Any]] = []
        self._lock = Lock()

    def read(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """What ``work`` gives; once more on a new connection if the one that was kept has died meanwhile."""
        import psycopg

        with self._lock:
            kept = self._idle.pop() if self._idle else None
        with self._named():
            if kept is not None:
                try:
                    return self._kept(kept, work)
                except (psycopg.OperationalError, psycopg.InterfaceError):
                    if not kept.closed:
                        raise
            return self._kept(self._open(), work)

    @contextmanager
    def write(self, limit: float | None = WRITTEN) -> Iterator[psycopg.Connection[Any]]:
        """A connection in a transaction whose statements may take ``limit`` seconds each."""
        with self._named():
            connection = self._open()
            connection.limit = limit
            try:
                with connection.transaction():
                    connection.execute("SET LOCAL statement_timeout = 0")
                    yield connection
            finally:
                connection.close()

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _kept(self, connection: psycopg.Connection[Any], work: Callable[[psycopg.Connection[Any]], T]) -> T:
        try:
            with connection.transaction():
                done = work(connection)
        except BaseException:
            if connection.closed or connection.broken:
                connection.close()
            else:
                self._keep(connection)
            raise
        self._keep(connection)
        return done

    def _keep(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            room = len(self._idle) < KEPT
            if room:
                self._idle.append(connection)
        if not room:
            connection.close()

    def _open(self) -> Bounded:
        from encyclopedia_adapters.engines.postgres_bounded import Bounded

        connection = Bounded.connect(
            self._url,
            autocommit=True,
            connect_timeout=CONNECT,
            prepare_threshold=None,  # plans depend on the vector, and a proxy may hand out another session
            application_name="encyclopedia",
            tcp_user_timeout=int(ANSWER * 1000),
        )
        connection.limit = ANSWER + 1.0  # the server's own limit comes first
        try:
            set_one = "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS told(name, value)"
            connection.execute(set_one, (list(_SESSION), list(_SESSION.values())))
            connection.execute(
                "SELECT set_config('search_path', quote_ident(%s) || ', ' || current_setting('search_path'), false)",
                (self._schema,),
            )
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Whatever the client raises becomes a ``SourceTrouble``, with nothing secret in it."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise self._trouble(error) from None

    def _trouble(self, error: psycopg.Error) -> SourceTrouble | TimeoutError:
        import psycopg

        code, told = error.sqlstate or "", self._told(error)
        if code.startswith(_DENIED) or "authentication failed" in told or "no password supplied" in told:
            return AuthRefused(f"{self._shown} does not let us in: {told}; correct the user and the password of its address")
        if isinstance(error, psycopg.errors.QueryCanceled | psycopg.errors.ConnectionTimeout):
            return TimeoutError(f"{self._shown} did not answer in time")
        if "database" in told and "does not exist" in told:  # while connecting there are no codes
            code = "3D000"
        if code in _MISSING or 'type "sparsevec"' in told or 'type "vector"' in told:
            reason = _MISSING.get(
                code, "pgvector is older than 0.7: update it on the server, then ALTER EXTENSION vector UPDATE"
            )
            return Refused(f"{self._shown}: {reason} ({told})")
        if code.startswith(_SHORT):
            return Unavailable(f"{self._shown} is short of something: {told}; give the server more of it")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return Unavailable(f"{self._shown} cannot be reached: {told}; start it, or correct its address")
        return Garbled(f"{self._shown}: {told}")

    def _told(self, error: psycopg.Error) -> str:
        """The first line of what the server says, without what is secret."""
        told = error.diag.message_primary or " ".join(str(error).split())
        for value in self._hidden:
            told = told.replace(value, "…")
        return told[:300]

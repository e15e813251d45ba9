"""What is asked of OpenSearch, in JSON over HTTP; whatever it refuses has a name and a remedy."""

from __future__ import annotations

import json
import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import Garbled, Refused, Unavailable
from encyclopedia_adapters.engines.http_wire import ANSWER, WRITTEN, Reply, Request
from encyclopedia_adapters.engines.opensearch_troubles import BLOCKED, BUSY, kind_of, trouble

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from encyclopedia_adapters.engines.http_wire import HttpWire

OLDEST = (2, 13)
"""The first version whose Lucene vectors are compared by inner product."""

PAGE = 10_000
"""Hits, or buckets, of one answer at most: what an index gives unless it is told otherwise."""

_BULK_BYTES, _BULK_ITEMS = 4 * 1024 * 1024, 1000
_TRIES, _PAUSE = 6, 0.1
_LATER = 5.0
_NDJSON = "application/x-ndjson"
CONFLICT = 409
_OK = 300
_GONE = "document_missing_exception"


class Action(NamedTuple):
    """One line or two of a bulk request: ``verb`` is index, create, update or delete; ``at`` its sequence number and term."""

    verb: str
    id: str
    at: tuple[int, int] | None = None
    source: Mapping[str, Any] | None = None

    def lines(self) -> bytes:
        """As they are sent."""
        told = {"_id": self.id} | ({"if_seq_no": self.at[0], "if_primary_term": self.at[1]} if self.at else {})
        head = _json({self.verb: told}) + b"\n"
        if self.source is None:
            return head
        return head + _json({"doc": self.source} if self.verb == "update" else self.source) + b"\n"


class OpenSearchWire:
    """Requests to one server; its version is looked at before the first."""

    def __init__(self, http: HttpWire) -> None:
        self._http = http
        self._version: tuple[int, ...] = ()
        self._lock = Lock()

    @property
    def version(self) -> tuple[int, ...]:
        """The version of the server. Raises ``Refused`` if it is too old, or no OpenSearch at all."""
        with self._lock:
            if not self._version:
                self._version = self._looked()
            return self._version

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, limit: float | None = None) -> Any:
        """The answer to a request. Raises the ``SourceTrouble`` that fits, ``Missing`` for an index that is not there."""
        _ = self.version
        return self._asked(Request(method, path, _json(body) if body is not None else b"", limit=limit or ANSWER))

    def search(self, index: str, body: Mapping[str, Any], *, alike: bool = False) -> Any:
        """What is found, all of it or nothing; with ``alike`` scores that are alike in all shards."""
        kind = "search_type=dfs_query_then_fetch&" if alike else ""
        return self._whole(self.ask("POST", f"/{index}/_search?{kind}allow_partial_search_results=false", body))

    def searches(self, asked: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
        """What several searches find, in one request. Raises as one alone."""
        _ = self.version
        lines = b"".join(_json({"index": index}) + b"\n" + _json(body) + b"\n" for index, body in asked)
        found = self._list(self._asked(Request("POST", "/_msearch", lines, _NDJSON, ANSWER)), "responses", len(asked))
        for each in found:
            if "error" in each:
                raise trouble(self._http, each.get("status", 0), each)
        return list(map(self._whole, found))

    def pages(self, index: str, body: Mapping[str, Any], size: int = PAGE) -> Iterator[list[Any]]:
        """All hits in the order of ``sort``, ``size`` at a time; no two of them may have the same values there."""
        after: dict[str, Any] = {}
        while True:
            hits = self.search(index, {**body, **after, "size": size, "track_total_hits": False})["hits"]["hits"]
            if hits:
                yield hits
            if len(hits) < size:
                return
            after = {"search_after": hits[-1]["sort"]}

    def documents(self, index: str, ids: Sequence[str], fields: str) -> dict[str, Any]:
        """Documents by id with the ``fields`` of their source, as they are now, refreshed or not; those that are there."""
        found: dict[str, Any] = {}
        for at in range(0, len(ids), PAGE):
            body = {"ids": list(ids[at : at + PAGE])}
            answer = self.ask("POST", f"/{index}/_mget?_source_includes={fields}", body)
            told = self._list(answer, "docs", len(body["ids"]))
            for each in told:
                if "error" in each:
                    raise trouble(self._http, 0, each)
            found |= {each["_id"]: each for each in told if each["found"]}
        return found

    def bulk(self, index: str, actions: Iterable[Action]) -> list[Any]:
        """What became of each action, in order; one that came too late has the status 409 or 404, all others went well.

        ``index`` must be an alias, so that none is ever made by writing to it. What the server has no room for at the moment
        is sent again. Raises the ``SourceTrouble`` of the first action that failed otherwise.
        """
        _ = self.version
        done: list[Any] = []
        for lot in _lots(actions):
            done += self._lot(f"/{index}/_bulk?require_alias=true", lot)
        return done

    def refresh(self, index: str) -> None:
        """Let searches see what was written."""
        self.ask("POST", f"/{index}/_refresh", limit=WRITTEN)

    def close(self) -> None:
        """Close what is idle."""
        self._http.close()

    def _lot(self, path: str, lot: list[bytes]) -> list[Any]:
        done: list[Any] = [None] * len(lot)
        told: list[Any]
        left, until = list(range(len(lot))), time.monotonic() + WRITTEN
        for attempt in range(_TRIES):
            reply = self._http.send(Request("POST", path, b"".join(lot[at] for at in left), _NDJSON, until - time.monotonic()))
            if reply.status == BUSY and kind_of(_parsed(reply)) != BLOCKED:
                told = [{"status": BUSY, "error": {"reason": "too many requests"}}] * len(left)
            else:
                told = [next(iter(item.values())) for item in self._list(self._answer(reply), "items", len(left))]
            for at, item in zip(left, told, strict=True):
                done[at] = item
                if item["status"] >= _OK and not _late(item) and (item["status"] != BUSY or kind_of(item) == BLOCKED):
                    raise trouble(self._http, item["status"], item)
            left = [at for at in left if done[at]["status"] == BUSY]
            if not left:
                return done
            time.sleep(min(_PAUSE * 2**attempt, max(until - time.monotonic(), 0.0)))
        raise trouble(self._http, BUSY, done[left[0]])

    def _looked(self) -> tuple[int, ...]:
        told = self._asked(Request("GET", "/", limit=ANSWER)).get("version")
        number = str(told.get("number", "")) if isinstance(told, dict) else ""
        if not number:
            raise Garbled(f"{self._http.shown} does not answer as OpenSearch does")
        if told.get("distribution") != "opensearch":
            other = f"not OpenSearch but something like Elasticsearch {number[:20]}"
            raise Refused(f"{self._http.shown} is {other}: name another, or turn its compatibility mode off")
        version = tuple(int(part) for part in number.split(".")[:2] if part.isdecimal())
        if version < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            raise Refused(f"{self._http.shown} is OpenSearch {number[:20]}: update it to {wanted} or later")
        return version

    def _asked(self, request: Request) -> Any:
        return self._answer(self._http.send(request))

    def _answer(self, reply: Reply) -> Any:
        body = _parsed(reply)
        if reply.status >= _OK:
            raise trouble(self._http, reply.status, body)
        if not isinstance(body, dict):
            raise Garbled(f"{self._http.shown} answered something else than it promises")
        return body

    def _list(self, answer: Mapping[str, Any], name: str, size: int) -> list[Any]:
        found = answer.get(name)
        if not isinstance(found, list) or len(found) != size or not all(isinstance(each, dict) and each for each in found):
            raise Garbled(f"{self._http.shown} answered something else than it promises")
        return found

    def _whole(self, found: Any) -> Any:
        if not all(isinstance(found.get(name), dict) for name in ("hits", "_shards")):
            raise Garbled(f"{self._http.shown} answered something else than it promises")
        if found.get("timed_out") or found["_shards"].get("failed"):
            raise Unavailable(f"{self._http.shown} looked into a part of the index only: see whether its shards are well")
        return found


def _late(item: Any) -> bool:
    """Whether the document is not, or no longer, as the action has it."""
    return item["status"] == CONFLICT or (item["status"] == 404 and (kind_of(item) in ("", _GONE)))  # noqa: PLR2004 - a status


def _lots(actions: Iterable[Action]) -> Iterator[list[bytes]]:
    lot: list[bytes] = []
    size = 0
    for action in actions:
        lines = action.lines()
        if lot and (size + len(lines) > _BULK_BYTES or len(lot) >= _BULK_ITEMS):
            yield lot
            lot, size = [], 0
        lot.append(lines)
        size += len(lines)
    if lot:
        yield lot


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _parsed(reply: Reply) -> Any:
    try:
        return json.loads(reply.body)
    except ValueError:
        return None

"""What is asked of Qdrant, in JSON over HTTP; whatever it refuses has a name and a remedy."""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import AuthRefused, Garbled, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.engines.http_wire import ANSWER, WRITTEN, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from encyclopedia_adapters.engines.http_wire import HttpWire, Reply

OLDEST = (1, 16)
"""The first version that writes a point only where none is there: so two workers never claim the same document."""

PAGE = 1000
"""Points of one page."""

_BYTES = 8 * 1024 * 1024  # a server takes 32 MB unless it is told otherwise
_POINTS = 500
_OK, _BUSY, _MISSING = 300, 429, 404
_LATER = 5.0
_DENIED = {
    401: "does not let us in: correct the key of its address",
    403: "does not let us do that: use a key that may read and write",
}


class Missing(Refused):
    """There is no such collection."""


class QdrantWire:
    """Requests to one server; its version is looked at before the first."""

    def __init__(self, http: HttpWire) -> None:
        self._http = http
        self._known = False
        self._lock = Lock()

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, limit: float | None = None) -> Any:
        """The result of a request. Raises the ``SourceTrouble`` that fits, ``Missing`` for a collection that is not there."""
        with self._lock:
            if not self._known:
                self._look()
                self._known = True
        raw = json.dumps(body, separators=(",", ":"), allow_nan=False).encode() if body is not None else b""
        told = self._answer(self._http.send(Request(method, path, raw, limit=limit or ANSWER)))
        if "result" not in told:
            raise self._garbled()
        return told["result"]

    def post(self, collection: str, verb: str, body: Mapping[str, Any]) -> Any:
        """What the points of a collection are asked."""
        return self.ask("POST", f"/collections/{collection}/points{verb}", body)

    def count(self, collection: str, narrow: Mapping[str, Any]) -> int:
        """How many points a filter leaves, exactly."""
        return int(self._shaped(self.post(collection, "/count", {"filter": narrow, "exact": True}), "count", int))

    def retrieve(self, collection: str, ids: Sequence[int], fields: Sequence[str]) -> dict[int, Any]:
        """The payloads of points by id; those that are there."""
        found: dict[int, Any] = {}
        for at in range(0, len(ids), PAGE):
            asked = {"ids": list(ids[at : at + PAGE]), "with_payload": list(fields), "with_vector": False}
            found |= {point["id"]: point["payload"] for point in self._points(self.post(collection, "", asked))}
        return found

    def queries(self, collection: str, asked: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """The points that several queries find, in one request."""
        found = self._list(self.post(collection, "/query/batch", {"searches": list(asked)}))
        if len(found) != len(asked):
            raise self._garbled()
        return [self._points(self._shaped(each, "points", list)) for each in found]

    def pages(self, collection: str, asked: Mapping[str, Any], start: int | None = None) -> Iterator[list[Any]]:
        """All points that a filter leaves in the order of their ids, from ``start`` on."""
        body = {"limit": PAGE, "with_vector": False, **asked}
        while True:
            found = self.post(collection, "/scroll", body if start is None else {**body, "offset": start})
            points = self._points(self._shaped(found, "points", list))
            if points:
                yield points
            start = found.get("next_page_offset")
            if start is None:
                return

    def write(self, collection: str, operations: Sequence[Mapping[str, Any]]) -> None:
        """Carry out operations one after another, each on all that it names; returns when they are seen."""
        if operations:
            path = f"/collections/{collection}/points/batch?wait=true&ordering=strong"
            self.ask("POST", path, {"operations": list(operations)}, WRITTEN)

    def upsert(self, collection: str, points: Iterable[Mapping[str, Any]], only: Mapping[str, Any] | None = None) -> None:
        """Put points, some megabytes at a time; with ``only`` those that are there change where that filter holds."""
        more = {"update_filter": only} if only is not None else {}
        for lot in _lots(points):
            path = f"/collections/{collection}/points?wait=true&ordering=strong"
            self.ask("PUT", path, {"points": lot, **more}, WRITTEN)

    def close(self) -> None:
        """Close what is idle."""
        self._http.close()

    def _look(self) -> None:
        told = self._answer(self._http.send(Request("GET", "/", limit=ANSWER)))
        number = str(told.get("version", ""))
        if "qdrant" not in str(told.get("title", "")).lower() or not number:
            raise Garbled(f"{self._http.shown} does not answer as Qdrant does: correct its address")
        version = tuple(int(part) for part in number.split(".")[:2] if part.isdecimal())
        if version < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            raise Refused(f"{self._http.shown} is Qdrant {number[:20]}: update it to {wanted} or later")

    def _answer(self, reply: Reply) -> dict[str, Any]:
        body = _parsed(reply)
        if reply.status >= _OK:
            raise self._trouble(reply, body)
        if not isinstance(body, dict):
            raise self._garbled()
        return body

    def _trouble(self, reply: Reply, body: Any) -> SourceTrouble:
        """What an error amounts to."""
        shown, status = self._http.shown, reply.status
        told = body.get("status") if isinstance(body, dict) else None
        error = told.get("error") if isinstance(told, dict) else reply.body.decode(errors="replace")
        reason = self._http.told(str(error)) or str(status)
        if status in _DENIED:
            return AuthRefused(f"{shown} {_DENIED[status]} ({reason})")
        if status == _MISSING and "ollection" in reason:
            return Missing(f"{shown}: {reason}; `encyclopedia corpus index NAME --rebuild` makes it anew")
        if status == _BUSY:
            return RateLimited(f"{shown} has more to do than it can: {reason}", _LATER)
        if "No space left" in reason or "disk" in reason.lower():
            return Refused(f"{shown} takes no writes: {reason}; make room on its disk")
        if status == 408 or status >= 500:  # noqa: PLR2004 - statuses of a server that is not well
            return Unavailable(f"{shown} is not well: {reason}; look at its log")
        return Refused(f"{shown} refused what was asked ({status}): {reason}")

    def _shaped(self, found: Any, field: str, kind: type) -> Any:
        if not isinstance(found, dict) or not isinstance(found.get(field), kind):
            raise self._garbled()
        return found[field]

    def _list(self, found: Any) -> list[Any]:
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self._garbled()
        return found

    def _points(self, found: Any) -> list[Any]:
        """Points with their payloads; one without any has an empty one."""
        for point in self._list(found):
            point["payload"] = point.get("payload") or {}
            if not isinstance(point.get("id"), int) or not isinstance(point["payload"], dict):
                raise self._garbled()
        return list(found)

    def _garbled(self) -> Garbled:
        return Garbled(f"{self._http.shown} answered something else than it promises: see what stands between")


def _parsed(reply: Reply) -> Any:
    try:
        return json.loads(reply.body)
    except ValueError:
        return None


def _lots(points: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    lot: list[Mapping[str, Any]] = []
    size = 0
    for point in points:
        weight = len(json.dumps(point))
        if lot and (size + weight > _BYTES or len(lot) >= _POINTS):
            yield lot
            lot, size = [], 0
        lot.append(point)
        size += weight
    if lot:
        yield lot

"""Figures for Prometheus: requests, searches, and what became of each source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.http.replies import Refusal
from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from collections.abc import Mapping

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
LACKING = "pip install 'encyclopedia-search[serve]'"


class Metrics:
    """Counts what happens, in a registry of its own; counts nothing where prometheus-client is not installed."""

    def __init__(self) -> None:
        self._client: Any = load("prometheus_client")
        self.there = not isinstance(self._client, Absent)
        if self.there:
            self._make(self._client)

    def _make(self, client: Any) -> None:
        self._registry = client.CollectorRegistry()
        own = {"registry": self._registry, "namespace": "encyclopedia"}
        self._requests = client.Counter("requests", "Requests", ("operation", "status"), **own)
        self._seconds = client.Histogram("request_seconds", "Time to answer", ("operation",), buckets=BUCKETS, **own)
        self._flying = client.Gauge("requests_in_flight", "Requests that are being answered", **own)
        self._outcomes = client.Counter("source_outcomes", "What became of a source", ("source", "status"), **own)
        self._waited = client.Histogram("source_seconds", "Time a source took", ("source",), buckets=BUCKETS, **own)
        self._answers = client.Counter("answers", "Searches answered", ("cached", "degraded"), **own)

    def begun(self) -> None:
        """A request has come in."""
        if self.there:
            self._flying.inc()

    def ended(self, operation: str, status: int, seconds: float) -> None:
        """A request was answered."""
        if self.there:
            self._flying.dec()
            self._requests.labels(operation, str(status)).inc()
            self._seconds.labels(operation).observe(seconds)

    def answered(self, body: Mapping[str, Any]) -> None:
        """A search ended with this report; a stored answer says nothing of its sources."""
        if not self.there:
            return
        cached = bool(body.get("cached"))
        self._answers.labels(str(cached).lower(), str(bool(body["degraded"])).lower()).inc()
        for row in () if cached else body["outcomes"]:
            self._outcomes.labels(row["source"], row["status"]).inc()
            self._waited.labels(row["source"]).observe(row["ms"] / 1000)

    def text(self) -> tuple[bytes, str]:
        """The exposition and its content type. Raises ``Refusal`` where the library is missing."""
        if not self.there:
            raise Refusal(501, self._client.reason, LACKING)
        return self._client.generate_latest(self._registry), self._client.CONTENT_TYPE_LATEST

"""A connection to PostgreSQL that is waited for no longer than it may take, also where the server is frozen."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

if TYPE_CHECKING:
    from psycopg.abc import PQGen

T = TypeVar("T")

# What it remarks on a connection that was lost is raised too; without a handler Python would print it beside our own words.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class Bounded(psycopg.Connection[Any]):
    """Raises ``ConnectionTimeout`` for an answer that takes more than ``limit`` seconds, and is closed then."""

    limit: float | None = None

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """As of every connection, with the ``limit``."""
        try:
            return super().wait(gen, interval, timeout or self.limit)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - what `wait` is documented to raise
            self.pgconn.finish()
            raise psycopg.errors.ConnectionTimeout("no answer in time") from None

"""Keeps libraries from logging what goes over our connections: addresses with keys in them, and a server's words."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARIES = ("mcp", "client", "httpx2", "httpcore2", "anyio")
"""What their loggers' names begin with; ``client`` is the session's of mcp."""

_ours: ContextVar[bool] = ContextVar("ours", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """What these libraries, which must have been imported, log in this context and its tasks goes nowhere.

    What the program around us does with them is logged as before.
    """
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] in _LIBRARIES and isinstance(logger, logging.Logger):
            logger.addFilter(_not_ours)  # once, however often
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)


def _not_ours(_record: logging.LogRecord) -> bool:
    return not _ours.get()

"""Where things lie on disk: the data folder, the configuration file, the data that ships with the product."""

from __future__ import annotations

import os

HERE = os.path.dirname(os.path.abspath(__file__))


def home(environ: dict[str, str] | os._Environ[str]) -> str:
    """The data folder: ``ENCYCLOPEDIA_HOME``, or ``~/.encyclopedia``; absolute, not created."""
    return os.path.abspath(os.path.expanduser(environ.get("ENCYCLOPEDIA_HOME") or "~/.encyclopedia"))


def data() -> str:
    """The folder ``config``: the checkout's if this is one, else the copy inside the wheel.

    An editable install leaves a stale copy in the wheel's place, so the checkout is looked at first.
    """
    checkout = os.path.join(HERE, "..", "..", "config")
    marker = os.path.join(HERE, "..", "..", "pyproject.toml")
    if os.path.isdir(checkout) and os.path.isfile(marker):
        return os.path.normpath(checkout)
    return os.path.normpath(os.path.join(HERE, "..", "_config"))


def config_file(home: str) -> str:
    """The configuration file of a data folder."""
    return f"{home}/config.toml"


def state(home: str) -> str:
    """The folder of breaker records and locks."""
    return f"{home}/state"


def cache(home: str) -> str:
    """The folder of stored answers; it can be deleted at any time."""
    return f"{home}/cache"


def sessions(home: str) -> str:
    """The folder of the search history."""
    return f"{home}/sessions"


def profile(home: str) -> str:
    """The file of what sources did."""
    return f"{home}/state/profile.jsonl"


def memories(home: str) -> str:
    """The file of topics that are asked often, for other programs."""
    return f"{home}/memories.jsonl"


def evaluations(home: str) -> str:
    """The folder of measurements that are kept."""
    return f"{home}/evaluations"


def index(home: str, source: str) -> str:
    """The folder of a built-in source's own index."""
    return f"{home}/index/{source}"


def corpora(home: str) -> str:
    """The folder of local corpora: one folder each, with its registration and its index."""
    return f"{home}/corpora"

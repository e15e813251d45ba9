"""Whether a value fits its setting."""

from __future__ import annotations

from encyclopedia.model.errors import ConfigurationError

CHOICES = {
    "embedder.bulk": ("auto", "minilm", "sentence_transformers"),
    "embedder.use": ("auto", "minilm", "sentence_transformers", "off"),
    "fusion.formula": ("scaled", "classic"),
    "log_level": ("debug", "info", "warning", "error"),
}
FROM_ZERO = (
    "fusion.expansion_weight",
    "widen_weight",
    "fusion.k",
    "breaker.cooldown",
    "cache.threshold",
    "cache.threshold_same_words",
    "cache.stale",
    "cache.negative_ttl",
    "patience.budget",
    "patience.soft",
    "patience.hedge",
    "history.days",
)
UP_TO_ONE = ("fusion.expansion_weight", "widen_weight", "cache.threshold", "cache.threshold_same_words")
UP_TO = dict.fromkeys(UP_TO_ONE, 1.0) | {"patience.hedge": 0.05}
MOST = 10_000_000
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def check(name: str, default: object, value: object, origin: str) -> object:
    """``value`` in the type of ``default``, where ``None`` stands for a number.

    Raises ``ConfigurationError`` with what is allowed.
    """
    if isinstance(default, bool):
        good: object = switch(value)
    elif isinstance(default, str):
        good = value if isinstance(value, str) else None
    elif isinstance(default, int):
        good = _integer(value)
    else:
        good = _number(value)
    if good is None or not _allowed(name, good):
        raise ConfigurationError(f"{name} cannot be {value!r} ({origin})", f"it takes {_expected(name, default)}")
    return good


def switch(value: object) -> bool | None:
    """A switch as people write it, or ``None``."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    return True if text in TRUE else False if text in FALSE else None


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return int(value) if isinstance(value, int | str) else None
    except ValueError:
        return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _allowed(name: str, value: object) -> bool:
    if name in CHOICES:
        return value in CHOICES[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    low_enough = value <= UP_TO.get(name, MOST)
    return low_enough and (value >= 0 if name in FROM_ZERO else value > 0)


def _expected(name: str, default: object) -> str:
    if name in CHOICES:
        return " or ".join(CHOICES[name])
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, str):
        return "text"
    kind = "a whole number" if isinstance(default, int) else "a number"
    if name in UP_TO:
        return f"{kind} from 0 to {UP_TO[name]:g}"
    return f"{kind} from 0" if name in FROM_ZERO else f"{kind} above 0"

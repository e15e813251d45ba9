"""Settings without what must stay secret."""

from __future__ import annotations

from typing import Any

from encyclopedia.wiring.credentials import TELLING, telling, written
from encyclopedia.wiring.redaction import MASK, Redaction


def masked(name: str, value: object) -> object:
    """``value`` with everything that looks like a credential replaced; references such as ``${NAME}`` stay."""
    shown, hidden = _masked(name, value), tuple(written(name.rpartition(".")[2], value))
    return _without(shown, Redaction(hidden)) if hidden else shown


def _masked(name: str, value: object) -> object:
    if isinstance(value, dict):
        return {key: _masked(f"{name}.{key}", item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(name, item) for item in value]
    if isinstance(value, str):
        return _without_value(value) if telling(name.rpartition(".")[2]) else _without_query_secrets(value)
    return value


def _without(value: Any, redaction: Redaction) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, redaction) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, redaction) for item in value]
    return redaction.text(value) if isinstance(value, str) else value


def _without_value(value: str) -> str:
    """Only a scheme such as ``Bearer`` and references to the environment may be seen of a credential."""
    import re

    return value if re.fullmatch(r"(?i)((bearer|basic|token|apikey)\s+)?(\$\{\w+\}\s*)+", value) or not value else MASK


def _without_query_secrets(value: str) -> str:
    import re

    names = "|".join(TELLING)
    value = re.sub(r"(?<=//)[^/@\s]+@", f"{MASK}@", value)
    return re.sub(rf"(?i)([?&][^=&]*(?:{names})[^=&]*=)(?!\$\{{)[^&\s]+", rf"\1{MASK}", value)

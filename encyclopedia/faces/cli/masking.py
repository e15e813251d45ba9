"""Settings without what must stay secret."""

from __future__ import annotations

MASK = "…"
SECRET = ("key", "token", "secret", "password", "passwd", "authorization", "cookie", "credential")


def masked(name: str, value: object) -> object:
    """``value`` with everything that looks like a credential replaced; references such as ``${NAME}`` stay."""
    if isinstance(value, dict):
        return {key: masked(f"{name}.{key}", item) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(name, item) for item in value]
    if isinstance(value, str):
        secret = any(word in name.rpartition(".")[2].lower() for word in SECRET)
        return _without_value(value) if secret else _without_query_secrets(value)
    return value


def _without_value(value: str) -> str:
    """Only a scheme such as ``Bearer`` and references to the environment may be seen of a credential."""
    import re

    return value if re.fullmatch(r"(?i)((bearer|basic|token|apikey)\s+)?(\$\{\w+\}\s*)+", value) or not value else MASK


def _without_query_secrets(value: str) -> str:
    import re

    names = "|".join(SECRET)
    value = re.sub(r"(?<=//)[^/@\s]+@", f"{MASK}@", value)
    return re.sub(rf"(?i)([?&][^=&]*(?:{names})[^=&]*=)(?!\$\{{)[^&\s]+", rf"\1{MASK}", value)

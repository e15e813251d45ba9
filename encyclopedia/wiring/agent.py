"""How we introduce ourselves to others."""

VERSION = "0.1.0"


def agent(contact: str) -> str:
    """Our User-Agent; ``contact`` is an address for the operators of public services, if the user gives one."""
    return f"encyclopedia/{VERSION} (Python package encyclopedia-search{f'; {contact}' if contact else ''})"

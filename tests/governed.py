"""Collections of every label, and a connection of an agent to what is made of them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from encyclopedia import Encyclopedia
from encyclopedia.faces.mcp.opening import stamp
from encyclopedia.faces.mcp.server import make_server
from encyclopedia.faces.mcp.session import Session
from encyclopedia.wiring.governance import Policy, policy
from tests.switches import off

KEY = "AKIA" + "Q7ZX2M4N8P1R5T9W"
PERSONAL, SECRET = "birthday", KEY
"""Words that stand in personal and in secret passages only."""


def shelf(home: Path) -> None:
    """A data folder with a mixed corpus ``notes``, a personal one ``diary``, a secret one ``vault``; nothing is indexed yet."""
    texts = {
        "notes/feeding.md": "# Feeding\n\nPenguins eat fish in the morning.\n",
        "notes/keys.md": f"# Keeper\n\nPenguins need a keeper.\n\n## Access\n\nThe penguins gate opens with\n\naws_access_key_id = {KEY}\n",
        "notes/party.md": "---\nlabel: personal\n---\n# Party\n\nPenguins came to my birthday.\n",
        "diary/monday.md": "# Monday\n\nOn my birthday I saw penguins.\n",
        "vault/codes.md": f"# Codes\n\nPenguins code: {KEY}.\n",
    }
    for name, text in texts.items():
        path = home / "shelf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    labels = {"notes": "public", "diary": "personal", "vault": "secret"}
    tables = (f'[corpora.{name}]\npath = "{home}/shelf/{name}"\nlabel = "{label}"\n' for name, label in labels.items())
    (home / "config.toml").write_text("\n".join(tables))


def environ() -> dict[str, str]:
    """An environment in which no source on the network is asked."""
    return {"PATH": "/usr/bin:/bin", **off()}


def connection(home: Path, client: str = "", sources: tuple[object, ...] = (), **settings: object) -> Session:
    """What ``encyclopedia mcp --client`` would serve, in this process."""
    named = {name.replace("__", "."): value for name, value in settings.items()}

    def make(rules: Policy) -> Encyclopedia:
        return Encyclopedia(home=str(home), environ=environ(), sources=sources, settings=named, ceiling=str(rules.label))

    return Session(partial(policy, str(home), client), make, partial(stamp, str(home)))


def server(session: Session, *tools: str, connectors: bool = False) -> Any:
    """The server of a connection, with the usual tools and more."""
    return make_server(session, (*session.policy.tools, *tools), connectors=connectors)


def size(result: Any) -> int:
    """Characters of an answer as a client may have to pay for them: its text and its fields."""
    return len(result.content[0].text) + len(json.dumps(result.structured_content, ensure_ascii=False))


def everything(result: Any) -> str:
    """All that a client is sent, as one text."""
    return result.model_dump_json()

"""Personal results are withheld from who is not declared local, secret ones from everybody, on every way there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from encyclopedia import Card, Encyclopedia, Hit, QueryType, Reply
from encyclopedia.faces.mcp.tools import TOOLS
from encyclopedia.model.label import Label
from tests.governed import SECRET, connection, environ, everything, server, shelf

DESK = "[clients.desk]\nlocal = true\n"
QUESTIONS = (
    ("search", {"query": "penguins"}),
    ("search", {"query": "penguins birthday", "corpora": "notes"}),
    ("search", {"query": SECRET}),
    ("search", {"query": "penguins", "limit": 1}),
    ("ask_corpus", {"question": "who came to the birthday of penguins?"}),
    ("ask_corpus", {"question": "what opens the penguins gate?", "fast": True}),
    ("lookup", {"topic": "penguins birthday"}),
    ("fetch", {"id": "notes:keys.md"}),
    ("fetch", {"id": "notes:party.md"}),
    ("fetch", {"id": "diary:monday.md"}),
    ("fetch", {"id": "encyclopedia://document/vault:codes.md"}),
    ("status", {}),
)


class Web:
    card = Card("web", serves=dict.fromkeys(QueryType, 0.3))

    def __init__(self, context: Any) -> None:
        pass

    async def search(self, request: Any) -> Reply:
        asked.append(request.text)
        return Reply((Hit("Far", "https://example.org/far", f"far {request.text}"),))


asked: list[str] = []


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shelf(tmp_path)
    (tmp_path / "governance.toml").write_text(DESK)
    asked.clear()
    return tmp_path


async def answers(client: Client, *, said: tuple[str, ...]) -> list[str]:
    """All that is sent for all questions, without the words that the client itself has said."""
    found = []
    for tool, arguments in QUESTIONS:
        sent = everything(await client.call_tool(tool, arguments))
        for word in said:
            assert word not in sent or word in json.dumps(arguments), (tool, arguments, sent)
        found.append(sent)
    return found


@pytest.mark.spec("ENC-GOVERN-3")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_that_is_not_declared_sees_nothing_personal_and_nothing_secret(era: str, home: Path) -> None:
    session = connection(home, "cursor")
    async with Client(server(session, *TOOLS), mode=era) as client:
        for sent in await answers(client, said=("came to my", "On my birthday", "saw penguins")):
            assert "Monday" not in sent
        for sent in await answers(client, said=(SECRET,)):
            assert "Codes" not in sent
        found = await client.call_tool("search", {"query": "penguins"})
        assert found.structured_content["withheld"] == 1
        assert "Withheld: 1 result" in found.content[0].text
        assert session.label is Label.PUBLIC
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-3")
async def test_a_client_that_is_declared_local_sees_what_is_personal_and_nothing_secret(home: Path) -> None:
    session = connection(home, "desk")
    async with Client(server(session, *TOOLS)) as client:
        sent = await answers(client, said=(SECRET,))
        assert any("came to my birthday" in one for one in sent)
        assert any("On my birthday I saw penguins" in one for one in sent)
        assert all("Codes" not in one for one in sent)
        keys = await client.call_tool("fetch", {"id": "notes:keys.md"})
        assert keys.structured_content["withheld"] == 1
        assert "Penguins need a keeper" in keys.content[0].text
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-4")
async def test_the_label_of_a_connection_rises_and_never_falls(home: Path) -> None:
    session = connection(home, "desk")
    async with Client(server(session)) as client:
        await client.call_tool("fetch", {"id": "notes:feeding.md"})
        assert session.label is Label.PUBLIC
        await client.call_tool("fetch", {"id": "notes:party.md"})
        assert session.label is Label.PERSONAL
        await client.call_tool("fetch", {"id": "notes:feeding.md"})
        told = (await client.call_tool("status", {})).structured_content
        assert told["connection_label"] == "personal"
        secret = everything(await client.call_tool("search", {"query": "penguins code", "corpora": "notes"}))
        assert SECRET not in secret
        assert SECRET not in everything(await client.call_tool("fetch", {"id": "vault:codes.md"}))
        with pytest.raises(MCPError):
            await client.read_resource("encyclopedia://document/vault:codes.md")
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-4")
async def test_who_has_seen_what_is_personal_asks_the_network_no_more(home: Path) -> None:
    session = connection(home, "desk", sources=(Web,))
    async with Client(server(session, "lookup", "code")) as client:
        await client.call_tool("search", {"query": "penguins fish"})
        assert asked
        seen = len(asked)
        await client.call_tool("search", {"query": "penguins birthday", "corpora": "diary"})
        found = await client.call_tool("search", {"query": "my birthday was with penguins"})
        assert found.structured_content["results"]
        assert "no source on the network" in found.content[0].text
        for tool, arguments in (("lookup", {"topic": "penguins"}), ("code", {"repository": "a/b", "question": "penguins"})):
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error
            assert "network" in refused.content[0].text
        assert len(asked) == seen
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-3")
async def test_resources_are_withheld_as_results_are(home: Path) -> None:
    session = connection(home, "cursor")
    async with Client(server(session)) as client:
        await client.call_tool("search", {"query": "penguins birthday"})
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        assert not any("party" in uri or "diary" in uri or "vault" in uri for uri in listed)
        for id in ("notes:party.md", "diary:monday.md", "vault:codes.md"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"encyclopedia://document/{id}")
            assert "birthday" not in str(caught.value)
        keys = await client.read_resource("encyclopedia://document/notes:keys.md")
        assert SECRET not in keys.contents[0].text
        assert "Withheld: 1" in keys.contents[0].text
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-5")
async def test_an_answer_in_the_cache_is_withheld_too_and_stays_whole_for_its_owner(home: Path) -> None:
    async with Encyclopedia(home=str(home), environ=environ()) as owner:
        for _ in range(100):  # no answer is stored for files that were just written
            if (first := await owner.search("penguins", corpora="notes")).cached:
                break
        assert first.cached
    assert {result.label for result in first.results} == {"public", "personal"}
    session = connection(home, "cursor")
    async with Client(server(session)) as client:
        found = await client.call_tool("search", {"query": "penguins", "corpora": "notes"})
        assert found.structured_content["cached"] is True
        assert "birthday" not in everything(found)
    await session.aclose()
    async with Encyclopedia(home=str(home), environ=environ()) as owner:
        again = await owner.search("penguins", corpora="notes")
    assert again.cached
    assert [result.label for result in again.results] == [result.label for result in first.results]


@pytest.mark.spec("ENC-GOVERN-5")
async def test_names_of_what_is_withheld_are_not_told_by_errors(home: Path) -> None:
    session = connection(home, "cursor")
    async with Client(server(session, *TOOLS)) as client:
        for tool, arguments in (
            ("search", {"query": "a", "corpora": "diar"}),
            ("search", {"query": "a", "corpora": "nothing"}),
            ("ask_corpus", {"question": "what is a penguin?", "corpora": "vaul"}),
            ("load", {"topic": "a", "corpus": "vaul"}),
            ("fetch", {"id": "diar:monday.md"}),
        ):
            found = await client.call_tool(tool, arguments)
            assert found.structured_content["status"] == "error"
            assert "2 corpora are above" in found.content[0].text or tool == "fetch"
            assert "diary" not in everything(found)
            assert "vault" not in everything(found)
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-7")
async def test_what_the_owner_changes_holds_from_the_next_call_on(home: Path) -> None:
    session = connection(home, "desk")
    async with Client(server(session)) as client:
        assert "birthday" in everything(await client.call_tool("search", {"query": "penguins", "corpora": "diary"}))
        first = await client.call_tool("search", {"query": "penguins", "corpora": "notes"})
        assert "party" in everything(first)
        (home / "governance.toml").write_text('[clients.desk]\nlocal = true\nlabel = "public"\n')
        for tool, arguments in QUESTIONS:
            found = everything(await client.call_tool(tool, arguments))
            assert "came to my" not in found
            assert "saw penguins" not in found
        assert session.label is Label.PERSONAL
        table = f'\n[corpora.later]\npath = "{home}/shelf/later"\n'
        (home / "shelf" / "later").mkdir()
        (home / "shelf" / "later" / "new.md").write_text("# New\n\nOstriches run.\n")
        with (home / "config.toml").open("a") as file:
            file.write(table)
        found = await client.call_tool("search", {"query": "ostriches run", "corpora": "later"})
        assert "Ostriches run" in found.content[0].text
    await session.aclose()


@pytest.mark.spec("ENC-GOVERN-6")
async def test_folders_of_the_machine_are_read_only_for_local_clients(home: Path) -> None:
    session = connection(home, "cursor")
    async with Client(server(session, "code")) as client:
        found = await client.call_tool("code", {"repository": str(home), "question": "penguins"})
        assert found.is_error
        assert "declared local" in found.content[0].text
    await session.aclose()

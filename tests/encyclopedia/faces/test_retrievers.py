"""Retrievers and tools of other frameworks give what a search gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from encyclopedia import ConfigurationError, Encyclopedia
from encyclopedia.faces.langchain import EncyclopediaRetriever as ForLangChain
from tests.governed import SECRET, environ, shelf

CORPUS = {"corpora": "notes"}


@pytest.fixture
def own(tmp_path: Path) -> dict[str, Any]:
    shelf(tmp_path)
    return {"home": str(tmp_path), "environ": environ()}


async def results(own: dict[str, Any], query: str) -> list[tuple[str, str, str]]:
    async with Encyclopedia(**own) as e:
        return [(one.title, one.content, one.source) for one in (await e.search(query, **CORPUS)).results]


@pytest.mark.spec("ENC-RETRIEVER-1")
async def test_langchain_gets_every_result_as_a_document(own: dict[str, Any]) -> None:
    retriever = ForLangChain(options=CORPUS, own=own)
    for found in (retriever.invoke("penguins fish"), await retriever.ainvoke("penguins fish")):
        assert [(one.metadata["title"], one.page_content, one.metadata["source"]) for one in found] == await results(
            own, "penguins fish"
        )
        assert found[0].id == "notes:feeding.md"
        assert found[0].metadata["locator"]["lines"] == [3, 3]
    assert retriever.invoke("zzqx") == []
    assert SECRET not in repr(ForLangChain(url="http://127.0.0.1:9", token=SECRET))
    with pytest.raises(ConfigurationError):
        ForLangChain(options={"corpora": "note"}, own=own).invoke("a")


@pytest.mark.spec("ENC-RETRIEVER-1")
def test_langchain_chains_take_it(own: dict[str, Any]) -> None:
    chain = ForLangChain(options=CORPUS, own=own | {"ceiling": "public"}) | (lambda found: [one.page_content for one in found])
    assert "Penguins eat fish in the morning." in chain.invoke("penguins")
    assert not any("birthday" in text for text in chain.invoke("penguins birthday"))


@pytest.mark.spec("ENC-RETRIEVER-1")
def test_llamaindex_gets_every_result_as_a_node(own: dict[str, Any]) -> None:
    """In a process of its own: that library warns while it is imported."""
    script = (
        "import asyncio, sys\n"
        "from encyclopedia.faces.llamaindex import EncyclopediaRetriever\n"
        "r = EncyclopediaRetriever(options={'corpora': 'notes'})\n"
        "a, b = r.retrieve('penguins fish'), asyncio.run(r.aretrieve('penguins fish'))\n"
        "assert [n.node.node_id for n in a] == [n.node.node_id for n in b]\n"
        "print(a[0].node.node_id, round(a[0].score, 4), a[0].node.metadata['source'], a[0].text)\n"
        "print(len(r.retrieve('zzqx')))"
    )
    env = {**own["environ"], "ENCYCLOPEDIA_HOME": own["home"], "HOME": own["home"]}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    first, none = done.stdout.splitlines()
    assert first == "notes:feeding.md 0.0909 notes Penguins eat fish in the morning.", done.stderr
    assert none == "0"


@pytest.mark.spec("ENC-RETRIEVER-2")
def test_the_command_line_llm_has_the_tools_under_the_same_rules(own: dict[str, Any]) -> None:
    """In a process of its own, as that program would have it: it loads its plug-ins by itself."""
    script = (
        "import llm\n"
        "tools = {name: tool for name, tool in llm.get_tools().items() if name.startswith('encyclopedia_')}\n"
        "print(*sorted(tools))\n"
        "assert all(tool.input_schema['properties'] for tool in tools.values())\n"
        "print(tools['encyclopedia_search'].implementation(query='penguins', corpora='notes'))\n"
        "print(tools['encyclopedia_fetch'].implementation(id='notes:feeding.md'))\n"
        "print(tools['encyclopedia_fetch'].implementation(id='notes:party.md'))\n"
    )
    env = {**own["environ"], "ENCYCLOPEDIA_HOME": own["home"], "HOME": own["home"], "LLM_USER_PATH": f"{own['home']}/llm"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names, _, rest = done.stdout.partition("\n")
    assert names.split() == [f"encyclopedia_{name}" for name in ("ask_corpus", "fetch", "lookup", "search")]
    assert "Penguins eat fish in the morning." in rest
    assert "Withheld: 1 result" in rest
    assert "birthday" not in rest


@pytest.mark.spec("ENC-RETRIEVER-1")
def test_nothing_of_them_is_imported_before_it_is_used() -> None:
    script = "import sys, encyclopedia; encyclopedia.Encyclopedia; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env={**os.environ})
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"langchain_core", "llama_index", "llm", "mcp", "pydantic"})

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from encyclopedia import ConfigurationError, Encyclopedia, Hit, Locator, NoSourceAnswered, Reply, UsageError
from encyclopedia.faces import evaluations
from encyclopedia.model.errors import Unavailable
from encyclopedia.wiring import corpora
from encyclopedia_adapters.generic.fixed import Fixed

Make = Callable[..., Encyclopedia]
NOTES = {
    "keys.md": "# Signing keys\n\n## Rotate\n\nRotate the signing keys every quarter.\n\n## Lost\n\nRevoke a lost key at once.\n",
    "ops/deploy.md": "# Deploy\n\nRun the database migration before the deploy.\n",
    "ops/backup.md": "# Backup\n\nThe database is copied each night.\n",
    "tea.md": "# Tea\n\nGreen tea wants water of eighty degrees.\n",
}


@pytest.fixture
def noted(make: Make, tmp_path: Path) -> Make:
    """``make`` with the corpus ``notes`` registered."""
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    corpora.add(str(tmp_path / "home"), {"name": "notes", "path": str(tmp_path / "notes")}, frozenset())
    return make


def gold(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def asked(query: str, *expected: str) -> dict[str, Any]:
    return {"query": query, "expected": list(expected)}


@pytest.mark.spec("ENC-EVAL-4")
async def test_a_corpus_is_measured_as_it_lies_there(noted: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("rotate signing keys", "keys"), asked("database", "ops/deploy.md", "tea"))
    seen: list[tuple[str, int, int]] = []
    async with noted() as e:
        body = await e.evaluate(path, corpora="notes", cutoffs=(1, 2), progress=lambda *step: seen.append(step))
    first, second = body["queries"]
    assert (first["places"], first["found"][0], first["metrics"]["mrr"]) == ({"keys": 1}, "keys", 1.0)
    assert second["places"]["tea"] is None
    assert set(second["found"]) == {"ops/deploy.md", "notes:ops/backup.md"}
    assert body["metrics"]["recall@2"] == (1 + 1 / 2) / 2
    assert list(body["metrics"])[:2] == ["recall@1", "recall@2"]
    assert (body["measured"], body["unit"], body["failed"], body["unknown"], body["notes"]) == (2, "document", [], [], [])
    assert seen[-2:] == [("rotate signing keys", 0, 2), ("database", 1, 2)]
    assert json.loads(json.dumps(body)) == body


@pytest.mark.spec("ENC-EVAL-4")
async def test_no_answer_is_stored_and_none_goes_into_the_history(noted: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("rotate signing keys", "keys"))
    async with noted() as e:
        before = (await e.search("rotate signing keys", corpora="notes")).to_dict()
        tea = tmp_path / "notes" / "tea.md"
        tea.write_text(tea.read_text() + "\nNow they rotate the signing keys too.\n")
        body = await e.evaluate(path, corpora="notes")
        assert body["queries"][0]["found"] == ["keys", "notes:tea.md"]
        assert len(before["results"]) == 1
        assert e.engine.stores.history is not None
        assert len(e.engine.stores.history.read()) == 1
        assert e.engine.stores.cache is not None
        await e.engine.stores.answers.settle()
        assert e.engine.stores.cache.stats()["entries"]["library_docs"] == 1


@pytest.mark.spec("ENC-EVAL-4")
async def test_passages_of_a_document_are_one_result_unless_parts_are_expected(make: Make, tmp_path: Path) -> None:
    hits = [
        Hit("a", "https://example.org/1", "first text", locator=Locator("wiki", "a.md", "One"), page="wiki:1"),
        Hit("b", "https://example.org/2", "second body", locator=Locator("wiki", "a.md", "Two"), page="wiki:2"),
        Hit("c", "https://example.org/3", "third of them", locator=Locator("wiki", "b.md", "Three"), page="wiki:3"),
    ]
    async with make(Fixed("wiki", hits)) as e:
        body = await e.evaluate(gold(tmp_path, asked("text", "b")), sources="wiki")
        assert body["queries"][0]["places"] == {"b": 2}
        assert "could not be checked" in body["notes"][0]
        body = await e.evaluate(gold(tmp_path, asked("text", "https://example.org/3", "a.md#Two")), sources="wiki")
        assert body["queries"][0]["places"] == {"https://example.org/3": 3, "a.md#Two": 2}


@pytest.mark.spec("ENC-EVAL-4")
async def test_parts_of_documents_can_be_expected(noted: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("revoke a lost key", "keys#Signing keys > Lost"), asked("rotate every quarter", "keys"))
    async with noted() as e:
        body = await e.evaluate(path, corpora="notes")
    assert body["unit"] == "part"
    assert [row["places"] for row in body["queries"]] == [{"keys#Signing keys > Lost": 1}, {"keys": 1}]


@pytest.mark.spec("ENC-EVAL-3")
async def test_an_expected_id_that_no_document_has_is_an_error(noted: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("tea", "tea"), asked("keys", "kyes", "keys"))
    async with noted() as e:
        with pytest.raises(ConfigurationError, match=r"'kyes' \(nearest: keys.md\)"):
            await e.evaluate(path, corpora="notes")
        body = await e.evaluate(path, corpora="notes", allow_unknown=True)
    assert body["unknown"] == [{"id": "kyes", "nearest": ["keys.md"]}]
    assert body["queries"][1]["metrics"]["recall@10"] == 1 / 2


@pytest.mark.spec("ENC-EVAL-5")
async def test_a_question_that_could_not_be_asked_is_no_zero(make: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("text", "a"), asked("repo:../x", "a"))
    wiki = Fixed("wiki", [Hit("a", "https://example.org/1", "text", id="wiki:a")])
    async with make(wiki) as e:
        with pytest.raises(NoSourceAnswered, match="1 of 2 questions") as failed:
            await e.evaluate(path, sources="wiki")
    body = failed.value.to_dict()
    assert (body["code"], body["measured"]) == (3, 1)
    assert body["metrics"]["mrr"] == 1.0
    assert [row["query"] for row in body["failed"]] == ["repo:../x"]
    async with make(Fixed("wiki", raises=Unavailable("gone")), breaker__fail_max=1) as e:
        with pytest.raises(NoSourceAnswered, match="2 of 2") as failed:
            await e.evaluate(gold(tmp_path, asked("text", "a"), asked("more", "a")), sources="wiki")
    assert failed.value.details["metrics"] == {}
    assert all("wiki" in row["reason"] for row in failed.value.details["failed"])


@pytest.mark.spec("ENC-EVAL-5")
async def test_an_answer_that_is_less_than_it_could_be_is_told(make: Make, tmp_path: Path) -> None:
    reply = Reply((Hit("a", "https://example.org/1", "text", id="wiki:a"),), reduced="half of it is not indexed")
    async with make(Fixed("wiki", reply=reply)) as e:
        body = await e.evaluate(gold(tmp_path, asked("text", "a")), sources="wiki")
    assert "half of it is not indexed" in body["notes"][-1]


@pytest.mark.spec("ENC-EVAL-6")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"corpora": "notes", "cutoffs": (0, 1)},
        {"corpora": "notes", "cutoffs": (50,), "limit": 20},
        {"corpora": "notes", "cutoffs": (200,)},
        {"corpora": "notes", "speling": True},
    ],
)
async def test_wishes_that_do_not_fit_are_wrong_usage(noted: Make, tmp_path: Path, options: dict[str, Any]) -> None:
    async with noted() as e:
        with pytest.raises(UsageError) as failed:
            await e.evaluate(gold(tmp_path, asked("tea", "tea")), **options)
    assert failed.value.hint


@pytest.mark.spec("ENC-EVAL-6")
async def test_unknown_names_show_the_nearest(noted: Make, tmp_path: Path) -> None:
    path = gold(tmp_path, asked("tea", "tea"))
    async with noted() as e:
        for options, near in (
            ({"corpora": "note"}, "notes"),
            ({"sources": "exaa"}, "exa"),
            ({"corpora": "notes", "type": "docs"}, "library_docs"),
        ):
            with pytest.raises(ConfigurationError) as failed:
                await e.evaluate(path, **options)
            assert near in failed.value.hint


@pytest.mark.spec("ENC-EVAL-7")
async def test_a_measurement_is_kept_with_what_it_was_made_with_and_compared(noted: Make, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    path = gold(tmp_path, asked("rotate signing keys", "keys"), asked("eighty degrees", "tea"), asked("database", "ops/backup"))
    async with noted() as e:
        before = await e.evaluate(path, corpora="notes")
    made = before["configuration"]
    assert made["corpora"]["notes"]["kind"] == "documents"
    assert made["corpora"]["notes"]["revision"]
    assert (made["settings"]["fusion.k"], made["limit"], made["expand"]) == (10.0, 10, True)
    assert {"encyclopedia", "python", "tantivy"} <= set(made["versions"])
    assert evaluations.save(home, "first", before) == f"{home}/evaluations/first.json"
    assert evaluations.saved(home) == ["first"]
    (tmp_path / "notes" / "tea.md").write_text("# Coffee\n\nNothing about it.\n")
    gold(
        tmp_path,
        asked("rotate signing keys", "keys"),
        asked("eighty degrees", "tea"),
        asked("database", "ops/deploy"),
        asked("new", "tea"),
    )
    async with noted(fusion__k=60) as e:
        after = await e.evaluate(path, corpora="notes", cutoffs=(1, 3))
    told = evaluations.compare(evaluations.recall(home, "first"), after, "first")
    assert told["shared"] == 3
    assert (told["only_before"], told["only_now"], told["judged_otherwise"]) == ([], ["new"], ["database"])
    assert list(told["metrics"]) == ["recall@1", "precision@1", "hit@1", "ndcg@1", "mrr", "map"]
    mrr = told["metrics"]["mrr"]
    assert mrr["worse"] >= 1
    assert mrr["difference"] == pytest.approx(mrr["after"] - mrr["before"])
    assert mrr["better"] + mrr["worse"] + mrr["same"] == 3
    lost = next(row for row in told["changed"] if row["id"] == "eighty degrees")
    assert lost["places"] == [{"tea": 1}, {"tea": None}]
    assert told["differs"]["settings.fusion.k"] == [10.0, 60.0]
    assert {"gold.digest", "corpora.notes.revision"} <= set(told["differs"])
    same = evaluations.compare(before, before, "itself")
    assert (same["differs"], same["changed"]) == ({}, [])
    assert all(row["p"] == 1.0 for row in same["metrics"].values())


@pytest.mark.spec("ENC-EVAL-7")
def test_what_cannot_be_compared_is_told(tmp_path: Path) -> None:
    home, bad = str(tmp_path), tmp_path / "bad.json"
    with pytest.raises(ConfigurationError, match="no measurement is kept"):
        evaluations.recall(home, "first")
    for text in ("", "[]", '{"queries": 7}', '{"queries": [{"id": "a", "metrics": {"mrr": "x"}}]}', "[" * 100_000):
        bad.write_text(text)
        with pytest.raises(ConfigurationError, match="holds no measurement"):
            evaluations.recall(home, str(bad))
    one = {"queries": [{"id": "a", "expected": ["x"], "metrics": {"mrr": 1.0}}], "metrics": {"mrr": 1.0}}
    other = {"queries": [{"id": "b", "expected": ["x"], "metrics": {"mrr": 1.0}}], "metrics": {"mrr": 1.0}}
    with pytest.raises(ConfigurationError, match="no question in common"):
        evaluations.compare(one, other, "bad")
    other["queries"][0] |= {"id": "a", "metrics": {"map": 1.0}}
    with pytest.raises(ConfigurationError, match="no measure in common"):
        evaluations.compare(one, other, "bad")
    for name in ("../up", "a/b", "", "-x"):
        with pytest.raises((ConfigurationError, IndexError)):
            evaluations.save(home, name, one)


@pytest.mark.spec("ENC-EVAL-7")
def test_a_kept_measurement_is_private_and_replaced_whole(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    for number in range(2):
        path = Path(evaluations.save(home, "a", {"queries": [], "metrics": {}, "number": number}))
    assert json.loads(path.read_text())["number"] == 1
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]

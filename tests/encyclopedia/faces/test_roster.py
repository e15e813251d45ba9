from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from encyclopedia.faces.roster import complain, keys, resolve
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.outcome import Hit, Locator

NOTES = {
    "keys.md": ("keys.md#0", "keys.md#Rotate"),
    "ops/deploy.md": ("ops/deploy.md#0", "ops/deploy.md#Deploy > Database"),
    "ops/v1.2.md": (),
    "old/deploy.txt": (),
}
PAGES = {"all.json": ("all.json#0", "library/asyncio")}


def corpus(documents: dict[str, tuple[str, ...]]) -> Callable[[str], Sequence[str]]:
    return lambda document: documents[document] if document else tuple(documents)


CORPORA = {"notes": corpus(NOTES), "pages": corpus(PAGES)}


@pytest.mark.spec("ENC-EVAL-3")
@pytest.mark.parametrize(
    ("id", "key"),
    [
        ("keys.md", "notes:keys.md"),
        ("notes:keys.md", "notes:keys.md"),
        ("keys", "notes:keys.md"),
        ("notes:keys", "notes:keys.md"),
        ("ops/deploy", "notes:ops/deploy.md"),
        ("ops/v1.2", "notes:ops/v1.2.md"),
        ("v1.2", "notes:ops/v1.2.md"),
        ("keys.md#Rotate", "notes:keys.md#Rotate"),
        ("keys#Rotate", "notes:keys.md#Rotate"),
        ("ops/deploy#Deploy > Database", "notes:ops/deploy.md#Deploy > Database"),
        ("ops/deploy.md#0", "notes:ops/deploy.md#0"),
        ("library/asyncio", "pages:library/asyncio"),
        ("pages:library/asyncio", "pages:library/asyncio"),
    ],
)
def test_an_id_is_exact_or_a_path_without_extension_or_its_end(id: str, key: str) -> None:
    found = resolve([id], CORPORA, whole=True)
    assert (found.keys, found.unknown) == ({id: key}, {})
    assert found.parts == ("#" in id or "library" in id)


@pytest.mark.spec("ENC-EVAL-3")
@pytest.mark.parametrize(
    ("id", "near"),
    [
        ("Keys.md", "keys.md"),
        ("keys.txt", "keys.md"),
        ("kyes", "keys.md"),
        ("s/deploy", "ops/deploy.md"),
        ("deploy.md", "ops/deploy.md"),
        ("keys#rotate", "keys.md#Rotate"),
        ("v1", ""),
        ("keys.md#", "keys.md#0"),
        ("#", ""),
        ("other:keys.md", "keys.md"),
    ],
)
def test_nothing_is_guessed_and_the_nearest_is_named(id: str, near: str) -> None:
    found = resolve([id, "keys"], CORPORA, whole=True)
    assert list(found.unknown) == [id]
    assert (not near and not found.unknown[id]) or near in found.unknown[id]
    error = complain(found.unknown)
    assert error.code == 1
    assert repr(id) in error.message
    assert error.details["unknown"] == [{"id": id, "nearest": list(found.unknown[id])}]


@pytest.mark.spec("ENC-EVAL-3")
def test_a_name_of_several_documents_is_refused_unless_one_has_it_exactly() -> None:
    with pytest.raises(ConfigurationError, match="2 documents") as failed:
        resolve(["deploy"], CORPORA, whole=True)
    assert failed.value.hint == "write notes:ops/deploy.md or notes:old/deploy.txt"
    twice = {"a": corpus({"x.md": ()}), "b": corpus({"x.md": ()})}
    with pytest.raises(ConfigurationError, match="2 documents"):
        resolve(["x"], twice, whole=True)
    assert resolve(["b:x"], twice, whole=True).keys == {"b:x": "b:x.md"}
    mixed = {"a": corpus({"x": (), "x.md": (), "sub/x.md": ()})}
    assert resolve(["x"], mixed, whole=True).keys == {"x": "a:x"}


@pytest.mark.spec("ENC-EVAL-3")
def test_what_nobody_can_list_is_told_to_be_unchecked() -> None:
    found = resolve(["https://example.org/a", "nope"], CORPORA, whole=True)
    assert (found.unchecked, list(found.unknown)) == (("https://example.org/a",), ["nope"])
    found = resolve(["nope", "keys"], CORPORA, whole=False)
    assert (found.unchecked, found.unknown) == (("nope",), {})
    assert found.keys == {"nope": "nope", "keys": "notes:keys.md"}


@pytest.mark.spec("ENC-EVAL-3")
def test_many_unknown_ids_are_counted() -> None:
    error = complain(resolve([f"x{number}" for number in range(8)], CORPORA, whole=True).unknown)
    assert error.message.endswith("; and 3 more")
    assert len(error.details["unknown"]) == 8


@pytest.mark.spec("ENC-EVAL-3")
def test_a_result_is_known_by_the_same_names() -> None:
    place = Locator("notes", "keys.md", "Rotate", (3, 5))
    assert keys(Hit("t", locator=place, id="notes:keys.md#0", page="notes:keys.md"), ("notes",)) == (
        "notes:keys.md#Rotate",
        "notes:keys.md#0",
        "notes:keys.md",
    )
    assert keys(Hit("t", locator=place, id="notes:keys.md#0"), ()) == (
        "keys.md#Rotate",
        "notes:keys.md#0",
        "keys.md#0",
        "keys.md",
        "keys",
        "t",
    )
    assert keys(Hit("Title", "https://example.org/a"), ("notes",)) == ("https://example.org/a", "Title")

"""Of the labels of corpus, document and passage the highest holds, and it goes wherever the text goes."""

from __future__ import annotations

import pytest

from encyclopedia.model.label import Label
from encyclopedia_adapters.local.documents import KIND
from tests.adapters.local.documents.shelf import Shelf

KEY = "AK" + "IA" + "QWERTYUIOP234567"


def shelf_of(tmp_path, **more):
    (tmp_path / "notes").mkdir()
    return Shelf(tmp_path, **more)


@pytest.mark.spec("ENC-LABEL-1")
@pytest.mark.parametrize(
    ("corpus", "front", "expected"),
    [
        (Label.PUBLIC, "", Label.PUBLIC),
        (Label.INTERNAL, "", Label.INTERNAL),
        (Label.PUBLIC, "label: personal", Label.PERSONAL),
        (Label.PUBLIC, "sensitivity: Internal", Label.INTERNAL),
        (Label.PUBLIC, "classification: SECRET", Label.SECRET),
        (Label.PERSONAL, "label: public", Label.PERSONAL),
        (Label.INTERNAL, "label: unheard-of", Label.INTERNAL),
        (Label.PUBLIC, "label: [internal, personal]", Label.PERSONAL),
    ],
)
def test_the_highest_label_holds(tmp_path, corpus, front, expected):
    shelf = shelf_of(tmp_path, label=corpus)
    shelf.write("a.md", f"---\n{front}\n---\n# A\n\nzeppelin\n")
    assert shelf.ask("zeppelin").hits[0].label is expected


@pytest.mark.spec("ENC-LABEL-2")
def test_a_passage_with_a_credential_is_secret_and_the_others_are_not(tmp_path):
    shelf = shelf_of(tmp_path)
    shelf.write("a.md", f"# A\n\n## One\n\nzeppelin plain\n\n## Two\n\nzeppelin {KEY}\n")
    shelf.write(
        "b.txt",
        "\n\n".join(["zeppelin intro " + "word " * 300, "-----BEGIN PRIVATE " + "KEY-----\n" + "\n".join(["Ab0+" * 16] * 60)]),
    )
    shelf.write("c.html", "<h1>C</h1><p>zeppelin password: Tr0ub4dor&amp;3</p>")
    shelf.write("d.md", f"# D {KEY}\n\nzeppelin below\n")
    shelf.index()
    labels = {}
    for name in ("a.md", "b.txt", "c.html", "d.md"):
        for row in shelf.source._index.text.passages(name):
            labels.setdefault(name, []).append(row.data.get("label"))
    assert labels == {
        "a.md": [None, "secret"],
        "b.txt": [None, "secret", "secret"][: len(labels["b.txt"])],
        "c.html": ["secret"],
        "d.md": ["secret"],
    }


@pytest.mark.spec("ENC-LABEL-1")
def test_a_document_tells_its_label(tmp_path):
    shelf = shelf_of(tmp_path, label=Label.INTERNAL)
    shelf.write("a.md", "---\nlabel: personal\n---\nzeppelin")
    shelf.index()
    assert KIND.document(shelf.corpus, "a.md")["label"] == "personal"

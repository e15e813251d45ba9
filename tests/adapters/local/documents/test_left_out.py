"""What the owner of a folder leaves out is no part of the collection, and each such path is told."""

from __future__ import annotations

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.local.documents.format import DocumentFormat
from tests.adapters.local.documents.shelf import Shelf


def grow(root, **texts):
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def listed(root, *exclude, gitignore=True):
    listing = DocumentFormat(exclude, gitignore=gitignore).listing(str(root))
    return list(listing.files), dict(listing.skipped)


@pytest.mark.spec("ENC-DOCS-24")
def test_gitignore_files_are_respected_at_every_depth(tmp_path):
    root = grow(
        tmp_path,
        **{
            ".gitignore": "build/\n*.txt\n!keep.txt\n/only-here.md\n",
            "a.md": "", "b.txt": "", "keep.txt": "", "only-here.md": "", "build/x.md": "",
            "sub/only-here.md": "", "sub/.gitignore": "private.md\n", "sub/private.md": "", "sub/b.txt": "", "private.md": "",
        },
    )  # fmt: skip
    files, skipped = listed(root)
    assert files == ["a.md", "keep.txt", "private.md", "sub/only-here.md"]
    ignored = [name for name, reason in skipped.items() if reason == "left out by .gitignore"]
    assert ignored == ["b.txt", "build", "only-here.md", "sub/b.txt", "sub/private.md"]
    assert "b.txt" in listed(root, gitignore=False)[0]


@pytest.mark.spec("ENC-DOCS-24")
def test_the_rules_of_the_repository_around_a_folder_count(tmp_path):
    grow(
        tmp_path,
        **{
            ".git/info/exclude": "secret.md\n", ".gitignore": "/docs/drafts/\n*.tmp.md\n", "docs/.gitignore": "/deep/x.md\n",
            "docs/a.md": "", "docs/secret.md": "", "docs/b.tmp.md": "", "docs/drafts/c.md": "", "docs/deep/x.md": "", "docs/deep/y.md": "",
        },
    )  # fmt: skip
    assert listed(tmp_path / "docs")[0] == ["a.md", "deep/y.md"]
    assert listed(tmp_path / "docs" / "deep")[0] == ["y.md"]


@pytest.mark.spec("ENC-DOCS-24")
def test_a_folder_that_its_repository_ignores_is_read_when_it_is_asked_for(tmp_path):
    grow(tmp_path, **{".git/HEAD": "", ".gitignore": "notes/\n*.md\n", "notes/a.txt": "", "notes/b.md": ""})
    assert listed(tmp_path / "notes")[0] == ["a.txt", "b.md"]


@pytest.mark.spec("ENC-DOCS-24")
def test_templates_drawings_and_settings_of_a_vault_are_left_out(tmp_path):
    root = grow(
        tmp_path,
        **{
            ".obsidian/templates.json": '{"folder": "Extra/My Templates"}',
            ".obsidian/app.json": '{"userIgnoreFilters": ["Archive/", "/regex/"]}',
            "Extra/My Templates/daily.md": "{{date}}", "Archive/old.md": "", "Notes/a.md": "", "Templates/b.md": "",
            "plan.excalidraw.md": "", "Attachments/photo.png": "",
        },
    )  # fmt: skip
    files, skipped = listed(root)
    assert files == ["Notes/a.md", "Templates/b.md"]
    assert skipped == {
        ".obsidian": "hidden",
        "Archive": "left out by the settings of the vault",
        "Extra/My Templates": "a template of the vault",
        "plan.excalidraw.md": "a drawing",
    }


@pytest.mark.spec("ENC-DOCS-24")
@pytest.mark.parametrize("damaged", ["", "[", "[]", '{"folder": 5}', "[" * 100_000])
def test_damaged_settings_of_a_vault_leave_the_usual_rules(tmp_path, damaged):
    grow(tmp_path, **{".obsidian/templates.json": damaged, ".obsidian/app.json": damaged, "templates/a.md": "", "b.md": ""})
    assert listed(tmp_path)[0] == ["b.md"]


@pytest.mark.spec("ENC-DOCS-24")
def test_a_corpus_can_leave_out_more(tmp_path):
    grow(tmp_path / "notes", **{"a.md": "zeppelin", "drafts/b.md": "zeppelin", "c.tmp.md": "zeppelin", ".gitignore": "a.md"})
    shelf = Shelf(tmp_path, options={"exclude": ["drafts/", "*.tmp.md"], "gitignore": False})
    assert shelf.paths("zeppelin") == ["a.md"]
    assert dict(KIND.report(shelf.corpus).skipped)["drafts"] == "left out by the settings of the corpus"


@pytest.mark.spec("ENC-DOCS-24")
@pytest.mark.parametrize("options", [{"exclude": 5}, {"exclude": [5]}, {"gitignore": "no"}])
def test_a_setting_that_does_not_fit_is_an_error(tmp_path, options):
    (tmp_path / "notes").mkdir()
    with pytest.raises(ConfigurationError, match=f"corpora.notes.{next(iter(options))} cannot be"):
        Shelf(tmp_path, options=options).index()

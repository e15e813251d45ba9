from __future__ import annotations

import os
import sys

import pytest

from encyclopedia_adapters.local import walk
from encyclopedia_adapters.shared.containment import within
from tests.unprivileged import unprivileged


def tree(root, **files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(root)


@pytest.mark.spec("ENC-DOCS-1")
def test_documents_are_listed_and_the_rest_is_told(tmp_path):
    root = tree(
        tmp_path,
        **{
            "b.md": "b",
            "a/x.MARKDOWN": "x",
            "a/y.rst": "yy",
            "a/z.txt": "z",
            "a/code.py": "no document",
            ".git/config.md": "hidden",
            "sub/.secret.md": "hidden",
            "node_modules/p/readme.md": "foreign",
            "big.md": b"x" * (walk.LARGEST + 1),
        },
    )
    listing = walk.walk(root)
    assert list(listing.files) == ["a/x.MARKDOWN", "a/y.rst", "a/z.txt", "b.md"]
    assert listing.files["a/y.rst"] == (2, walk.stamp((tmp_path / "a" / "y.rst").stat()))
    assert dict(listing.skipped) == {
        ".git": "hidden",
        "sub/.secret.md": "hidden",
        "node_modules": "installed by a package manager",
        "big.md": "larger than 5 MB",
    }
    assert (listing.root, listing.single, listing.complete) == (os.path.realpath(root), False, True)


@pytest.mark.spec("ENC-DOCS-2")
def test_links_are_never_followed(tmp_path):
    outside = tmp_path / "outside"
    tree(outside, **{"secret.md": "secret", "deep/more.md": "more"})
    root = tmp_path / "root"
    tree(root, **{"a.md": "a", "sub/b.md": "b"})
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "outdir").symlink_to(outside)
    (root / "in.md").symlink_to(root / "a.md")
    (root / "loop").symlink_to(root)
    (root / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (root / "image.png").symlink_to(outside / "secret.md")
    listing = walk.walk(str(root))
    assert list(listing.files) == ["a.md", "sub/b.md"]
    assert dict(listing.skipped) == {
        "out.md": "a link out of the corpus",
        "outdir": "a link out of the corpus",
        "gone.md": "a link out of the corpus",
        "in.md": "a link to a place in the same corpus",
        "loop": "a link to a place in the same corpus",
    }
    for name in ("out.md", "outdir/secret.md", "../outside/secret.md"):
        with pytest.raises(OSError, match="leads out"):
            walk.read(listing.root, name)
    with pytest.raises(OSError, match="symbolic"):
        walk.read(str(tmp_path), "root/in.md")


def test_a_root_that_is_a_link_is_the_choice_of_the_user(tmp_path):
    tree(tmp_path / "real", **{"a.md": "a"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    listing = walk.walk(str(tmp_path / "link"))
    assert (list(listing.files), walk.read(listing.root, "a.md")) == (["a.md"], b"a")


def test_a_single_file_is_a_corpus(tmp_path):
    root = tree(tmp_path, **{"book.md": "text", "other.md": "x", "tool.py": "x"})
    listing = walk.walk(os.path.join(root, "book.md"))
    assert (list(listing.files), listing.single) == (["book.md"], True)
    refused = walk.walk(os.path.join(root, "tool.py"))
    assert (list(refused.files), refused.skipped) == ([], [("tool.py", "not one of .md .markdown .txt .rst")])


@pytest.mark.parametrize("name", ["nowhere", "a.md/nowhere"])
def test_a_path_that_is_gone(tmp_path, name):
    root = tree(tmp_path, **{"a.md": "a"})
    with pytest.raises(FileNotFoundError):
        walk.walk(os.path.join(root, name))


def test_a_walk_stops_at_its_bounds(tmp_path):
    root = tree(tmp_path, **{f"{at:03}.md": "x" for at in range(30)})
    short = walk.walk(root, walk.Bounds(files=10, seconds=0.0))
    assert (len(short.files), short.complete) == (10, False)
    assert walk.walk(root, walk.Bounds(files=30, seconds=0.0)).complete
    assert walk.walk(root, walk.Bounds(files=1, seconds=3600.0)).complete


def test_special_files_are_no_documents(tmp_path):
    root = tree(tmp_path, **{"a.md": "a"})
    os.mkfifo(os.path.join(root, "pipe.md"))
    assert list(walk.walk(root).files) == ["a.md"]
    with pytest.raises(OSError, match="plain file"):
        walk.read(root, "pipe.md")


def test_a_name_that_is_no_text_is_skipped(tmp_path):
    name = os.fsdecode(b"bad\xff.md")
    try:
        (tmp_path / name).write_text("x")
    except OSError:  # a file system that takes UTF-8 names only holds no such file, and there is nothing to skip
        assert list(tmp_path.iterdir()) == []
        name = ""
    listing = walk.walk(tree(tmp_path, **{"grün.md": "x"}))
    assert list(listing.files) == ["grün.md"]
    assert listing.skipped == ([("bad\\udcff.md", "its name is not UTF-8")] if name else [])


@pytest.mark.spec("ENC-DOCS-1")
def test_a_tree_deeper_than_the_stack_is_walked(tmp_path):
    depth = sys.getrecursionlimit() + 100
    names = ["d"] * depth
    tree(tmp_path, **{"a.md": "a", "z.md": "z"})
    at = os.open(tmp_path, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("deep.md", os.O_CREAT, dir_fd=at))
    os.close(at)
    listing = walk.walk(str(tmp_path))
    assert list(listing.files) == ["a.md", "/".join([*names, "deep.md"]), "z.md"]
    os.unlink(tmp_path.joinpath(*names, "deep.md"))
    for length in range(depth, 0, -1):  # by hand: to remove a tree is recursive
        os.rmdir(tmp_path.joinpath(*names[:length]))


@pytest.mark.spec("ENC-DOCS-1")
def test_what_cannot_be_looked_at_is_told_and_costs_nothing_else(tmp_path):
    tree(tmp_path, **{"good.md": "x"})
    (tmp_path / "circle").symlink_to("circle")
    assert list(walk.walk(str(tmp_path)).files) == ["good.md"]
    assert walk.walk(str(tmp_path)).skipped == [("circle", "cannot be read: Too many levels of symbolic links")]


@pytest.mark.spec("ENC-DOCS-1")
def test_places_without_permission_are_told_and_cost_nothing_else(tmp_path):
    tree(tmp_path, **{"good.md": "x", "closed/a.md": "x", "names/b.md": "x"})
    (tmp_path / "closed").chmod(0o000)
    (tmp_path / "names").chmod(0o444)  # its names may be read, but nothing more of what it holds
    with unprivileged(tmp_path):
        listing = walk.walk(str(tmp_path))
    (tmp_path / "closed").chmod(0o755)
    (tmp_path / "names").chmod(0o755)
    denied = "cannot be read: Permission denied"
    assert (list(listing.files), listing.skipped) == (["good.md"], [("closed", denied), ("names/b.md", denied)])


def test_a_file_that_has_grown_is_not_read(tmp_path):
    root = tree(tmp_path, **{"a.md": b"x" * (walk.LARGEST + 1)})
    with pytest.raises(OSError, match="larger than 5 MB"):
        walk.read(root, "a.md")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\xef\xbb\xbfbom", "bom"),
        ("grün".encode("utf-16"), "grün"),
        (b"caf\xe9", "caf\ufffd"),
        (b"", ""),
        (b"PK\x03\x04\0\0", None),
        (b"text\0text", None),
    ],
)
def test_bytes_become_text(raw, text):
    assert walk.decode(raw) == text


@pytest.mark.parametrize(
    ("root", "path", "inside"),
    [("/a", "/a", True), ("/a", "/a/b", True), ("/a", "/ab", False), ("/", "/x", True), ("/a/b", "/a", False)],
)
def test_within(root, path, inside):
    assert within(root, path) is inside

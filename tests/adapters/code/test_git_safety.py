"""Repositories that want to do harm: nothing of them is run or written, and odd files cost only themselves."""

import os

import pytest

from encyclopedia.model.errors import Refused
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.code.git_clone import BLOB_BYTES
from tests.adapters.code.forge import WEBKIT, commit, git, repository, request, source


@pytest.fixture
def webkit(tmp_path):
    return repository(tmp_path / "forge" / "acme" / "webkit", WEBKIT)


@pytest.fixture
def ask(tmp_path):
    async def search(text, **more):
        return await source(tmp_path / "home", {"base_url": f"file://{tmp_path}/forge"}).search(request(text, **more))

    return search


def script(path, marker):
    """A program that leaves a mark when it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{marker}'\nexec cat\n")
    path.chmod(0o755)
    return path


def everything(folder):
    return [os.path.join(above, name) for above, _, names in os.walk(os.fsencode(folder)) for name in names]


@pytest.mark.spec("ENC-GIT-5")
async def test_hooks_and_filters_are_not_run(tmp_path, webkit, ask):
    marker = tmp_path / "run"
    evil = script(tmp_path / "evil", marker)
    git("config", "filter.evil.smudge", str(evil), cwd=webkit)
    commit(
        webkit,
        {".gitattributes": "*.py filter=evil diff=evil\n*.bin filter=lfs diff=lfs\n", "a.bin": "version https://git-lfs\n"},
    )
    for name in (
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "pre-receive",
        "post-index-change",
        "fsmonitor-watchman",
    ):
        script(webkit / ".git" / "hooks" / name, marker)
    git("config", "core.fsmonitor", str(evil), cwd=webkit)
    git("config", "uploadpack.packObjectsHook", str(evil), cwd=webkit)
    git("config", "core.alternateRefsCommand", str(evil), cwd=webkit)
    reply = await ask("compile_pattern")
    assert reply.hits[0].content.startswith("def compile_pattern")
    assert not marker.exists()


@pytest.mark.spec("ENC-GIT-5")
async def test_the_users_own_configuration_is_not_used(tmp_path, webkit, ask, monkeypatch):
    marker = tmp_path / "run"
    evil = script(tmp_path / "evil", marker)
    (tmp_path / "templates").mkdir()
    script(tmp_path / "templates" / "hooks" / "reference-transaction", marker)
    (tmp_path / ".gitconfig").write_text(
        f'[core]\n\thooksPath = {tmp_path}/templates/hooks\n\tsshCommand = {evil}\n[credential]\n\thelper = {evil}\n'
        f'[url "ext::{evil} "]\n\tinsteadOf = file://\n[init]\n\ttemplateDir = {tmp_path}/templates\n[protocol]\n\tallow = always\n'
    )  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "templates"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(evil))
    monkeypatch.setenv("GIT_SSH_COMMAND", str(evil))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert (await ask("compile_pattern")).hits
    assert not marker.exists()


@pytest.mark.spec("ENC-GIT-5")
async def test_a_partial_clone_of_this_machine_cannot_make_git_fetch(tmp_path, webkit, ask):
    marker = tmp_path / "run"
    evil = script(tmp_path / "evil", marker)
    blob = git("rev-parse", "HEAD:webkit/routing.py", cwd=webkit)
    (webkit / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": f"file://{webkit}", "remote.origin.uploadpack": str(evil),
    }.items():  # fmt: skip
        git("config", name, value, cwd=webkit)
    with pytest.raises(Exception, match="webkit"):
        await ask("compile_pattern")
    assert not marker.exists()


@pytest.mark.spec("ENC-GIT-5")
async def test_submodules_are_left_alone(tmp_path, webkit, ask):
    other = repository(tmp_path / "other", {"inside.py": "def inside():\n    return 'xylophone'\n"})
    head = git("rev-parse", "HEAD", cwd=other)
    (webkit / ".gitmodules").write_text(f'[submodule "sub"]\n\tpath = sub\n\turl = {other}\n')
    git("update-index", "--add", "--cacheinfo", f"160000,{head},sub", cwd=webkit)
    commit_index(webkit, ".gitmodules")
    assert not [hit for hit in (await ask("xylophone")).hits if hit.locator.path.startswith("sub")]


@pytest.mark.spec("ENC-GIT-5")
async def test_a_submodule_that_is_an_option_is_refused(tmp_path, webkit, ask):
    marker = tmp_path / "run"
    (webkit / ".gitmodules").write_text(f'[submodule "sub"]\n\tpath = sub\n\turl = "--upload-pack=touch {marker}"\n')
    git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub", cwd=webkit)
    commit_index(webkit, ".gitmodules")
    with pytest.raises(Refused, match="git's own checks"):
        await ask("compile_pattern")
    assert not marker.exists()


def commit_index(path, *names):
    git("add", *names, cwd=path)
    git("commit", "-q", "-m", "change", cwd=path)


@pytest.mark.spec("ENC-GIT-5")
async def test_links_lead_nowhere(tmp_path, webkit, ask):
    secret = tmp_path / "secret.md"
    secret.write_text("# Xylophone\n\nxylophone\n")
    (webkit / "link.md").symlink_to(secret)
    (webkit / "out").symlink_to(tmp_path)
    (webkit / "passwd").symlink_to("/etc/passwd")
    commit_index(webkit, "link.md", "out", "passwd")
    assert not (await ask("xylophone")).hits
    assert not (await ask("root daemon nologin")).hits
    reply = await ask("acme/webkit", type=QueryType.REPOSITORY)
    assert "link.md" not in reply.hits[1].content


@pytest.mark.spec("ENC-GIT-5")
async def test_nothing_of_a_repository_is_written_as_a_file(tmp_path, webkit, ask):
    await ask("compile_pattern")
    names = {os.path.basename(name) for name in everything(tmp_path / "home")}
    assert not names & {b"routing.py", b"README.md", b"guide.rst"}
    assert not [name for name in everything(tmp_path / "home") if b"/hooks/" in name]


@pytest.mark.spec("ENC-GIT-6")
async def test_odd_names_are_shown_and_their_files_read(webkit, ask):
    names = {
        b"-rf": "-rf", b"--help.py": "--help.py", b"caf\xe9.py": "caf\\xe9.py", b"new\nline.py": "new\\nline.py",
        b"esc\x1b[31m.py": "esc\\x1b[31m.py", "bidi\u202e.py".encode(): "bidi\\u202e.py", "größe.py".encode(): "größe.py",
        b"a b#c?.py": "a b#c?.py", b'quo"te.py': 'quo"te.py', b"$(touch x).py": "$(touch x).py",
    }  # fmt: skip
    for name in names:
        with open(os.path.join(os.fsencode(webkit), name), "wb") as file:
            file.write(b"def xylophone():\n    return 1\n")
    commit(webkit, {})
    found = {hit.locator.path: hit for hit in (await ask("xylophone", limit=20)).hits}
    assert set(found) == set(names.values())
    assert all("\x1b" not in hit.title and "\n" not in hit.title and "\u202e" not in hit.title for hit in found.values())


@pytest.mark.spec("ENC-GIT-6")
async def test_what_is_no_text_or_too_large_costs_only_itself(webkit, ask):
    files = {
        "data.py": b"xylophone\x00\x01\x02",
        "latin.py": b"# xylophone caf\xe9\n",
        "utf16.txt": "xylophone".encode("utf-16"),
        "huge.py": "# xylophone\n" * 60_000,
        "middle.py": "# xylophone\n" * 36_000,
        "one-line.js": "xylophone;" * 20_000,
        "yarn.lock": "xylophone\n",
        "empty.py": "",
        "crlf.py": "# one\r\n# xylophone\r\n",
        "bom.py": b"\xef\xbb\xbf# xylophone\n",
        "lone.py": b"# xylophone \xed\xa0\x80\n",
    }
    commit(webkit, files)
    reply = await ask("xylophone", limit=20)
    assert {hit.locator.path for hit in reply.hits} == {"latin.py", "crlf.py", "bom.py", "lone.py"}
    assert not reply.reduced
    assert all("\r" not in hit.content for hit in reply.hits)


@pytest.mark.spec("ENC-GIT-6")
async def test_a_server_that_filters_sends_no_huge_file_and_none_is_fetched_later(tmp_path, webkit, ask):
    git("config", "uploadpack.allowFilter", "true", cwd=webkit)
    commit(webkit, {"huge.bin": os.urandom(4 * BLOB_BYTES)})
    reply = await ask("compile_pattern")
    assert reply.hits
    assert not reply.reduced
    assert sum(os.path.getsize(name) for name in everything(tmp_path / "home")) < BLOB_BYTES


@pytest.mark.spec("ENC-GIT-6")
async def test_hostile_text_comes_out_clean(webkit, ask):
    commit(webkit, {"a.md": "# T\x1b[31mitle xylophone\n\n<script>alert(1)</script> \x1b]52;c;QQ==\x07 vector<int> \u202e\n"})
    hit = (await ask("xylophone")).hits[0]
    assert hit.title == "a.md > Title xylophone"
    assert hit.content.split() == ["#", "Title", "xylophone", "vector<int>"]
    assert "\x1b" not in hit.locator.section


@pytest.mark.spec("ENC-GIT-10")
async def test_a_tree_of_endless_files_is_cut_and_told(webkit, ask):
    blob = git("hash-object", "-w", "--stdin", cwd=webkit, text=b"x = 1\n")
    tree = git("mktree", cwd=webkit, text="".join(f"100644 blob {blob}\tf{at}\n" for at in range(10)).encode())
    for _ in range(9):
        tree = git("mktree", cwd=webkit, text="".join(f"040000 tree {tree}\td{at}\n" for at in range(10)).encode())
    top = git("commit-tree", tree, "-m", "bomb", cwd=webkit)
    git("update-ref", "refs/heads/main", top, cwd=webkit)
    reply = await ask("x", timeout=4.0)
    assert "only the first 20000 files" in reply.reduced


@pytest.mark.spec("ENC-GIT-8")
@pytest.mark.parametrize("damage", [b"", b"PACK" + b"\0" * 200, None])
async def test_a_damaged_clone_is_made_anew(tmp_path, webkit, ask, damage):
    await ask("compile_pattern")
    for path in (tmp_path / "home").rglob("*.pack"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:-300] + b"\0" * 300 if damage is None else damage)
    reply = await ask("router add")
    assert reply.hits[0].locator.path == "webkit/routing.py"
    assert not reply.reduced

"""The clones that are kept: who may remove them, when they are looked at again, and how git is held to an address."""

import json
import os
import threading
import time

import pytest

from encyclopedia.model.errors import Refused, Unavailable
from encyclopedia_adapters.code import git_clone
from encyclopedia_adapters.code.git_cache import Clones
from encyclopedia_adapters.code.git_clone import Remote, folder_size
from encyclopedia_adapters.code.git_program import Git, Limits
from encyclopedia_adapters.code.place import place
from tests.adapters.code.forge import WEBKIT, commit, forge, git, repository
from tests.adapters.shared.test_inside import HOSTS


@pytest.fixture
def limits():
    return Limits(time.monotonic() + 60, threading.Event())


@pytest.fixture
def webkit(tmp_path):
    repository(tmp_path / "forge" / "acme" / "webkit", WEBKIT)
    return place("acme/webkit", f"file://{tmp_path}/forge")


def folders(path):
    return sorted(entry.name.rsplit("-", 1)[0] for entry in path.iterdir() if entry.name != "locks")


@pytest.mark.spec("ENC-GIT-11")
def test_a_clone_that_is_in_use_is_never_removed(tmp_path, webkit, limits):
    repository(tmp_path / "forge" / "acme" / "other", {"a.txt": "a"})
    other = place("acme/other", f"file://{tmp_path}/forge")
    most = folder_size(str(tmp_path / "forge" / "acme" / "webkit")) * 4
    clones = Clones(str(tmp_path / "clones"), most, 0)
    with clones.use(webkit, limits) as clone:
        (tmp_path / "clones" / os.path.basename(clone.folder) / "index").write_bytes(b"x" * most)
        clones.drop(webkit)
        with clones.use(other, limits):
            pass
        assert folders(tmp_path / "clones") == ["acme-other", "acme-webkit"]
        assert os.path.isdir(clone.path)
    with clones.use(other, limits):
        pass
    assert folders(tmp_path / "clones") == ["acme-other"]


@pytest.mark.spec("ENC-GIT-7")
def test_what_an_update_replaces_stays_for_those_who_read_it(tmp_path, webkit, limits):
    clones = Clones(str(tmp_path / "clones"), 10**9, 0)
    with clones.use(webkit, limits) as before:
        head = commit(tmp_path / "forge" / "acme" / "webkit", {"new.py": "x = 1\n"})
        with clones.use(webkit, limits) as after:
            assert after.commit == head != before.commit
        assert os.path.isdir(before.path)
    assert not os.path.isdir(before.path)
    assert os.path.isdir(after.path)


@pytest.mark.spec("ENC-GIT-8")
@pytest.mark.parametrize(("age", "asked"), [(0, 0), (3000, 0), (4000, 1), (-5000, 1)])
def test_a_clone_is_looked_at_again_after_its_time(tmp_path, webkit, limits, age, asked):
    """A time that lies ahead is that of a clock which was set back."""
    with forge(tmp_path / "forge") as server:
        served = place("acme/webkit", server.url)
        clones = Clones(str(tmp_path / "clones"), 10**9, 3600)
        with clones.use(served, limits) as clone:
            pass
        state = os.path.join(clone.folder, "state.json")
        with open(state, encoding="utf-8") as file:
            url, head, checked = json.load(file)
        with open(state, "w", encoding="utf-8") as file:
            json.dump([url, head, checked - age], file)
        server.seen.clear()
        with clones.use(served, limits) as again:
            assert again == clone
        assert server.count("/info/refs") == asked


@pytest.mark.spec("ENC-GIT-9")
def test_names_that_look_alike_have_their_own_clones(tmp_path, limits):
    base = f"file://{tmp_path}/forge"
    for name in ("a/b-c", "a-b/c"):
        repository(tmp_path / "forge" / name, {"a.txt": name})
    clones = Clones(str(tmp_path / "clones"), 10**9, 0)
    paths = set()
    for name in ("a/b-c", "a-b/c"):
        with clones.use(place(name, base), limits) as clone:
            paths.add(clone.folder)
    assert len(paths) == 2
    assert all(os.path.dirname(path) == str(tmp_path / "clones") for path in paths)


@pytest.mark.spec("ENC-GIT-10")
def test_a_clone_that_fails_leaves_nothing(tmp_path, webkit):
    stop = threading.Event()
    stop.set()
    with (
        pytest.raises(TimeoutError),
        Clones(str(tmp_path / "clones"), 10**9, 0).use(webkit, Limits(time.monotonic() + 60, stop)),
    ):
        pass
    assert folders(tmp_path / "clones") == []


@pytest.mark.spec("ENC-GIT-12")
def test_git_dials_the_address_that_was_looked_at(tmp_path, webkit, limits):
    with forge(tmp_path / "forge") as server:
        port = server.url.rpartition(":")[2]
        asked = ["ls-remote", "--", f"http://forge.invalid:{port}/acme/webkit.git", "HEAD"]
        assert Git(str(tmp_path), "http").run(asked, limits).code
        held = Git(str(tmp_path), "http", {"http.curloptResolve": f"forge.invalid:{port}:127.0.0.1"}).run(asked, limits)
        assert held.output.decode().split()[0] == git("rev-parse", "HEAD", cwd=tmp_path / "forge" / "acme" / "webkit")


@pytest.mark.spec("ENC-GIT-12")
@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("https://8.8.8.8/a/b", {}),
        ("https://[2606:4700:4700::1111]:8443/a/b", {}),
        ("https://10.0.0.1/a/b", None),
        ("https://[64:ff9b::a00:1]/a/b", None),
    ],
)
def test_addresses_are_looked_at_before_git_is(address, settings, limits):
    if settings is None:
        with pytest.raises(Refused, match="inside a network"):
            git_clone._pinned(place(address), limits)
    else:
        assert git_clone._pinned(place(address), limits) == settings


@pytest.mark.spec("ENC-GIT-12")
@pytest.mark.parametrize("host", HOSTS)
def test_no_form_of_an_inside_address_is_given_to_git(host, limits):
    with pytest.raises((Refused, Unavailable)):  # one that no resolver reads is no name
        git_clone._pinned(place(f"https://{host}/a/b"), limits)


@pytest.mark.spec("ENC-GIT-12")
def test_git_uses_the_allowed_protocol_only(tmp_path, webkit, limits):
    asked = ["ls-remote", "--", webkit.url, "HEAD"]
    assert Git(str(tmp_path), "file").run(asked, limits).code == 0
    for protocol in ("", "https"):
        done = Git(str(tmp_path), protocol).run(asked, limits)
        assert done.code == 128
        assert "not allowed" in done.messages


@pytest.mark.spec("ENC-GIT-7")
def test_the_newest_commit_of_an_empty_repository_is_none(tmp_path, limits):
    repository(tmp_path / "forge" / "acme" / "empty")
    found = place("acme/empty", f"file://{tmp_path}/forge")
    assert Remote(found, str(tmp_path)).newest(limits) == ""
    assert Remote(found, str(tmp_path)).take(str(tmp_path / "taken"), limits, 10**9) == ""

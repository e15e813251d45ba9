"""Which names and addresses stand for a repository, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.code.place import Place, blob, place

GITLAB = "https://gitlab.example.org"


@pytest.mark.spec("ENC-GIT-1")
@pytest.mark.parametrize(
    ("asked", "base", "url", "name"),
    [
        ("acme/webkit", "", "https://github.com/acme/webkit.git", "acme/webkit"),
        ("acme/webkit.git", "", "https://github.com/acme/webkit.git", "acme/webkit"),
        ("acme/web.kit-2_x", "", "https://github.com/acme/web.kit-2_x.git", "acme/web.kit-2_x"),
        ("acme/.github", "", "https://github.com/acme/.github.git", "acme/.github"),
        ("acme/group/webkit", GITLAB, f"{GITLAB}/acme/group/webkit.git", "acme/group/webkit"),
        ("acme/webkit", f"{GITLAB}/", f"{GITLAB}/acme/webkit.git", "acme/webkit"),
        ("https://github.com/acme/webkit", "", "https://github.com/acme/webkit.git", "acme/webkit"),
        ("https://GitHub.com/acme/webkit.git/", "", "https://github.com/acme/webkit.git", "acme/webkit"),
        ("https://github.com/acme/webkit/tree/main/src?x=1#L3", "", "https://github.com/acme/webkit.git", "acme/webkit"),
        ("https://gitlab.com/a/b/c/-/blob/main/x.py", "", "https://gitlab.com/a/b/c.git", "a/b/c"),
        ("https://git.example.org/~a/kit", "", "https://git.example.org/~a/kit", "~a/kit"),
        ("https://git.example.org/kit.git", "", "https://git.example.org/kit.git", "kit"),
    ],
)
def test_a_repository_has_one_address(asked, base, url, name):
    found = place(asked, base)
    assert (found.url, found.name, found.protocol) == (url, name, "https")


@pytest.mark.spec("ENC-GIT-1")
@pytest.mark.parametrize(
    "asked",
    [
        "", "webkit", "-acme/webkit", "--upload-pack=touch x/y", "acme/../webkit", "../webkit", "acme/-x/../../y", "acme/web kit",
        "acme/webkit\n", "acme/web\x00kit", "acme/we\u202ebkit", "äcme/webkit", "a/" + "b" * 600, "acme//webkit", "acme/webkit/", "acme/.", "acme/./x",
        "ext::sh -c touch% x", "ssh://git@example.org/a/b", "git@github.com:acme/webkit", "git://example.org/a/b",
        "http://github.com/acme/webkit", "https://user:key@github.com/acme/webkit", "https://github.com", "https:///a/b",
        "https://github.com/..", "https://-oProxy/a/b\\", "https://example.org/a/%2e%2e/b", "ftp://example.org/a/b",
    ],
)  # fmt: skip
def test_everything_else_is_refused(asked):
    with pytest.raises(Refused):
        place(asked)


@pytest.mark.spec("ENC-GIT-1")
@given(st.text(max_size=60))
def test_no_text_becomes_an_option_or_a_path(text):
    try:
        found = place(text)
    except Refused:
        return
    assert found.url.startswith("https://")
    assert "/../" not in found.url


@pytest.mark.spec("ENC-GIT-2")
def test_a_folder_is_read_only_where_it_was_named(tmp_path):
    folder, other = tmp_path / "src" / "kit.git", tmp_path / "other"
    folder.mkdir(parents=True)
    other.mkdir()
    (tmp_path / "src" / "way-out").symlink_to(other)
    named = (str(tmp_path / "src"),)
    assert place(str(folder), folders=named) == Place(f"file://{folder}", "kit", "file")
    assert place(f"file://{folder}", folders=named).url == f"file://{folder}"
    for asked in (str(other), f"file://{other}", f"{tmp_path}/src/../other", f"{tmp_path}/src/way-out", f"{tmp_path}/srcs"):
        with pytest.raises(Refused, match="named by hand"):
            place(asked, folders=named)
    for asked in (str(folder), f"file://{folder}", "/etc"):
        with pytest.raises(Refused, match="named by hand"):
            place(asked)
    with pytest.raises(Refused, match="no such folder"):
        place(f"{tmp_path}/src/missing", folders=named)
    with pytest.raises(Refused, match="absolute path"):
        place(f"file://elsewhere{folder}", folders=named)


@pytest.mark.spec("ENC-GIT-2")
def test_a_configured_folder_is_a_forge_and_nothing_above_it(tmp_path):
    (tmp_path / "forge" / "acme" / "kit.git").mkdir(parents=True)
    (tmp_path / "kit").mkdir()
    base = f"file://{tmp_path}/forge"
    assert place("acme/kit", base).url == f"file://{tmp_path}/forge/acme/kit.git"
    for asked in ("../kit", "acme/../../kit", "acme/missing"):
        with pytest.raises(Refused):
            place(asked, base)


@pytest.mark.spec("ENC-GIT-12")
def test_only_the_configured_host_and_port_is_known():
    base = "http://127.0.0.1:8080"
    assert place("acme/kit", base).known
    assert place("http://127.0.0.1:8080/acme/kit", base) == place("acme/kit", base)
    assert not place("https://127.0.0.1:8443/acme/kit", base).known
    assert not place("acme/kit").known
    with pytest.raises(Refused, match="https"):
        place("http://127.0.0.1:8081/acme/kit", base)


@pytest.mark.spec("ENC-GIT-3")
@pytest.mark.parametrize(
    ("web", "url"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/blob/c0/x%20y.py#L3-L9"),
        ("https://gitlab.com/a/b", "https://gitlab.com/a/b/-/blob/c0/x%20y.py#L3-9"),
        ("https://codeberg.org/a/b", "https://codeberg.org/a/b/src/commit/c0/x%20y.py#L3-L9"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/src/c0/x%20y.py#lines-3:9"),
        ("https://git.example.org/a/b", ""),
        ("", ""),
    ],
)
def test_a_passage_has_its_page_at_the_commit(web, url):
    assert blob(Place("", "a/b", "https", web), "c0", "x%20y.py", (3, 9)) == url
    assert blob(Place("", "a/b", "https", web), "c0", "x%20y.py", None) == url.partition("#")[0]

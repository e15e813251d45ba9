import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.docs.context7_library import CALLED, NEAR, OTHER, Library, choose, pinned
from tests.docs_bodies import context7_libraries


def chosen(*libraries, name="", text=""):
    return choose(context7_libraries(*libraries)["results"], name, text)


def library(id, title="", trust=5, benchmark=50, **more):
    return {"id": id, "title": title, "trustScore": trust, "benchmarkScore": benchmark, **more}


@pytest.mark.spec("ENC-LIBDOCS-2")
@pytest.mark.parametrize(
    ("name", "offered", "id", "nearness"),
    [
        ("webkit", [library("/a/other", "Other", 10), library("/b/x", "Webkit", 1)], "/b/x", CALLED),
        ("webkit", [library("/a/other", "Other", 10), library("/b/webkit", "The framework", 1)], "/b/webkit", CALLED),
        ("web-kit", [library("/b/x", "Web_Kit")], "/b/x", CALLED),
        ("webkit", [library("/b/x", "Web Kit")], "/b/x", CALLED),
        ("next", [library("/vercel/next.js", "Next.js")], "/vercel/next.js", CALLED),
        ("c++", [library("/a/c", "C", 10), library("/a/cpp", "C++")], "/a/cpp", CALLED),
        ("webkit", [library("/a/webkit-users", "Webkit Users", 10), library("/a/o", "Other")], "/a/webkit-users", NEAR),
        ("webkit", [library("/a/webkit-users", "Webkit Users", 10), library("/a/webkit", "", 1)], "/a/webkit", CALLED),
        ("django-rest", [library("/a/django", "Django")], "/a/django", OTHER),
        ("bs4", [library("/a/soup", "Beautiful Soup", 1), library("/a/python", "Python", 10, 99)], "/a/soup", OTHER),
        # trust, then benchmark, then the service's order; unknown values count as the least
        ("webkit", [library("/a/webkit", "", 7), library("/b/webkit", "", 9)], "/b/webkit", CALLED),
        ("webkit", [library("/a/webkit", "", 7, 10), library("/b/webkit", "", 7, 20.5)], "/b/webkit", CALLED),
        ("webkit", [library("/a/webkit"), library("/b/webkit")], "/a/webkit", CALLED),
        ("webkit", [library("/a/webkit", "", None, "x"), library("/b/webkit", "", 0, 1)], "/b/webkit", CALLED),
    ],
)
def test_the_library_that_is_called_so_is_chosen(name, offered, id, nearness):
    found = chosen(*offered, name=name, text=f"{name} how to route")
    assert (found.id, found.nearness) == (id, nearness)


@pytest.mark.spec("ENC-LIBDOCS-2")
@pytest.mark.parametrize(
    ("text", "offered", "id", "nearness"),
    [
        ("routes in webkit", [library("/a/other", "Other", 10), library("/b/webkit", "Webkit", 1)], "/b/webkit", CALLED),
        ("react native lists", [library("/a/react", "React", 10), library("/a/rn", "React Native", 1)], "/a/rn", CALLED),
        ("webkits", [library("/a/first", "First", 1), library("/b/webkit", "Webkit", 10)], "/a/first", OTHER),
    ],
)
def test_without_a_name_the_one_that_the_question_speaks_of(text, offered, id, nearness):
    found = chosen(*offered, text=text)
    assert (found.id, found.nearness) == (id, nearness)


@pytest.mark.spec("ENC-LIBDOCS-2")
@pytest.mark.parametrize("state", ["initial", "processing", "error", "delete", None])
def test_only_finished_libraries_are_chosen(state):
    ready = library("/a/webkit-two", "Webkit Two", 1)
    assert chosen(library("/a/webkit", "Webkit", state=state), ready, name="webkit").id == "/a/webkit-two"
    assert chosen(library("/a/webkit", "Webkit", state=state), name="webkit") is None


@pytest.mark.spec("ENC-LIBDOCS-2")
@pytest.mark.parametrize(
    "element", [{"id": "webkit"}, {"id": "/a"}, {"id": "/a/b c"}, {"id": "/a/b\x1b[31m"}, {"id": 3}, {"id": "/a/b/c/d"}]
)
def test_what_has_no_usable_id_is_left_out(element):
    assert chosen(element, name="webkit") is None


@pytest.mark.spec("ENC-LIBDOCS-2")
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "title", "state", "versions", "trustScore", "benchmarkScore"]),
            st.none() | st.text(max_size=9) | st.floats() | st.lists(st.integers() | st.text(max_size=3)) | st.just("/a/b"),
        )
        | st.integers()
    ),
    st.text(max_size=9),
    st.text(max_size=20),
)
def test_any_list_is_taken(offered, name, text):
    found = choose(offered, name, text)
    assert found is None or pinned(found.id)


@pytest.mark.spec("ENC-LIBDOCS-3")
@pytest.mark.parametrize(
    ("version", "place"),
    [("", "/a/b"), ("2.1.0", "/a/b/v2.1.0"), ("v2.1.0", "/a/b/v2.1.0"), ("V2.1.0", "/a/b/v2.1.0"), ("1.9.4", "/a/b/1.9.4")],
)
def test_a_version_is_asked_for_by_its_tag(version, place):
    found = Library("/a/b", versions=("v2.1.0", "1.9.4"))
    assert found.has(version) is bool(version)
    assert found.at(version) == place


@pytest.mark.spec("ENC-LIBDOCS-3")
@pytest.mark.parametrize("version", ["2.1", "2", "2.1.00", "3", "vv2.1.0"])
def test_another_version_is_not_the_same(version):
    assert not Library("/a/b", versions=("v2.1.0", "1.9.4")).has(version)


@pytest.mark.spec("ENC-LIBDOCS-3")
def test_versions_that_are_not_known_can_be_asked_for_of_the_library_itself_only():
    assert Library("/a/b").has("7")
    assert Library("/a/b").at("7") == "/a/b/7"
    assert not Library("/a/b", nearness=NEAR).has("7")


@pytest.mark.spec("ENC-LIBDOCS-5")
@pytest.mark.parametrize(
    ("id", "version", "place"),
    [
        ("/new/home", "", "/new/home"),
        ("/new/home", "2", "/new/home/2"),
        ("/new/home/v3", "", "/new/home/v3"),
        ("/new/home/v3", "2", "/new/home/2"),
        ("/new/home@v3", "2", "/new/home/2"),
        ("https://evil.example.org/a", "", None),
        ("/a/b?x=1 2", "", None),
        ("/a", "", None),
        (["/a/b"], "", None),
    ],
)
def test_a_library_moves_to_an_id_only(id, version, place):
    moved = Library("/a/b").moved(id, version)
    assert (moved and moved.at(version)) == place

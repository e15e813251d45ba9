"""Each guard forbids what it is for and nothing else; what no guard forbids is the same question."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.engine.guards.align import align
from encyclopedia.engine.guards.checks import GUARDS, refusal, same_words
from encyclopedia.engine.guards.question import read
from encyclopedia.wiring import near
from encyclopedia.wiring.near import wording as shipped

FORBIDDEN = {
    "language": [
        ("how to install numpy", "wie installiere ich numpy"),
        ("restart nginx", "перезапустить nginx"),
        ("what is a monad and how to use it", "qu'est-ce que la monade et comment est-elle faite"),
    ],
    "versions": [
        ("python 3.11 release date", "python 3.12 release date"),
        ("flask async support", "flask 2.0 async support"),
        ("tls v1.2 handshake", "tls v1.3 handshake"),
        ("python 3.10 typing", "python 3.1 typing"),
    ],
    "dates": [
        ("survey of 2022", "survey of 2023"),
        ("downloads last week", "downloads last year"),
        ("updates 2024-01-09", "updates 2024-02-13"),
        ("logs since monday", "logs since friday"),
    ],
    "numbers": [
        ("http status 301", "http status 302"),
        ("retry three times", "retry 5 times"),
        ("exit code 0x80070005", "exit code 0x80070057"),
        ("java 17 on ubuntu 22", "java 22 on ubuntu 17"),
    ],
    "negation": [
        ("when to use a singleton", "when not to use a singleton"),
        ("commit with hooks", "commit without hooks"),
        ("blocking io in java", "non-blocking io in java"),
        ("grep lines that match", "grep lines that don't match"),
        ("columns not null with default", "columns null with no default"),
    ],
    "polarity": [
        ("enable https in nginx", "disable https in nginx"),
        ("install docker on ubuntu", "uninstall docker on ubuntu"),
        ("encoding urls in javascript", "decode url in javascript"),
        ("symmetric encryption example", "asymmetric encryption example"),
        ("before hook in mocha", "after hook in mocha"),
        ("search in the current file", "search in all files"),
    ],
    "question": [
        ("is rust memory safe", "why is rust memory safe"),
        ("how to use redux", "when to use redux"),
        ("who created linux", "when was linux created"),
        ("kafka", "why kafka"),
    ],
    "identifiers": [
        ("git reset --soft", "git reset --hard"),
        ("grep -v", "grep -V"),
        ("df.loc examples", "df.iloc examples"),
        ("__init__ in python", "__new__ in python"),
        ("== in javascript", "=== in javascript"),
        ("/etc/passwd format", "/etc/shadow format"),
    ],
    "direction": [
        ("convert csv to parquet", "convert parquet to csv"),
        ("migrate from mysql to postgres", "migrate to mysql from postgres"),
        ("call python from c", "call c from python"),
        ("replace tabs with spaces", "replace spaces with tabs"),
        ("dict of lists", "list of dicts"),
        ("json -> yaml", "yaml -> json"),
        ("convert json to yaml", "yaml json convert"),
        ("resize image to 200 by 400", "resize image to 400 by 200"),
        ("is kafka faster than rabbitmq", "is rabbitmq faster than kafka"),
    ],
    "roles": [
        ("service a calls service b", "service b calls service a"),
        ("parent calls child component", "child calls parent component"),
        ("why do tests pass locally but fail in CI", "why do tests fail locally but pass in CI"),
    ],
    "names": [
        ("flask file upload", "django file upload"),
        ("nginx rate limiting", "haproxy rate limiting"),
        ("install tensorflow", "install tensorflow on Fedora"),
    ],
    "scope": [
        ("restart a service", "restart a single service"),
        ("list files in directory", "list files in directory recursively"),
        ("delete branches", "delete branches in a repository"),
        ("loops in bash", "for loops in bash"),
        ("lint a file", "lint all files"),
        ("restart one docker container", "restart every docker container"),
    ],
    "words": [
        ("docker image size", "docker image tag"),
        ("git stash apply", "git stash list"),
        ("python thread pool", "python process pool"),
        ("bash for loop", "bash while loop"),
    ],
}
SAME = [
    ("how to install numpy", "how do I install numpy"),
    ("what is a race condition", "explain race condition"),
    ("k8s ingress tls setup", "kubernetes ingress tls setup"),
    ("what is new in python 3.12", "whats new in python3.12"),
    ("ubuntu 22.04 install java 17", "install java 17 on ubuntu 22.04"),
    ("top 10 python web frameworks", "ten best python web frameworks"),
    ("print without newline python", "print with no newline in python"),
    ("convert from json to yaml", "json to yaml conversion"),
    ("tabs vs spaces", "spaces vs tabs"),
    ("difference between tcp and udp", "tcp vs udp"),
    ("web-socket vs sse", "websocket vs SSE"),
    ("numpy broadcating rules", "numpy broadcasting rules"),
    ("react useEffect cleanup", "cleanup of useeffect in react"),
    ("validations in ruby on rails", "ruby on rails validations"),
    ("terraform import existing resource", "import an existing resource into terraform"),
    ("why is my docker build slow", "docker build slow"),
    ("pg_dump a table", "pg dump a table"),
    ("organise imports", "organizing imports"),
    ("how do I sort a list of dicts", "sort list of dicts"),
    ("test a rest api", "testing rest apis"),
    ("http status 502 meaning", "what does http status code 502 mean"),
    ("rest vs grpc comparison", "difference between rest and grpc"),
    ("keep the last 7 days of logs", "keep logs of the last seven days"),
    ("where does vscode store its settings", "location of the settings of vscode"),
    ("fix a slow query", "optimize a slow query"),
    ("stop a script on error in bash", "bash stop script on error"),
    ("a tutorial on writing parsers", "parser writing tutorial"),
    ("why is my react component rendering twice", "react component renders twice"),
    ("2fa in django", "two-factor authentication in django"),
    ("2d array in c", "two dimensional array in c"),
    ("dynamo db query", "dynamodb query"),
    ("for loops in bash", "bash for loop syntax"),
    ("status code 204 meaning", "meaning of http 204"),
    ("can you run docker without sudo", "how to run docker without sudo"),
    ("best practices for logging in python", "python logging best practices"),
    ("mysql connection refused error", "error connection refused mysql"),
    ("remove all rows of a table", "delete all rows of a table"),
]


def pair(a, b, wording):
    return align(read(a, wording), read(b, wording), wording)


@pytest.mark.spec("ENC-NEAR-1")
def test_every_guard_has_examples_and_its_name_is_known_without_loading_it():
    assert list(FORBIDDEN) == list(GUARDS) == list(near.GUARDS)


@pytest.mark.spec("ENC-NEAR-1")
@pytest.mark.parametrize(("name", "a", "b"), [(name, *two) for name, pairs in FORBIDDEN.items() for two in pairs])
def test_a_guard_forbids_what_it_is_for_whoever_of_the_two_asks(wording, name, a, b):
    assert GUARDS[name](pair(a, b, wording))
    assert GUARDS[name](pair(b, a, wording))


@pytest.mark.spec("ENC-NEAR-1")
@pytest.mark.parametrize(("a", "b"), SAME)
def test_no_guard_forbids_the_same_question_in_other_words(wording, a, b):
    assert [name for name, forbids in GUARDS.items() if forbids(pair(a, b, wording))] == []
    assert same_words(pair(a, b, wording))


@pytest.mark.spec("ENC-NEAR-1")
def test_a_guard_that_is_switched_off_is_not_asked(wording):
    two = pair("convert csv to parquet", "convert parquet to csv", wording)
    assert refusal(two, GUARDS) == "direction"
    assert refusal(two, [name for name in GUARDS if name != "direction"]) == ""
    assert refusal(two, ()) == ""


TEXTS = [text for pairs in FORBIDDEN.values() for two in pairs for text in two] + [text for two in SAME for text in two]


@pytest.mark.spec("ENC-NEAR-2")
@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
@settings(deadline=None)
def test_it_does_not_matter_which_of_two_questions_was_stored(a, b):
    wording = shipped_once()
    assert bool(refusal(pair(a, b, wording), GUARDS)) == bool(refusal(pair(b, a, wording), GUARDS))


@pytest.mark.spec("ENC-NEAR-2")
@given(st.text(max_size=80) | st.lists(st.sampled_from(" ".join(TEXTS).split()), max_size=12).map(" ".join))
@settings(deadline=None)
def test_any_text_is_taken_apart_and_asks_the_same_as_itself(text):
    wording = shipped_once()
    two = pair(text, text, wording)
    assert (two.left, two.right) == ((), ())
    if two.pairs:
        assert refusal(two, GUARDS) == ""


@pytest.mark.spec("ENC-NEAR-2")
@given(st.sampled_from(TEXTS), st.sampled_from(["zebra", "Fedora", "3.14", "--force", "foo_bar", "kubectl", "1999"]))
@settings(deadline=None)
def test_one_more_word_that_says_something_is_another_question(text, word):
    wording = shipped_once()
    assert refusal(pair(text, f"{text} {word}", wording), GUARDS)


@pytest.mark.spec("ENC-NEAR-3")
def test_words_are_data_and_the_guards_know_none(wording):
    bare = wording._replace(same={}, phrases={}, spelt={}, short={}, opposites={}, weak=frozenset(), verbs=frozenset())
    assert refusal(pair("delete a file", "remove a file", wording), GUARDS) == ""
    assert refusal(pair("delete a file", "remove a file", bare), GUARDS) == "words"
    assert GUARDS["polarity"](pair("start it", "stop it", wording))
    assert not GUARDS["polarity"](pair("start it", "stop it", bare))


@pytest.mark.spec("ENC-NEAR-3")
def test_there_are_several_hundred_opposites(wording):
    assert sum(map(len, wording.opposites.values())) // 2 > 400
    for word, others in wording.opposites.items():
        assert word not in others
        for other in others:
            assert not (wording.same.get(word, frozenset()) & wording.same.get(other, frozenset())), (word, other)


def test_a_huge_text_is_cut(wording):
    assert len(read("word " * 100_000, wording).words) <= 400


@cache
def shipped_once():
    return shipped()

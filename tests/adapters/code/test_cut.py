"""Where files are cut: code at definitions, prose at headings, in any language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.code.cut import LONG, cut
from encyclopedia_adapters.code.words import without_fillers

PYTHON = '''"""Doc."""

import re

LIMIT = 3


@cached
# why
def first(path):
    """What it does."""
    return path


class Thing:
    def run(self):
        if (self.path):
            return go(self,
                self.path)

    async def stop(self):
        return None
'''
C = """#include <stdio.h>

/* adds two numbers */
static int add(int a, int b)
{
    while (a > b) {
        a--;
    }
    return call(a,
        b);
}

struct point {
    int x;
    int y;
};
"""
GO = """package main

// Router routes.
type Router struct {
	routes map[string]Handler
}

// Add adds a route.
func (r *Router) Add(path string) error {
	return check(path)
}
"""
RUST = """use std::io;

#[derive(Debug)]
pub struct Point<T> {
    x: T,
}

impl<T> Point<T> {
    pub(crate) async fn go(&self) -> io::Result<()> {
        Ok(())
    }
}
"""
TYPESCRIPT = """import x from "y";

export const handler = async (event: Event): Promise<void> => {
  await run(event);
  return;
};

export default class Widget extends Base {
  render(): string {
    return this.a;
  }
}
"""
JAVA = """package x;

import y;

/** A thing. */
@Component
public final class Thing extends Base {
    @Override
    public String toString() {
        return "x";
    }
}
"""
RUBY = """module Kit
  class Router
    def add!(path)
      @routes << path
    end
  end
end
"""
SHELL = """#!/bin/sh
set -e

usage() {
  echo one
  echo two
}

function go_on {
  ls
  ls
}
"""


@pytest.mark.spec("ENC-GIT-4")
@pytest.mark.parametrize(
    ("path", "text", "pieces"),
    [
        ("a.py", PYTHON, [(1, 7, ""), (8, 14, "first"), (15, 23, "Thing")]),
        ("a.c", C, [(1, 12, "add"), (13, 17, "point")]),
        ("a.go", GO, [(1, 7, "Router"), (8, 12, "Add")]),
        ("a.rs", RUST, [(1, 7, "Point"), (8, 13, "Point")]),
        ("a.ts", TYPESCRIPT, [(1, 7, "handler"), (8, 13, "Widget")]),
        ("A.java", JAVA, [(1, 4, ""), (5, 13, "Thing")]),
        ("a.rb", RUBY, [(1, 8, "Kit")]),
        ("install", SHELL, [(1, 8, "usage"), (9, 13, "go_on")]),
    ],
)
def test_code_is_cut_at_its_definitions(path, text, pieces):
    assert [(piece.first, piece.last, piece.section) for piece in cut(path, text)] == pieces


@pytest.mark.spec("ENC-GIT-4")
def test_names_within_a_passage_are_known():
    names = {name for piece in cut("a.py", PYTHON) for name in piece.names}
    assert names == {"first", "Thing", "run", "stop"}
    assert cut("a.rb", RUBY)[0].names == ("Kit", "Router", "add!")


@pytest.mark.spec("ENC-GIT-4")
def test_a_long_class_is_cut_at_its_methods():
    methods = "".join(f"    def m{at}(self):\n        x = 1\n        y = 2\n        return {at}\n\n" for at in range(40))
    pieces = cut("a.py", f"class Thing:\n    a = 1\n\n    b = 2\n\n{methods}")
    assert [piece.section for piece in pieces[:3]] == ["Thing", "Thing > m0", "Thing > m1"]
    assert len(pieces) == 41


@pytest.mark.spec("ENC-GIT-4")
def test_long_code_without_definitions_is_cut_at_empty_lines():
    text = "\n\n".join(["\n".join(["x = 1"] * 30)] * 10)
    pieces = cut("a.py", text)
    assert len(pieces) > 3
    assert all(piece.last - piece.first < LONG for piece in pieces)
    assert all(not text.split("\n")[piece.last - 1] for piece in pieces[:-1])


@pytest.mark.spec("ENC-GIT-4")
@pytest.mark.parametrize(
    ("path", "text", "sections"),
    [
        ("a.md", "intro\n\nmore\n\nand\n# One\n\na\nb\nc\n## Two\n\n```\n# no\n```\nd\n# Three\n\ne\nf\ng\n", ["", "One", "One > Two", "Three"]),
        ("a.rst", "One\n===\n\na\nb\n\nTwo\n---\n\nc\nd\n\nThree\n=====\n\ne\n", ["One", "One > Two", "Three"]),
        ("README", "Kit\n===\n\nwhat it is\n", ["Kit"]),
        ("a.adoc", "= One\n\na\nb\nc\n\n== Two\n\nd\n", ["One", "One > Two"]),
        ("a.txt", "just\ntext\n", [""]),
    ],
)  # fmt: skip
def test_prose_is_cut_at_its_headings(path, text, sections):
    assert [piece.section for piece in cut(path, text)] == sections


@pytest.mark.spec("ENC-GIT-4")
@pytest.mark.parametrize("path", ["a.py", "a.md"])
@given(st.text(alphabet="#=-`defclas x(){}:\n\t@/", max_size=600))
@settings(deadline=None)
def test_every_line_that_says_something_is_in_one_passage(path, text):
    seen = [number for piece in cut(path, text) for number in range(piece.first, piece.last + 1)]
    assert seen == sorted(set(seen))
    assert {number for number, line in enumerate(text.split("\n"), 1) if line.strip()} <= set(seen)


@pytest.mark.spec("ENC-GIT-4")
@pytest.mark.parametrize(
    "line", ["int " * 5000 + "(", "a" * 100_000 + "(", "(" * 50_000, "const x" + " " * 50_000 + "=", "class " * 20_000]
)
def test_a_hostile_line_takes_no_time(line):
    assert len(cut("a.c", "\n".join([line] * 20))) >= 1


@pytest.mark.spec("ENC-GIT-13")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how is the pattern compiled", "pattern compiled"),
        ("what is it?", "what is it?"),
        ('how does "this exactly" work', 'how does "this exactly" work'),
        ("a b", "a b"),
        ("", ""),
        ("router add", "router add"),
    ],
)
def test_words_that_say_nothing_are_left_out(text, words):
    assert without_fillers(text) == words

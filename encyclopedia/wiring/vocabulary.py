"""The vocabulary read from the configuration folder that ships with the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator


def load(folder: str) -> Vocabulary:
    """The vocabulary of ``folder``: ``vocabulary.toml``, ``synonyms.toml`` and ``english.txt``.

    A word list is one string of words, and a table one string of lines, for the sake of speed: under 2 ms for all. Raises
    ``ConfigurationError`` for a file that cannot be read or does not say what it should.
    """
    words = table(folder, "vocabulary.toml", ("libraries", "terms", "stop_words", "misspellings"))
    names = table(folder, "synonyms.toml", ("groups", "pairs"))
    libraries = frozenset(words["libraries"].split())
    return Vocabulary(
        terms=libraries.union(words["terms"].split()),
        libraries=libraries,
        misspellings={wrong: right for right, wrongs in lines(words["misspellings"]) for wrong in wrongs.split()},
        english=frozenset(_read(folder, "english.txt").split()),
        synonyms=_synonyms(names["groups"], names["pairs"]),
        stop_words=frozenset(words["stop_words"].split()),
    )


def _synonyms(groups: str, pairs: str) -> dict[str, tuple[str, ...]]:
    """Each name of a group with the others of its line, and each left side with its right sides."""
    found: dict[str, tuple[str, ...]] = {}
    for line in groups.splitlines():
        names = [name.strip() for name in line.split("|")]
        for name in names if len(names) > 1 else ():
            found[name] = (*found.get(name, ()), *(other for other in names if other != name))
    for term, others in lines(pairs):
        found[term] = (*found.get(term, ()), *(other.strip() for other in others.split("|")))
    return found


def lines(text: str) -> Iterator[tuple[str, str]]:
    """The two sides of every ``left = right`` line."""
    for line in text.splitlines():
        left, equals, right = line.partition("=")
        if equals:
            yield left.strip(), right.strip()


def table(folder: str, name: str, keys: tuple[str, ...]) -> dict[str, str]:
    """The strings under ``keys`` of a TOML file."""
    text = _read(folder, name)
    blocks = _blocks(text)
    if blocks.keys() >= set(keys):
        return blocks
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{folder}/{name} is not valid TOML: {error}", _REMEDY) from None
    if wrong := [key for key in keys if not isinstance(table.get(key), str)]:
        raise ConfigurationError(f"{folder}/{name} has no text under {', '.join(wrong)}", _REMEDY)
    return {key: table[key] for key in keys}


def _blocks(text: str) -> dict[str, str]:
    """The literal strings of several lines, ``name = '''…'''``: TOML of this one form, read without the 4 ms of a parser."""
    parts = text.split("'''")
    heads = (head.rpartition("\n")[2].partition("=")[0].strip() for head in parts[::2])
    return {name: block.removeprefix("\n") for name, block in zip(heads, parts[1::2], strict=False)}


def _read(folder: str, name: str) -> str:
    """The text of a file."""
    try:
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The vocabulary file {folder}/{name} cannot be read: {error}", _REMEDY) from None


_REMEDY = "Install the program again, or restore the file from its release"

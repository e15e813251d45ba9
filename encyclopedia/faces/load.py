"""What a knowledge catalog holds about a topic, in the form that programs read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, NothingFound, UsageError
from encyclopedia.model.nearest import nearest
from encyclopedia.model.topic import SCORINGS, TopicLoad
from encyclopedia.wiring import places
from encyclopedia.wiring.kinds import chosen, corpus_kind, of_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine

KIND = "catalog"
CATALOG = "docs/knowledge-index.md"
MOST = 1000
"""Entities that one load may ask for."""


def quiet(_label: str, _done: int, _total: int) -> None:
    """Progress that nobody watches."""


def load(
    engine: Engine, topic: str = "", *, corpus: str = "", root: str = "", progress: Progress = quiet, **options: Any
) -> dict[str, Any]:
    """The entities about ``topic``, best first, with the text of their pages; without a topic what the catalog holds.

    ``corpus`` names a corpus of kind catalog, ``root`` a folder that holds one; else it is the only such corpus, else the
    working folder if it has ``docs/knowledge-index.md``. The other options are the fields of ``TopicLoad``; ``terms`` may be
    one text. The body has ``status``, and ``matches`` of ``relevance_score``, ``slug``, ``path``, ``via``, ``body`` and what
    the catalog says besides; where nothing fits it has ``code`` 2, ``message`` and no matches.
    Raises ``UsageError`` for options that do not fit, ``ConfigurationError`` if there is no such catalog.
    """
    asked, notes = _asked(topic, options, engine.loaded.settings.max_query)
    meant = _corpus(engine, corpus, root)
    kind = corpus_kind(engine.groups, KIND)
    head: dict[str, Any] = {"schema_version": 1, "status": "success", "corpus": meant.name}
    if not topic:
        return {**head, **kind.summary(meant, progress)}
    asked, missing = _possible(asked, kind, meant)
    found: dict[str, Any] = kind.load(meant, asked, progress, engine.embedder())
    found["notes"] = [*notes, *missing, *found["notes"]]
    return head | ({} if found["matches"] else _nothing(asked)) | found


def _nothing(asked: TopicLoad) -> dict[str, Any]:
    within = f" of type {asked.type}" if asked.type else ""
    return {
        "status": "error",
        "code": NothingFound.code,
        "message": f"no entity{within} is about {asked.topic!r}" if len(asked.topic) < MOST else f"no entity{within} fits",
        "hint": "try other words, or --terms with words that mean the same",
    }


def _asked(topic: str, options: Mapping[str, Any], longest: int) -> tuple[TopicLoad, list[str]]:
    for name in options:
        if name not in TopicLoad._fields[1:]:
            raise UsageError(f"load has no option {name!r}", nearest(name, TopicLoad._fields[1:]))
    if topic and not topic.strip():
        raise UsageError("the topic is empty", "give a few words, or none at all for a summary")
    given = {name: value for name, value in options.items() if value is not None}
    terms = given.pop("terms", ())
    asked = TopicLoad(topic[:longest], terms=(terms,) if isinstance(terms, str) else tuple(terms), **given)
    if asked.scoring not in SCORINGS:
        raise UsageError(f"there is no scoring {asked.scoring!r}", nearest(asked.scoring, SCORINGS))
    if not 1 <= asked.n <= MOST or asked.expand < 0:
        raise UsageError(f"n is {asked.n} and expand {asked.expand}", f"n is 1 to {MOST}, expand 0 or 1")
    return asked, [f"the topic was cut to {longest} characters"] if len(topic) > longest else []


def _possible(asked: TopicLoad, kind: Any, corpus: Corpus) -> tuple[TopicLoad, list[str]]:
    """What is asked as far as the libraries that are installed allow: the classic scores need none."""
    from encyclopedia.wiring.requirements import unmet

    lack = unmet(kind.card(corpus), {}, lambda _name: "") if asked.scoring != "classic" else None
    if lack is None:
        return asked, []
    return asked._replace(scoring="classic"), [f"{lack.reason}: scored the classic way; {lack.hint}"]


def _corpus(engine: Engine, name: str, root: str) -> Corpus:
    if name and root:
        raise UsageError("a corpus and a root were given", "give one of the two")
    known = of_kind(engine.loaded, KIND)
    here = os.getcwd()
    if root:
        return _at(engine, os.path.abspath(os.path.expanduser(root)), known)
    if not name and len(known) != 1 and os.path.isfile(os.path.join(here, CATALOG)):
        return _at(engine, here, known)
    return chosen(engine.loaded, KIND, name)


def _at(engine: Engine, path: str, known: Iterable[Corpus]) -> Corpus:
    """The corpus at a path; one that is not registered keeps its index in the data folder all the same."""
    import hashlib

    from encyclopedia.model.corpus import Corpus

    if not os.path.isdir(path):
        raise ConfigurationError(f"{path} is no folder", "give the folder that holds the catalog and its pages")
    same = next((corpus for corpus in known if os.path.realpath(corpus.path) == os.path.realpath(path)), None)
    if same:
        return same
    digest = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    folder = places.index(engine.loaded.home, f"{KIND}-{digest}")
    return Corpus(os.path.basename(path) or KIND, path, KIND, folder, {})

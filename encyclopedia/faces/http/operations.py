"""Every verb that can be asked over HTTP: what it takes, what it does, what it answers; the one table that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.feedback import VOTES
from encyclopedia.faces.http import works
from encyclopedia.faces.http.fields import FLAG, LONGEST, NAMES, NUMBER, TABLE, TEXT, WHOLE, Field
from encyclopedia.model.query import QueryType
from encyclopedia.model.topic import FLOOR, SCORINGS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from encyclopedia.faces.library import Encyclopedia

    Run = Callable[[Encyclopedia, dict[str, Any]], Awaitable[Any]]

MOST_SECONDS = 60.0
"""The longest deadline that may be asked for."""
TYPES = tuple(kind.value for kind in QueryType)
GRAPH_VERBS = ("list_books", "match_concepts", "get_subgraph", "ask_book", "list_projects", "merges")
"""What only reads: nothing that names a path, and nothing that changes a graph."""


class Operation(NamedTuple):
    """A verb: its fields, the schema of its answer, and the status of an answer that nothing was found (code 2).

    What a verb that is ``long`` does takes ``progress`` too, and can be asked as a stream of its steps. One that ``writes`` is
    asked by POST alone.
    """

    name: str
    says: str
    fields: tuple[Field, ...]
    answer: str
    run: Run
    nothing: int = 200
    long: bool = False
    writes: bool = False

    @property
    def path(self) -> str:
        """Where it is asked."""
        return f"/v1/{self.name}"

    @property
    def stream(self) -> str:
        """Where it is asked if its steps are wanted too."""
        return f"{self.path}/stream"


_QUERY = Field(
    "query", TEXT, "what to search for; hints such as repo:owner/name work as on the command line", needed=True, longest=LONGEST
)
_LIMIT = Field("limit", WHOLE, "number of results", least=1, most=100)
_TIMEOUT = Field("timeout", NUMBER, "deadline of the whole query in seconds", least=0.1, most=MOST_SECONDS)
_TOKENS = Field("max_tokens", WHOLE, "bound on the text of all results together", least=1, most=1_000_000)
_CORPORA = Field("corpora", NAMES, "only these local corpora")
_TAGS = Field("tags", NAMES, "only documents with these tags")
_CORPUS = Field("corpus", TEXT, "the corpus that is meant; not needed where there is only one of the kind")
SCOPE = (
    _QUERY,
    Field("type", TEXT, "the query type, if it is not to be guessed", choices=TYPES, named=True),
    _LIMIT,
    Field("sources", NAMES, "ask exactly these sources"),
    _CORPORA,
    _TAGS,
    Field("version", TEXT, "the version of the library that is asked about"),
    _TIMEOUT,
    Field("correct", FLAG, "correct spelling", default=True),
    Field("expand", FLAG, "search for other words for the same thing too", default=True),
)
SEARCH = (
    *SCOPE,
    _TOKENS,
    Field("read_cache", FLAG, "whether a stored answer will do", default=True),
    Field("verbose", FLAG, "add analysis, routing, fusion, cache and stage times"),
    Field("explain", FLAG, "add every step with before and after too"),
)


OPERATIONS = (
    Operation(
        "search", "One ranked, attributed list from every source that may answer", SEARCH, "Report", works.search, long=True
    ),
    Operation("plan", "What a search would do: whom it would ask, in which words; asks nobody", SCOPE, "Plan", works.plan),
    Operation(
        "lookup",
        "The documentation of one library, API or topic, at the version that is asked for",
        (
            Field("topic", TEXT, "a library, a dotted name, or a few words", needed=True, longest=LONGEST),
            Field("version", TEXT, "exactly this version"),
            _TIMEOUT,
            _TOKENS,
        ),
        "Lookup",
        works.lookup,
        nothing=404,
        long=True,
    ),
    Operation(
        "code",
        "What stands in a repository about a question: files, lines, definitions, who calls whom",
        (
            Field("repository", TEXT, "owner/name or an https:// address", needed=True),
            Field("question", TEXT, "what to look for", needed=True, longest=LONGEST),
            Field("depth", TEXT, "deep adds who calls whom", choices=("shallow", "deep"), default="shallow", named=True),
            _LIMIT,
            _TIMEOUT,
        ),
        "Code",
        works.code,
        long=True,
    ),
    Operation(
        "ask",
        "A cited answer from local corpora",
        (
            Field("question", TEXT, "the question", needed=True, longest=LONGEST),
            _CORPORA,
            _TAGS,
            Field("project", TEXT, "this project of a graph of books"),
            Field("web", FLAG, "ask the remote sources too"),
            Field("fast", FLAG, "one facet, no second look"),
            Field("verbose", FLAG, "add facets, passages, verdicts and the critic"),
            _TOKENS,
            _TIMEOUT,
        ),
        "Answer",
        works.ask,
        long=True,
    ),
    Operation(
        "load",
        "The pages of a knowledge catalog about a topic; without one its summary and hubs",
        (
            Field("topic", TEXT, "a few words", longest=LONGEST),
            _CORPUS,
            Field("n", WHOLE, "entities to load", least=1, most=1000, default=10),
            Field("type", TEXT, "only entities of this type"),
            Field("terms", NAMES, "words that count like those of the topic"),
            Field("expand", WHOLE, "1: also neighbours of what matches", least=0, most=1),
            Field("explain", FLAG, "what each score is made of"),
            Field("bodies", FLAG, "with the text of the pages", default=True),
            Field("scoring", TEXT, "classic: the additive scores", choices=tuple(SCORINGS)),
            Field("body_search", FLAG, "classic: always read the pages too"),
            Field("tier2_floor", WHOLE, "classic: read them below this best score", least=0, most=1_000_000, default=FLOOR),
        ),
        "Load",
        works.load,
        long=True,
    ),
    Operation(
        "ground",
        "Choices from curated tables, before something is done",
        (
            Field("query", TEXT, "what is about to be decided", needed=True, longest=LONGEST),
            _CORPUS,
            Field("verb", TEXT, "a whole plan, or a search in one table", choices=("ground", "search"), default="ground"),
            Field("context", TABLE, "ground: flags that rules ask for"),
            Field("domain", TEXT, "search: this table"),
            Field("stack", TEXT, "search: the table of this stack"),
            Field("filters", TABLE, "search: column and text"),
            Field("max_results", WHOLE, "search: rows at most", least=1, most=1000),
            Field("retriever", TEXT, "search: in which way", choices=("bm25", "structured", "hybrid"), named=True),
        ),
        "Ground",
        works.ground,
    ),
    Operation(
        "graph",
        "Books as concepts and relations",
        (
            Field("verb", TEXT, "what is asked", needed=True, choices=GRAPH_VERBS),
            _CORPUS,
            Field("project_description", TEXT, "match_concepts: what it is for", longest=LONGEST),
            Field("project_id", TEXT, "within this project"),
            Field("limit", WHOLE, "match_concepts: concepts at most", least=1, most=100),
            Field("concept_ids", NAMES, "get_subgraph and ask_book: these concepts"),
            Field("max_hops", WHOLE, "get_subgraph: relations away", least=1, most=3),
            Field("max_edges", WHOLE, "get_subgraph: relations at most", least=1, most=1000),
            Field("confidence_threshold", NUMBER, "get_subgraph: least confidence", least=0, most=1),
            Field("include_descriptions", FLAG, "get_subgraph: with what each concept is"),
            Field("question", TEXT, "ask_book: the question", longest=LONGEST),
            Field("book_id", TEXT, "ask_book: only this book"),
            Field("max_passages", WHOLE, "ask_book: passages at most", least=1, most=20),
            Field("consultation_id", TEXT, "belongs to this consultation"),
        ),
        "Graph",
        works.graph,
    ),
    Operation("sources", "Every source with its health, and what to do about it; asks nobody", (), "Sources", works.sources),
    Operation(
        "feedback",
        "Say whether a past search, or one of its results, was good",
        (
            Field(
                "target",
                TEXT,
                "the id of a past search, `last`, a result of it (id:2), or an address",
                needed=True,
                longest=2000,
            ),
            Field("vote", TEXT, "up or down", needed=True, choices=tuple(VOTES)),
        ),
        "Feedback",
        works.feedback,
        writes=True,
    ),
)

"""The tables of a corpus in PostgreSQL, in a schema of its own, and what is said to them."""

from __future__ import annotations

TABLES = (
    """CREATE TABLE IF NOT EXISTS about (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), made_by jsonb NOT NULL, vectors jsonb NOT NULL DEFAULT '{}',
        revision bigint NOT NULL DEFAULT 1, filled bigint NOT NULL DEFAULT 0, born bigint NOT NULL,
        passages bigint NOT NULL DEFAULT 0, encoded bigint NOT NULL DEFAULT 0, changed timestamptz,
        average real NOT NULL DEFAULT 0, heading real NOT NULL DEFAULT 0)""",
    'CREATE TABLE IF NOT EXISTS document (name text COLLATE "C" PRIMARY KEY, stored text NOT NULL)',
    """CREATE TABLE IF NOT EXISTS passage (
        ref bigint PRIMARY KEY, document text COLLATE "C" NOT NULL, key bigint NOT NULL, tags text[] NOT NULL,
        terms tsvector NOT NULL, weights sparsevec NOT NULL, stored bytea NOT NULL)""",
    "ALTER TABLE passage ALTER COLUMN weights SET STORAGE MAIN",
    "CREATE INDEX IF NOT EXISTS passage_document ON passage (document)",
    "CREATE INDEX IF NOT EXISTS passage_key ON passage (key)",
    "CREATE INDEX IF NOT EXISTS passage_tags ON passage USING gin (tags)",
    "CREATE INDEX IF NOT EXISTS passage_terms ON passage USING gin (terms)",
    """CREATE TABLE IF NOT EXISTS term (
        term text COLLATE "C" PRIMARY KEY, passages integer NOT NULL, titles integer NOT NULL) WITH (fillfactor = 70)""",
)
"""``terms`` finds passages, ``weights`` scores them: what BM25 gives for each term but its rarity, which ``term`` tells. They
are kept in the row itself, where thousands of them are read for one question; the rest of a long row lies elsewhere.
Vectors have a table of their own, by the key of the text, so that a passage that is put again keeps its own."""

NAMES = ("vector", "term", "passage", "document", "about")

STANDING = """SELECT made_by, vectors, born, revision, filled, passages, encoded,
    coalesce(extract(epoch FROM changed), 0)::float8, average, heading FROM about"""

SCOPE = "(%(tags)s::text[] IS NULL OR tags && %(tags)s) AND (%(documents)s::text[] IS NULL OR document = ANY(%(documents)s))"

SIZE = f"SELECT count(*) FROM (SELECT 1 FROM passage WHERE {SCOPE} LIMIT %(most)s) AS within"  # noqa: S608 - constants

_PHRASES = """ + (
    SELECT coalesce(sum(bonus), 0) FROM unnest(%(phrases)s::tsquery[], %(bonuses)s::float8[]) AS phrase(words, bonus)
    WHERE terms @@ words)"""

_FOUND = f"terms @@ %(found)s::tsquery AND {SCOPE}"


def lexical(*, phrases: bool, among: bool) -> str:
    """The best passages by their words. What is in quotes is looked for where something is: it reads more of each row."""
    score = f"-(weights <#> %(asked)s::sparsevec){_PHRASES if phrases else ''}"
    which = "ref = ANY(%(among)s)" if among else _FOUND
    return f"""SELECT ref, score FROM (SELECT ref, {score} AS score FROM passage WHERE {which}) AS scored
        WHERE score > 0 ORDER BY score DESC, ref LIMIT %(limit)s"""  # noqa: S608 - constants


NEAREST = """SELECT ref, -distance FROM (
    SELECT key, meaning <#> %(vector)s AS distance FROM vector ORDER BY meaning <#> %(vector)s LIMIT %(limit)s) AS near
    JOIN passage USING (key) ORDER BY distance, ref LIMIT %(limit)s"""

NEAREST_WIDE = f"""SELECT ref, -(meaning <#> %(vector)s) FROM vector JOIN passage USING (key)
    WHERE {SCOPE} ORDER BY meaning <#> %(vector)s LIMIT %(limit)s"""  # noqa: S608 - constants

# The sum keeps the planner from an index that stops before the scope is exhausted.
NEAREST_NARROW = f"""SELECT ref, -(meaning <#> %(vector)s) FROM passage JOIN vector USING (key)
    WHERE {SCOPE} ORDER BY (meaning <#> %(vector)s) + 0, ref LIMIT %(limit)s"""  # noqa: S608 - constants

NEAREST_AMONG = """SELECT ref, -(meaning <#> %(vector)s) FROM passage JOIN vector USING (key) WHERE ref = ANY(%(among)s)"""

DROPPED = """WITH gone AS (DELETE FROM passage WHERE document = ANY(%s) RETURNING terms),
    held AS (SELECT lexeme, ('A' = ANY(weights)) AS title FROM gone, unnest(terms) AS held(lexeme, positions, weights))
    SELECT lexeme, count(*)::int, (count(*) FILTER (WHERE title))::int, (SELECT count(*) FROM gone)::int
    FROM held GROUP BY lexeme"""

COUNTED = """INSERT INTO term SELECT * FROM unnest(%s::text[], %s::int[], %s::int[]) AS more(term, passages, titles) ORDER BY 1
    ON CONFLICT (term) DO UPDATE SET passages = term.passages + excluded.passages, titles = term.titles + excluded.titles"""
"""In the order of the terms: two workers that change the same ones wait for each other, and never both."""

ORPHANED = """DELETE FROM vector WHERE key = ANY(%s) AND NOT EXISTS (SELECT 1 FROM passage WHERE passage.key = vector.key)"""

TEXTS = "SELECT DISTINCT key FROM passage"

MISSING = f"{TEXTS} WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = passage.key)"  # noqa: S608 - constants

COPIES = "SELECT stored, tags FROM passage WHERE document = ANY(%s) ORDER BY document, ref"

VECTORS = "SELECT key, meaning::text FROM vector WHERE key = ANY(%s)"

PUT = "COPY passage (ref, document, key, tags, terms, weights, stored) FROM STDIN"

UNENCODED = """SELECT key, stored FROM passage
    WHERE key >= %s AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = passage.key)
    ORDER BY key LIMIT %s FOR UPDATE SKIP LOCKED"""

CLAIMED = """SELECT name FROM unnest(%s::text[], %s::int[]) AS wanted(name, number)
    WHERE pg_try_advisory_xact_lock(%s, number)"""

"""From an answer of Context7 to a reply: its hits, what must be said of them, or the versions that there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.docs.context7_api import MAX_QUERY, PREPARING
from encyclopedia_adapters.docs.context7_library import CALLED

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.docs.context7_library import Library
    from encyclopedia_adapters.shared.http import Answer

_NAMED = 8
_VERSION = r"[\w@][\w.+@-]*"


def read_reply(answer: Answer, request: Request, library: Library | None) -> Reply:
    """The reply; ``library`` is the one that was asked for, ``None`` where the service chose."""
    from itertools import islice

    from encyclopedia.model.outcome import Reply
    from encyclopedia_adapters.docs.context7_snippets import snippet_hits

    if answer.status == PREPARING:
        return Reply(reduced=f"context7 is still preparing {library.name if library else 'its answer'}")
    if answer.nothing_found:
        return Reply()
    if library is not None and isinstance(answer.data, dict) and answer.data.get("error"):
        return unlisted(library._replace(versions=_listed(answer.data.get("message"), request.version)), request)
    hits = tuple(islice(snippet_hits(answer.data, request.version), request.limit))
    return Reply(hits, note=_remark(library, request))


def unknown(request: Request) -> Reply:
    """No hits: there is no such library, or none at all for a question that names none."""
    from encyclopedia.model.outcome import Reply

    return Reply(note=f"context7 knows no library called {request.library}" if request.library else "")


def unlisted(library: Library, request: Request) -> Reply:
    """No hits, and the versions that there are; none where it is not sure that this is the library."""
    from encyclopedia.model.outcome import Reply

    if library.nearness != CALLED:
        return unknown(request)
    named = ", ".join(library.versions[:_NAMED]) + (" …" if len(library.versions) > _NAMED else "")
    there = f"; there is {named}" if named else ""
    return Reply(note=f"context7 has no version {request.version} of {library.name}{there}", versions=library.versions)


def _remark(library: Library | None, request: Request) -> str:
    """That a library stands in which is not called as the question says, and that the question was cut."""
    remarks = []
    if library is not None and library.nearness != CALLED:
        remarks.append(f"context7 took {library.name} for {request.library or 'the library that is meant'}")
    if len(request.text) > MAX_QUERY:
        remarks.append(f"context7 was asked with the first {MAX_QUERY} characters")
    return "; ".join(remarks)


def _listed(message: object, asked: str) -> tuple[str, ...]:
    """The versions in the sentence that says that ``asked`` is none of them."""
    from encyclopedia_adapters.shared.hits import as_text
    from encyclopedia_adapters.shared.sanitize import clean_line

    sentence = clean_line(as_text(message), 2000)
    words = (word.rstrip(".-") for word in re.findall(_VERSION, sentence.rpartition(":")[2]))
    found = (word for word in words if re.search(r"\d", word) and word.removeprefix("v") != asked.removeprefix("v"))
    return tuple(dict.fromkeys(found))

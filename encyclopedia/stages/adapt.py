"""The question in the wording that each kind of source understands best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType, Wording
from encyclopedia.stages.tokens import splice

if TYPE_CHECKING:
    from encyclopedia.model.query import Question
    from encyclopedia.model.vocabulary import Vocabulary

FRAMES = {
    QueryType.LIBRARY_DOCS: "What does the documentation say about {}?",
    QueryType.GENERAL_SEARCH: "What is known about {}?",
    QueryType.CODE_CONTEXT: "How does the code deal with {}?",
    QueryType.REPOSITORY: "What does the repository contain about {}?",
}
# A text that starts with one of these is a question, or tells what to do.
ASKING = frozenset(
    (
        *("how", "what", "what's", "why", "when", "where", "which", "who", "whose", "is", "are", "can", "could", "does", "do"),
        *("did", "should", "would", "will", "has", "have", "may", "might", "i", "i'm", "i've"),
        *("explain", "describe", "compare", "tell", "summarize", "summarise", "please"),
    )
)


def adapt(question: Question, *, vocabulary: Vocabulary) -> Question:
    """``question`` with a wording for each form; every original token is in each of them.

    Corrections stand right after the word that they correct, in the question form in parentheses, and nowhere in the raw form:
    that one is for sources that match exactly.
    """
    right = {made.original: made.replacement for made in question.corrections}
    keyword = splice(question.text, question.tokens, right, lambda word: f" {word}")
    natural = splice(question.text, question.tokens, right, lambda word: f" ({word})")
    forms = {
        Form.KEYWORD: keyword,
        Form.QUESTION: _asked(natural, question.type),
        Form.LIBRARY: _scoped(keyword, question, vocabulary.english),
        Form.RAW: question.text,
    }
    return question._replace(wordings=tuple(Wording(form, text) for form, text in forms.items()))


def _asked(text: str, type: QueryType) -> str:
    """``text`` if it is a question or a request, else a question about it."""
    first = text.partition(" ")[0].lower()
    return text if first in ASKING or text.endswith(("?", "？", "؟")) else FRAMES[type].format(text)  # noqa: RUF001 - CJK, Arabic


def _scoped(text: str, question: Question, english: frozenset[str]) -> str:
    """The library, then the task; a library whose name is a common word is put first only where it is sure to be meant."""
    name = question.library
    first = question.tokens[0].text.lower() if question.tokens else ""
    if not name or first == name or first.replace("_", "-").replace(".", "-") == name or (name in english and question.unsure):
        return text
    return f"{name} {text}"

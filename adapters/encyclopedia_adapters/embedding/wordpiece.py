"""Text as the word pieces that the model knows, through the ``tokenizers`` library."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 256
"""Pieces of a text that count, the two marks at its ends among them."""
LONGEST = 100_000
"""Characters of a text that are looked at: more than 256 pieces have in any script."""
_UNKNOWN, _BEGIN, _END = "[UNK]", 101, 102


def readable(text: str) -> str:
    """The part of a text that counts, as valid Unicode: a lone surrogate becomes a question mark."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8")


class WordPieces:
    """The uncased vocabulary of BERT in the file at ``path``."""

    def __init__(self, path: str) -> None:
        from tokenizers import Tokenizer
        from tokenizers.models import WordPiece
        from tokenizers.normalizers import BertNormalizer
        from tokenizers.pre_tokenizers import BertPreTokenizer

        self._tokenizer = Tokenizer(WordPiece.from_file(path, unk_token=_UNKNOWN))
        self._tokenizer.normalizer = BertNormalizer()
        self._tokenizer.pre_tokenizer = BertPreTokenizer()

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of the pieces of each text, none for one without words."""
        found = self._tokenizer.encode_batch_fast([readable(text) for text in texts], add_special_tokens=False)
        return [[_BEGIN, *pieces[: MOST - 2], _END] if (pieces := encoding.ids) else [] for encoding in found]

"""The fields of an index, and how the engine cuts a text into terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import Index, Schema


def schema() -> Schema:
    """``text`` holds the terms of title and body, ``stored`` everything that a match gives back, ``key`` names the text."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("tag", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("role", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", tokenizer_name="spaced", index_option="position")
    builder.add_text_field("title", tokenizer_name="spaced", index_option="freq")
    builder.add_unsigned_field("key", fast=True, indexed=True)
    builder.add_bytes_field("stored", stored=True, indexed=False)
    return builder.build()


def register(index: Index) -> None:
    """Terms come joined by spaces; the engine only cuts them apart again."""
    from tantivy import TextAnalyzerBuilder, Tokenizer

    index.register_tokenizer("spaced", TextAnalyzerBuilder(Tokenizer.whitespace()).build())

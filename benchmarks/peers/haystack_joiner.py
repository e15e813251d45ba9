"""Haystack's pipeline of the stub sources into its DocumentJoiner by reciprocal ranks, asynchronous."""

from __future__ import annotations

from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from stubs import Leg, legs, tell


@component
class Retriever:
    """One leg; the address is the document's id."""

    def __init__(self, leg: Leg) -> None:
        self.leg = leg

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, Any]:
        """Its form asks for this too."""
        raise RuntimeError("only the asynchronous way is measured")

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str) -> dict[str, Any]:
        """The documents of this leg."""
        pages = await self.leg.wait()
        return {
            "documents": [
                Document(id=page["url"], content=page["content"], meta=page, score=1 / rank)
                for rank, page in enumerate(pages, 1)
            ]
        }


def main() -> None:
    those, given = legs()
    pipeline = Pipeline()
    pipeline.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    for leg in those:
        pipeline.add_component(leg.name, Retriever(leg))
        pipeline.connect(leg.name, "join.documents")

    async def search(text: str) -> list[str]:
        asked = {leg.name: {"query": text} for leg in those}
        found = await pipeline.run_async(asked, concurrency_limit=len(those))
        return [document.id for document in found["join"]["documents"]]

    tell(given, those, search)


if __name__ == "__main__":
    main()

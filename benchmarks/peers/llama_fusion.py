"""LlamaIndex' QueryFusionRetriever, asynchronous, reciprocal ranks, one wording of the query, over the stub sources."""

from __future__ import annotations

from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from stubs import Leg, legs, tell


class Retriever(BaseRetriever):
    """One leg; the address is the node's id."""

    def __init__(self, leg: Leg) -> None:
        self.leg = leg
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        raise RuntimeError("only the asynchronous way is measured")

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        pages = await self.leg.wait()
        return [
            NodeWithScore(node=TextNode(text=page["content"], id_=page["url"], metadata=page), score=1 / rank)
            for rank, page in enumerate(pages, 1)
        ]


def main() -> None:
    those, given = legs()
    retrievers = [Retriever(leg) for leg in those]
    fused = QueryFusionRetriever(
        retrievers, llm=MockLLM(), mode="reciprocal_rerank", num_queries=1, similarity_top_k=len(those) * 10
    )

    async def search(text: str) -> list[str]:
        return [found.node.metadata["url"] for found in await fused.aretrieve(text)]

    tell(given, those, search)


if __name__ == "__main__":
    main()

"""LangChain's EnsembleRetriever, asynchronous, weighted reciprocal ranks by address, over the stub sources."""

from __future__ import annotations

from typing import Any

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from stubs import legs, tell


class Retriever(BaseRetriever):
    """One leg."""

    leg: Any

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise RuntimeError("only the asynchronous way is measured")

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page_content=page["content"], metadata=page) for page in await self.leg.wait()]


def main() -> None:
    those, given = legs()
    weights = [1 / len(those)] * len(those)
    fused = EnsembleRetriever(retrievers=[Retriever(leg=leg) for leg in those], weights=weights, id_key="url")

    async def search(text: str) -> list[str]:
        return [document.metadata["url"] for document in await fused.ainvoke(text)]

    tell(given, those, search)


if __name__ == "__main__":
    main()

"""A retriever for LlamaIndex (extra ``llama-index``): every source of this machine, or a service elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from encyclopedia.faces.retrieving import id_of, report_for, report_now, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import QueryBundle

    from encyclopedia.faces.report import Report


class EncyclopediaRetriever(BaseRetriever):
    """The results of ``Encyclopedia.search`` as nodes with their scores: the passage as text, the rest as metadata.

    ``options`` are those of ``Encyclopedia.search``, ``own`` those of ``Encyclopedia``; with ``url`` the service there is asked
    instead, which is shown ``token``. Nothing found is an empty list. Raises as ``Encyclopedia.search`` does.
    """

    def __init__(
        self, *, options: Mapping[str, Any] | None = None, own: Mapping[str, Any] | None = None, url: str = "", token: str = ""
    ) -> None:
        super().__init__()
        self._asked = url, token, dict(own or {}), dict(options or {})

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(report_now(query_bundle.query_str, *self._asked))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(await report_for(query_bundle.query_str, *self._asked))


def _nodes(report: Report) -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(id_=id_of(one), text=one.content, metadata=told(one)), score=one.score)
        for one in report.results
    ]

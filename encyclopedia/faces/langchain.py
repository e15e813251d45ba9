"""A retriever for LangChain (extra ``langchain``): every source of this machine, or a service elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from encyclopedia.faces.retrieving import id_of, report_for, report_now, told

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun

    from encyclopedia.faces.report import Report


class EncyclopediaRetriever(BaseRetriever):
    """The results of ``Encyclopedia.search`` as documents: the passage as text; title, url, source, rank and score beside it.

    ``options`` are those of ``Encyclopedia.search`` (``limit``, ``corpora``, ``tags``, ``type``, …), ``own`` those of
    ``Encyclopedia`` (``home``, ``settings``, ``ceiling``, …); with ``url`` the service there is asked instead, which is shown
    ``token``. Nothing found is an empty list. Raises as ``Encyclopedia.search`` does.
    """

    options: dict[str, Any] = Field(default_factory=dict)
    own: dict[str, Any] = Field(default_factory=dict)
    url: str = ""
    token: str = Field(default="", repr=False)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - the framework passes it
        return _documents(report_now(query, self.url, self.token, self.own, self.options))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - the framework passes it
    ) -> list[Document]:
        return _documents(await report_for(query, self.url, self.token, self.own, self.options))


def _documents(report: Report) -> list[Document]:
    return [Document(page_content=one.content, metadata=told(one), id=id_of(one)) for one in report.results]

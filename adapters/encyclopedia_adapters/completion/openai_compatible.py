"""Any endpoint that speaks the chat completions of OpenAI: Ollama, llama.cpp, vLLM, a vendor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, Garbled, Refused
from encyclopedia.ports import Completion

if TYPE_CHECKING:
    from encyclopedia.ports import Completer, Context
    from encyclopedia_adapters.shared.http import Answer, Http

_PATH = "/chat/completions"
_LIMIT = 1_000_000
_THOUGHT = r"<think(?:ing)?>.*?</think(?:ing)?>"


class OpenAiCompatible:
    """Asks ``POST …/chat/completions``; JSON mode is asked for until the endpoint refuses it."""

    def __init__(self, http: Http, url: str, model: str, headers: dict[str, str]) -> None:
        self._http, self._url, self._model, self._headers = http, url, model, headers
        self._json_mode = True

    async def complete(self, system: str, prompt: str, *, max_tokens: int, timeout: float) -> Completion:  # noqa: ASYNC109 - the port's
        """One answer, at temperature 0. Raises ``SourceTrouble`` of the kind that fits, or ``TimeoutError``."""
        if self._json_mode:
            try:
                return _completion(await self._ask(system, prompt, max_tokens, timeout))
            except Refused:  # an endpoint that does not know the mode: the answer is checked in any case
                self._json_mode = False
        return _completion(await self._ask(system, prompt, max_tokens, timeout))

    async def _ask(self, system: str, prompt: str, max_tokens: int, seconds: float) -> Answer:
        from encyclopedia_adapters.shared.http import Call

        body: dict[str, object] = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream": False,
        }
        if self._json_mode:
            body["response_format"] = {"type": "json_object"}
        call = Call("llm", self._url, seconds, headers=self._headers, limit_bytes=_LIMIT, slots=2, nothing=())
        return await self._http.post_json(call, body)


def _completion(answer: Answer) -> Completion:
    match answer.data:
        case {"choices": [{"message": {"content": str(text)}}, *_], **rest}:
            usage = rest.get("usage")
            read = usage.get("prompt_tokens") if isinstance(usage, dict) else 0
            return Completion(re.sub(_THOUGHT, "", text, flags=re.DOTALL).strip(), read if isinstance(read, int) else 0)
    raise Garbled("the model's endpoint answered without a message")


def open_completer(context: Context) -> Completer:
    """The endpoint of the settings ``url`` and ``model``. Raises ``ConfigurationError`` for an address that cannot be asked."""
    from encyclopedia_adapters.shared.guard import normal_url
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    try:
        base = normal_url(str(context.options["url"])).rstrip("/")
        http.allow(base)
    except ValueError as fault:
        raise ConfigurationError(f"llm.url: {fault}", "for example http://localhost:11434/v1") from None
    url = base if base.endswith(_PATH) else f"{base}{_PATH}"
    key = context.secret("ENCYCLOPEDIA_LLM_API_KEY")
    return OpenAiCompatible(http, url, str(context.options["model"]), {"Authorization": f"Bearer {key}"} if key else {})

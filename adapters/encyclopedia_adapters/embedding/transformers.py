"""Any model that sentence-transformers can run, and all-MiniLM-L6-v2 through it where torch has faster processors."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.ports import Package
from encyclopedia_adapters.embedding import weights
from encyclopedia_adapters.embedding.fingerprint import fingerprint
from encyclopedia_adapters.embedding.wordpiece import readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from encyclopedia.model.settings import EmbedderSettings
    from encyclopedia.ports import Progress

BATCH = 8
FAMILY = "sentence-transformers"
DESCRIPTION = ("config.json", "modules.json")
"""What the library reads beside the weights, and ``model fetch`` does not get."""


class Transformers:
    """The embedder around a ``SentenceTransformer``; with ``bulk`` it may take every processor there is."""

    def __init__(self, model: Any, sha256: str, *, bulk: bool) -> None:
        self._model, self._bulk = model, bulk
        self.fingerprint = fingerprint(sha256, _pooling(model), int(model.max_seq_length or 0))
        self.dimension = int(model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (texts, dimension): rows of length 1, zeros for what has no words. Any text will do."""
        import numpy as np

        clean = [readable(text) for text in texts]
        rows = np.zeros((len(clean), self.dimension), np.float32)
        worded = [number for number, text in enumerate(clean) if self._has_words(text)]
        if worded:
            with _threads(bulk=self._bulk):
                rows[worded] = self._model.encode(
                    [clean[number] for number in worded],
                    batch_size=BATCH,
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
        rows[~np.isfinite(rows).all(axis=1)] = 0
        return rows

    def _has_words(self, text: str) -> bool:
        tokenizer = self._model.tokenizer
        return bool(tokenizer.encode(text, add_special_tokens=False, truncation=True, max_length=2)) if text.strip() else False


@contextmanager
def _threads(*, bulk: bool) -> Iterator[None]:
    """One thread while somebody waits: two wait for each other in a loop that burns a busy machine."""
    import torch

    usual = torch.get_num_threads()
    torch.set_num_threads(usual if bulk else 1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)


def _pooling(model: Any) -> str:
    """How the vectors of the tokens become one, as the model's modules say."""
    modes = [str(mode) for module in model if (mode := getattr(module, "pooling_mode", None))]
    return "+".join(modes) or "none"


def _sha256(model: Any, place: str) -> str:
    """Of the file of weights; of the numbers themselves where there is not exactly one such file."""
    import hashlib

    if path := _file(place):
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    made = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        made.update(name.encode())
        made.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return made.hexdigest()


def _file(place: str) -> str:
    """The file of weights of a model in a folder, or in the cache of the hub's client; empty if there is none."""
    from huggingface_hub import try_to_load_from_cache

    if os.path.isdir(place):
        path = os.path.join(place, weights.WEIGHTS)
        return path if os.path.isfile(path) else ""
    names = [place] if "/" in place else [f"{FAMILY}/{place}", place]  # a bare name is looked for in the family first
    paths = (try_to_load_from_cache(name, weights.WEIGHTS) for name in names)
    return next((path for path in paths if isinstance(path, str)), "")


class Kind:
    """How to come by the embedder."""

    requires = (Package("numpy", "transformers"), Package("sentence_transformers", "transformers"))

    def open(self, settings: EmbedderSettings, home: str, *, bulk: bool = False) -> Transformers:
        """The embedder, which takes seconds to load. Raises ``ConfigurationError``."""
        place = _place(settings, home)
        try:
            model = _load(place, bulk=bulk)
            return Transformers(model, _sha256(model, place), bulk=bulk)
        except (OSError, ValueError, RuntimeError) as error:
            told = f"cannot be loaded: {_line(error)}" if os.path.isdir(place) else "is not on this machine"
            raise ConfigurationError(f"the model {place} {told}", "`encyclopedia model fetch`") from error

    def about(self, settings: EmbedderSettings, home: str) -> dict[str, object]:
        """What would be opened. Raises ``ConfigurationError``."""
        place = _place(settings, home, remember=False)
        return {"model": settings.model or weights.MODEL, "weights": place}

    async def fetch(self, settings: EmbedderSettings, home: str, agent: str, progress: Progress) -> None:
        """Get the model with the library's own client."""
        import asyncio

        if not settings.model:
            from encyclopedia_adapters.embedding.fetch import fetch

            await fetch(settings.hub, home, agent, progress)
            return
        progress(settings.model, 0, 1)
        try:
            await asyncio.to_thread(_load, settings.model, bulk=False, local=False)
        except (OSError, ValueError, RuntimeError) as error:
            told = f"the model {settings.model} cannot be fetched: {_line(error)}"
            raise ConfigurationError(told, "look at embedder.model, and whether the hub can be reached") from error
        progress(settings.model, 1, 1)


def _line(error: Exception) -> str:
    """The first line of what a library says at length."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _place(settings: EmbedderSettings, home: str, *, remember: bool = True) -> str:
    """The folder or the name of the model."""
    if settings.model:
        folder = os.path.expanduser(settings.model)
        return folder if os.path.isdir(folder) else settings.model
    return weights.folder(settings.path, home, remember=remember, beside=DESCRIPTION)


def _load(place: str, *, bulk: bool, local: bool = True) -> Any:
    """The model, from this machine only unless told otherwise; never from a file that could run code."""
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    silence: Any = logging.disable_progress_bar
    silence()
    return SentenceTransformer(
        place,
        device=None if bulk else "cpu",
        local_files_only=local,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )


KIND = Kind()

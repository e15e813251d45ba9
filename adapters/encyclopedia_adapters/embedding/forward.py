"""The forward pass of a BERT encoder on numpy, with the weights used as they lie in their file.

Everything is kept with one column for each token, (features, tokens): a weight matrix then stands on the left as it is
stored, which the library for matrices does a third faster for the few tokens of a query than the other way round, and texts
of different length stand side by side without padding.
"""

from __future__ import annotations

from itertools import accumulate
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

HEADS = 12
_TINY = np.float32(1e-12)
_BLOCK = 16_384
"""Numbers that are worked on at a time, so that they stay in the cache of the processor between two steps."""
_SCORES = 65_536
"""As ``_BLOCK``, for the scores of attention."""
_GELU = tuple(
    np.float32(c) for c in (1.80567625e-09, -1.33448963e-07, 3.96914841e-06, -5.52404191e-05, -3.31292517e-05, 3.63342829e-02)
)
_GELU_LAST = np.float32(7.97884216e-01)
_FAR = np.float32(36)


class Linear(NamedTuple):
    """A weight matrix (out, in), or the scale of a norm, with its bias, both as columns where they are added or multiplied."""

    weight: Array
    bias: Array


class Layer(NamedTuple):
    """One of the encoder's layers."""

    query: Linear
    key: Linear
    value: Linear
    attended: Linear
    norm: Linear
    wide: Linear
    narrow: Linear
    last_norm: Linear


class Encoder:
    """A BERT encoder with mean pooling; safe to use from several threads."""

    def __init__(self, tensors: Mapping[str, Array]) -> None:
        """Raises ``KeyError`` if a tensor is not there."""
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._positions = tensors["embeddings.position_embeddings.weight"]
        self._first_kind = tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        depth = sum(name.endswith("attention.self.query.weight") for name in tensors)
        self._layers = [_layer(tensors, f"encoder.layer.{number}") for number in range(depth)]
        self.dimension = self._words.shape[1]

    def run(self, texts: Sequence[Sequence[int]]) -> Array:
        """Rows of length 1, shape (texts, dimension), for texts of at least one token each."""
        ends = list(accumulate(len(text) for text in texts))
        spans = [slice(end - len(text), end) for text, end in zip(texts, ends, strict=True)]
        states = self._embedded(texts, spans)
        for layer in self._layers:
            states += _apply(layer.attended, _attention(layer, states, spans))
            _normalise(states, layer.norm)
            wide = _apply(layer.wide, states)
            _gelu(wide)
            states += _apply(layer.narrow, wide)
            _normalise(states, layer.last_norm)
        rows = np.stack([states[:, span].mean(axis=1) for span in spans])
        rows /= np.maximum(np.sqrt((rows * rows).sum(axis=1, keepdims=True)), _TINY)
        return rows

    def _embedded(self, texts: Sequence[Sequence[int]], spans: Sequence[slice]) -> Array:
        rows = self._words[np.concatenate([np.asarray(text, dtype=np.intp) for text in texts])]
        rows += self._first_kind
        for span in spans:
            rows[span] += self._positions[: span.stop - span.start]
        states = np.ascontiguousarray(rows.T)
        _normalise(states, self._norm)
        return states


def _layer(tensors: Mapping[str, Array], name: str) -> Layer:
    attention, output = f"{name}.attention", f"{name}.output"
    return Layer(
        query=_linear(tensors, f"{attention}.self.query"),
        key=_linear(tensors, f"{attention}.self.key"),
        value=_linear(tensors, f"{attention}.self.value"),
        attended=_linear(tensors, f"{attention}.output.dense"),
        norm=_norm(tensors, f"{attention}.output.LayerNorm"),
        wide=_linear(tensors, f"{name}.intermediate.dense"),
        narrow=_linear(tensors, f"{output}.dense"),
        last_norm=_norm(tensors, f"{output}.LayerNorm"),
    )


def _linear(tensors: Mapping[str, Array], name: str) -> Linear:
    return Linear(tensors[f"{name}.weight"], tensors[f"{name}.bias"][:, None])


def _norm(tensors: Mapping[str, Array], name: str) -> Linear:
    return Linear(tensors[f"{name}.weight"][:, None], tensors[f"{name}.bias"][:, None])


def _apply(linear: Linear, states: Array) -> Array:
    made: Array = np.matmul(linear.weight, states)
    made += linear.bias
    return made


def _normalise(states: Array, norm: Linear) -> None:
    """Mean 0 and variance 1 in each column, in place, then the scale and bias that were learned."""
    states -= states.mean(axis=0)
    spread = np.einsum("ij,ij->j", states, states)
    spread /= np.float32(len(states))
    spread += _TINY
    np.sqrt(spread, out=spread)
    states /= spread
    states *= norm.weight
    states += norm.bias


def _attention(layer: Layer, states: Array, spans: Sequence[slice]) -> Array:
    """What each token takes from the others of its text; as many heads at a time as the cache holds."""
    size = len(states)
    query = _apply(layer.query, states)
    query *= np.float32(1 / sqrt(size // HEADS))
    key, value = _apply(layer.key, states), _apply(layer.value, states)
    made = np.empty_like(states)
    for span in spans:
        length = span.stop - span.start
        step = max(1, min(HEADS, _SCORES // (length * length)))
        queries, keys, values, target = (part[:, span].reshape(HEADS, -1, length) for part in (query, key, value, made))
        for first in range(0, HEADS, step):
            some = slice(first, first + step)
            scores = np.matmul(keys[some].transpose(0, 2, 1), queries[some])  # (heads, attended, attending)
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            np.matmul(values[some], scores, out=target[some])
            target[some] /= scores.sum(axis=1, keepdims=True)
    return made


def _gelu(states: Array) -> None:
    """The activation x · Φ(x), in place.

    Φ(x) = (1 + tanh(x · P(x²))) / 2 exactly for the right P; this polynomial of degree 6 was fitted so that x · Φ(x) is off by
    less than 1e-7 anywhere, and grows beyond ±6, where tanh has long been ±1.
    """
    flat = states.reshape(-1)
    square, poly = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.float32)
    for begin in range(0, flat.size, _BLOCK):
        part = flat[begin : begin + _BLOCK]
        x2, p = square[: part.size], poly[: part.size]
        np.multiply(part, part, out=x2)
        np.minimum(x2, _FAR, out=x2)
        np.multiply(x2, _GELU[0], out=p)
        for coefficient in _GELU[1:]:
            p += coefficient
            p *= x2
        p += _GELU_LAST
        p *= part
        np.tanh(p, out=p)
        p += np.float32(1)
        p *= np.float32(0.5)
        part *= p

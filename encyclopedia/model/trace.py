"""What each stage decided: a value and the steps behind it."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Step(NamedTuple):
    """One stage that ran, or was absent and why; ``before`` and ``after`` are the values on either side."""

    name: str
    before: object
    after: object
    seconds: float
    absent: str = ""


class Trace(NamedTuple, Generic[T]):
    """A value with its history."""

    value: T
    steps: tuple[Step, ...] = ()

    def then(self, name: str, value: U, seconds: float, absent: str = "") -> Trace[U]:
        """The trace one step further."""
        return Trace(value, (*self.steps, Step(name, self.value, value, seconds, absent)))

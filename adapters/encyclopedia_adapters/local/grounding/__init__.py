"""Curated tables with rules: what grounds a decision before it is taken."""

from encyclopedia_adapters.local.grounding.kind import GroundingKind

__all__ = ["KIND"]

KIND = GroundingKind()

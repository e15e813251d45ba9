"""Books as a graph: sections, concepts, and what is said of how they are related."""

from encyclopedia_adapters.local.graph.kind import GraphKind

KIND = GraphKind()

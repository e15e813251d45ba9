"""Texts as vectors: all-MiniLM-L6-v2 on numpy, and whatever sentence-transformers can run."""

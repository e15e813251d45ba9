"""Asynchronous machinery that knows no stage: it runs them, guards sources and keeps answers."""

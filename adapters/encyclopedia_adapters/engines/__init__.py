"""Corpora whose passages live in an engine that many machines share."""

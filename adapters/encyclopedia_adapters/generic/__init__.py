"""Sources described without code."""

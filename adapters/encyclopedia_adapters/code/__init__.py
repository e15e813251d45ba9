"""Code and repositories."""

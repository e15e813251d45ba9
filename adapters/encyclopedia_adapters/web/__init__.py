"""Web sources."""

"""The sources, stores and formats that encyclopedia ships with; found by entry point."""

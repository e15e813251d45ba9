"""Sources on this machine."""

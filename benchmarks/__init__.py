"""One file a bar, side by side with what it is compared to, one command: ``python -m benchmarks``."""

"""Pure, synchronous stages: each a function from one value to the next."""

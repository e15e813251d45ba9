"""From a question to a cited answer: pure functions, each from one value to the next."""

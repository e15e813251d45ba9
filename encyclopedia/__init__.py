"""encyclopedia: one search over everything you may use."""

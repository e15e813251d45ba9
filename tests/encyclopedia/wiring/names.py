"""A registered list of libraries, as a plugin has it."""


def library_names() -> frozenset[str]:
    return frozenset({"acme-widgets"})

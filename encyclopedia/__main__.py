"""The command ``encyclopedia``, also as ``python -m encyclopedia``."""

import sys


def main() -> int:
    """Run the command line of this process; the exit code."""
    from encyclopedia.faces.cli.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

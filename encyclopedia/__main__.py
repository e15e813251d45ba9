"""The command ``encyclopedia``, also as ``python -m encyclopedia``."""

import sys


def main() -> int:
    """Run the command line of this process; the exit code."""
    try:
        from encyclopedia.faces.cli.app import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are being loaded there is nothing yet that could be said
        return 130


if __name__ == "__main__":
    sys.exit(main())

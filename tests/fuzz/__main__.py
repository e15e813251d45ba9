"""Coverage-guided fuzzing of the parsers: ``python -m tests.fuzz [NAME…] [--seconds 30]``; needs the extra ``fuzz``.

Each target runs in a process of its own for so many seconds. What breaks it is printed, and kept in the file that it names.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile


def one(name: str, seconds: int, folder: str) -> None:
    """Fuzz one target; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["encyclopedia", "encyclopedia_adapters"]):
        from tests.fuzz.parsers import TARGETS

    limits = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=1024", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *limits, folder], TARGETS[name])
    atheris.Fuzz()


def main() -> int:
    """Run from the command line; 1 if a target was broken."""
    from tests.fuzz.parsers import TARGETS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(TARGETS))
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--one", default="")
    options = parser.parse_args()
    if options.one:
        one(options.one, options.seconds, options.names[0])
    broken = []
    for name in options.names:
        folder = tempfile.mkdtemp(prefix=f"fuzz-{name}-")
        command = [sys.executable, "-m", "tests.fuzz", folder, "--one", name, "--seconds", str(options.seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
        told = [
            line
            for line in done.stderr.splitlines()
            if "Done" in line or "ERROR" in line or "Exception" in line or "Error" in line
        ]
        print(f"{name}: {'broken' if done.returncode else 'holds'}; {'; '.join(told[-4:])}", flush=True)
        if done.returncode:
            print((done.stdout + done.stderr)[-3000:], flush=True)
            broken.append(name)
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())

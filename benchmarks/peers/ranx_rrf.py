"""The reciprocal rank fusion of ranx, warm, over runs that were made beforehand; milliseconds of CPU of each."""

from __future__ import annotations

import json
import sys
import time

from ranx import Run, fuse


def main() -> None:
    given = json.load(sys.stdin)
    runs = [Run({"q": scores}, name=name) for name, scores in given["lists"].items()]
    fuse(runs=runs, norm=None, method="rrf")
    spent = []
    for _ in range(given["runs"]):
        started = time.process_time()
        fuse(runs=runs, norm=None, method="rrf")
        spent.append((time.process_time() - started) * 1000)
    print(json.dumps(spent))


if __name__ == "__main__":
    main()

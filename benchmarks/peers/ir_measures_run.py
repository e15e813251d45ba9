"""What ir-measures says of runs: for each of its measures the mean over the questions."""

from __future__ import annotations

import json
import sys

import ir_measures


def main() -> None:
    given = json.load(sys.stdin)
    found = {}
    for each in given["runs"]:
        run = {question: {name: 1 / rank for rank, name in enumerate(names, 1)} for question, names in each["run"].items()}
        measures = [ir_measures.parse_measure(name) for name in each["of"]]
        told = ir_measures.calc_aggregate(measures, given["judged"], run)
        found |= {str(measure): value for measure, value in told.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""Says nothing until its input ends."""

import sys

sys.stdin.read()

"""Compares two files of results: `compare.py FOUND EXPECTED`. The last digits of sums differ between processors."""

import json
import math
import sys


def is_same(found, expected):
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(is_same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(is_same, found, expected))
    if isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return found == expected


def main():
    with open(sys.argv[1]) as found, open(sys.argv[2]) as expected:
        found, expected = json.load(found), json.load(expected)
    if len(found) != len(expected):
        sys.exit(f"{len(found)} results, {len(expected)} expected")
    for one, other in zip(found, expected):
        if not is_same(one, other):
            sys.exit(f"found {json.dumps(one)}\nexpected {json.dumps(other)}")


main()

"""What every peer in Python shares: it is asked by lines on standard input, so that rounds of all tools take turns.

`values FILE` writes the 24 metrics as Parquet, `time` says how many seconds one calculation took from the file to the
table of results in memory. Knows nothing of how a tool works them out.
"""

import sys
import time


def serve(calculate, write):
    """Answers until the input ends. `calculate()` gives a table, `write(table, path)` writes it."""
    for line in sys.stdin:
        words = line.split()
        if words[0] == "values":
            write(calculate(), words[1])
            print("written", flush=True)
        elif words[0] == "time":
            began = time.perf_counter()
            table = calculate()
            took = time.perf_counter() - began
            del table
            print(took, flush=True)
        else:
            sys.exit(f"not a request: {line!r}")

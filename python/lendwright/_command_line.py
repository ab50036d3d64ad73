"""The command `lendwright`, as `pip install` puts it on the path."""

from __future__ import annotations

import signal
import sys

from lendwright._engine import run_command_line


def main() -> int:
    """Runs the command line as the compiled program does, and returns its exit status."""
    # Python keeps interrupts for itself and would look at them only after the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command_line(["lendwright", *sys.argv[1:]])


if __name__ == "__main__":
    raise SystemExit(main())

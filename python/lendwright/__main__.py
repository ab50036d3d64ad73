"""The command line, as ``python -m lendwright``."""

from lendwright._command_line import main

raise SystemExit(main())

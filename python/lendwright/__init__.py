"""Bank statements in, loan offers out, for Python.

    import lendwright

    people = lendwright.generate(statements=100, records=200)
    policy = lendwright.load("starter")
    decisions = policy.decide(people.records, as_of="2026-10-31")

The engine is the one of the command line, which this package holds too: the same inputs give the same bytes.
"""

from lendwright._engine import VERSION as __version__
from lendwright._errors import Error, Finding, PolicyError, RequestError, StatementError
from lendwright._explanation import Explanation
from lendwright._policy import Backtest, Decisions, Failure, Found, Parameter, Policy, load
from lendwright._statements import Generated, Statements, generate, read
from lendwright._table import ArrowArray, ArrowStream, ArrowTable, Table

__all__ = [
    "ArrowArray",
    "ArrowStream",
    "ArrowTable",
    "Backtest",
    "Decisions",
    "Error",
    "Explanation",
    "Failure",
    "Finding",
    "Found",
    "Generated",
    "Parameter",
    "Policy",
    "PolicyError",
    "RequestError",
    "StatementError",
    "Statements",
    "Table",
    "__version__",
    "generate",
    "load",
    "read",
]

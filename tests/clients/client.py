"""Calls the service by the client that openapi-python-client generated: client.py ADDRESS FOLDER [KEY NARROW_KEY].

The folder has a statement and what the commands print for it. check.py copies this file beside the client.
"""

import datetime
import io
import json
import sys
from pathlib import Path

import httpx
from lendwright_client import AuthenticatedClient, Client
from lendwright_client.api.default import counters, decisions, explanations, health, metrics, policies, records
from lendwright_client.models import (
    Application,
    ApplicationRequest,
    Decision,
    DecisionOutcome,
    Explanation,
    Metrics,
    PolicyList,
    Problem,
    ProblemCode,
)
from lendwright_client.types import File

DAY = datetime.date(2026, 10, 31)
ADDRESS, FOLDER = sys.argv[1], Path(sys.argv[2])
KEYS = sys.argv[3:]
TIMEOUT = httpx.Timeout(60)


def file(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def application(**more) -> Application:
    """The application in the way that the command gets it: the statement inline, without a name."""
    return Application.from_dict({"statement": json.loads(file("people/statement-000001.json"))} | more)


def same_moments(value):
    """Python writes UTC as +00:00, the service as Z."""
    if isinstance(value, dict):
        return {key: same_moments(part) for key, part in value.items()}
    if isinstance(value, list):
        return [same_moments(part) for part in value]
    return value.replace("+00:00", "Z") if isinstance(value, str) else value


def compare(what: str, answer, expected: str, kind: type) -> None:
    """The same bytes as the command's, read into the type that the document names, with nothing lost on the way."""
    assert answer.status_code == 200, (what, answer.content)
    assert answer.content == file(expected), f"{what}: not the bytes that the command prints"
    assert isinstance(answer.parsed, kind), (what, type(answer.parsed))
    if kind is not str:
        assert same_moments(answer.parsed.to_dict()) == json.loads(answer.content), f"{what}: other fields than sent"
    say(what, f"{len(answer.content)} bytes as the command prints them, as {kind.__name__}")


def say(what: str, detail: str) -> None:
    print(f"python: {what}: {detail}")


def decide(client) -> None:
    answer = decisions.sync_detailed(client=client, body=application(as_of=DAY.isoformat()))
    compare("a decision", answer, "decision.json", Decision)
    decision = answer.parsed
    assert decision.outcome is DecisionOutcome.OFFER and decision.as_of == DAY, decision
    offer = decision.offers[0]
    assert isinstance(offer.amount_offered, int) and offer.amount_payable > offer.amount_offered, offer
    assert all(isinstance(day, datetime.date) for day in offer.due_dates), offer
    assert isinstance(offer.expiry_date, datetime.datetime), offer

    request = ApplicationRequest.from_dict(json.loads(file("request.json")))
    asked = application()
    asked.as_of, asked.request = DAY, request
    answer = decisions.sync_detailed(client=client, body=asked)
    compare("a decision on a request", answer, "decision-on-request.json", Decision)
    assert answer.parsed.request.to_dict() == request.to_dict(), answer.parsed.request

    # The generated client sends files without a type, so the file must say what it is: Parquet does, CSV does not.
    table = File(payload=io.BytesIO(file("table/statements.parquet")))
    answer = decisions.sync_detailed(client=client, body=table, as_of=DAY, reference="table/statements.parquet")
    compare("a decision on a Parquet file", answer, "decision-on-parquet.json", Decision)


def look(client) -> None:
    """What explains a decision."""
    asked = application(as_of=DAY.isoformat())
    answer = explanations.sync_detailed(client=client, body=asked)
    compare("an explanation", answer, "explanation.json", Explanation)
    requirement = answer.parsed.requirements[0]
    assert requirement.id == "R01" and requirement.state == "met", requirement
    assert answer.parsed.decision.outcome is DecisionOutcome.OFFER
    compare("metrics", metrics.sync_detailed(client=client, body=asked), "metrics.json", Metrics)
    answer = records.sync_detailed(client=client, body=asked)
    compare("records", answer, "records.ndjson", str)
    assert len(answer.parsed.splitlines()) == 200


def look_at_service(client) -> None:
    assert health.sync(client=client).status == "ok"
    say("health", "ok")
    listed = policies.sync(client=client)
    assert isinstance(listed, PolicyList), listed
    (policy,) = listed.policies
    assert policy.digest == json.loads(file("decision.json"))["policy"]["digest"], policy
    names = [entry.name for entry in policy.inputs]
    assert {f"request.{name}" for name in json.loads(file("request.json"))} <= set(names), names
    assert policy.parameters[0].values[0].value and policy.valid_from is None, policy.parameters[0]
    say("policies", f"{policy.name} {policy.version}, {len(policy.parameters)} parameters, inputs {', '.join(names)}")
    text = counters.sync(client=client)
    assert "lendwright_api_decisions" in text and text.endswith("# EOF\n"), text
    say("counters", f"{len(text.splitlines())} lines")


def repeat(client) -> None:
    """The same key and body get the same answer again."""
    asked = application(as_of=DAY.isoformat())
    answers = [decisions.sync_detailed(client=client, body=asked, idempotency_key="P-1") for _ in range(2)]
    assert answers[1].headers["idempotency-replayed"] == "true" and answers[0].content == answers[1].content
    other = decisions.sync(client=client, body=application(as_of="2026-10-30"), idempotency_key="P-1")
    assert_problem("a key of another body", other, 409, ProblemCode.IDEMPOTENCY_KEY_REUSED)


def send_batch(client) -> None:
    """The generator has no bodies of lines; its own HTTP client has."""
    lines = [application(as_of=DAY.isoformat()).to_dict(), {"statement": {"status": "failed"}}]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    answer = client.get_httpx_client().post(
        "/v1/batches", content=body, headers={"content-type": "application/x-ndjson"}
    )
    first, second = answer.content.splitlines(keepends=True)
    assert first == file("decision.json") and Decision.from_dict(json.loads(first)).offers
    problem = Problem.from_dict(json.loads(second))
    assert problem.code is ProblemCode.STATEMENT_STATUS and problem.line == 2, problem
    say("a batch", "a decision and the problem of line 2")


def assert_problem(what: str, problem, status: int, code: ProblemCode) -> None:
    assert isinstance(problem, Problem), (what, problem)
    assert (problem.status, problem.code) == (status, code), (what, problem)
    assert problem.title and problem.detail and problem.request_id, (what, problem)
    say(what, f"refused with {status} {code}")


def get_refused(client) -> None:
    failed = Application.from_dict({"statement": {"status": "failed"}})
    problem = decisions.sync(client=client, body=failed, x_request_id="P-7")
    assert_problem("no statement", problem, 422, ProblemCode.STATEMENT_STATUS)
    assert problem.request_id == "P-7", problem
    asked = application(request={"amount": "much"})
    problem = decisions.sync(client=client, body=asked)
    assert_problem("a wrong field", problem, 400, ProblemCode.INVALID_REQUEST)
    assert problem.where == "request.amount", problem


def get_refused_by_key(narrow: str) -> None:
    asked = application(as_of=DAY.isoformat())
    for what, key, status, code in (
        ("an unknown key", "lw_00", 401, ProblemCode.KEY_UNKNOWN),
        ("a key without the scope", narrow, 403, ProblemCode.KEY_SCOPE),
    ):
        client = AuthenticatedClient(base_url=ADDRESS, token=key, timeout=TIMEOUT)
        assert_problem(what, decisions.sync(client=client, body=asked), status, code)
    problem = decisions.sync(client=Client(base_url=ADDRESS, timeout=TIMEOUT), body=asked)
    assert_problem("no key", problem, 401, ProblemCode.KEY_MISSING)


def main() -> None:
    if KEYS:
        client = AuthenticatedClient(base_url=ADDRESS, token=KEYS[0], timeout=TIMEOUT)
        get_refused_by_key(KEYS[1])
    else:
        client = Client(base_url=ADDRESS, timeout=TIMEOUT)
    decide(client)
    look(client)
    look_at_service(client)
    repeat(client)
    send_batch(client)
    get_refused(client)


if __name__ == "__main__":
    main()

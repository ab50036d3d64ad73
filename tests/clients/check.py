"""Starts `lendwright api`, generates clients from its OpenAPI document and lets them call it.

What they are answered must be the bytes that the commands print for the same statement. Once without keys and once with
them, because the document then differs.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from document import check_document

HERE = Path(__file__).resolve().parent
DAY = "2026-10-31"
# A person who gets offers, so that every field of a decision is there.
SEED = "3"
REQUEST = {"amount": 5_000_000, "obligations": 250_000}

# Content types that openapi-python-client has no bodies for. The document has to name them all the same.
KNOWN_WARNING = re.compile(r"Unsupported content type (text/|application/(xml|x-ofx|vnd\.))")


class Program:
    """The program, and what it prints."""

    def __init__(self, binary: Path, folder: Path):
        self.binary = binary
        self.folder = folder

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess:
        command = [self.binary, *arguments]
        said = subprocess.run(command, input=given, capture_output=True, cwd=self.folder, timeout=120)
        assert said.returncode == 0, f"lendwright {' '.join(arguments)}: {said.stderr.decode()}"
        return said

    def write_what_is_expected(self) -> None:
        """A statement, and each command's answer to it, as files."""
        sizes = ["--statements", "1", "--records", "200", "--debits", "--seed", SEED]
        self.run("generate", *sizes, "--out", "people")
        for table in ("csv", "parquet"):
            self.run("generate", *sizes, "--format", table, "--out", "table")
        statement = (self.folder / "people/statement-000001.json").read_bytes()
        (self.folder / "request.json").write_text(json.dumps(REQUEST))
        given = ["--policy", "starter", "--as-of", DAY]
        answers = {
            "decision.json": ["decide", *given, "-"],
            "decision-on-request.json": ["decide", *given, "--request", "request.json", "-"],
            "decision-on-csv.json": ["decide", *given, "table/statements.csv"],
            "decision-on-parquet.json": ["decide", *given, "table/statements.parquet"],
            "explanation.json": ["explain", *given, "--format", "json", "-"],
            "metrics.json": ["metrics", *given, "-"],
            "records.ndjson": ["records", *given, "--format", "json", "-"],
        }
        for name, arguments in answers.items():
            (self.folder / name).write_bytes(self.run(*arguments, given=statement).stdout)
        outcome = json.loads((self.folder / "decision.json").read_bytes())["outcome"]
        assert outcome == "offer", f"the statement of seed {SEED} gets `{outcome}`: take one that gets an offer"

    def make_keys(self) -> dict:
        """A file of two keys: one that opens everything, and one that may only look at the policies."""
        keys, lines = {}, b""
        for name, scopes in (("all", "decide,explain,read"), ("narrow", "read")):
            said = self.run("api", "--new-key", name, "--scopes", scopes)
            keys[name] = said.stderr.decode().split()[-1]
            lines += said.stdout
        (self.folder / "keys.txt").write_bytes(lines)
        return keys


class Service:
    """`lendwright api` on a port of its own, ended with the block."""

    def __init__(self, program: Program, keys: dict):
        self.program, self.keys = program, keys

    def __enter__(self) -> "Service":
        arguments = ["api", "--policy", "starter", "--listen", "127.0.0.1:0"]
        arguments += ["--keys", "keys.txt"] if self.keys else []
        self.log = (self.program.folder / "api.log").open("ab")
        command = [self.program.binary, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, cwd=self.program.folder)
        first = self.process.stdout.readline().decode()
        found = re.search(r"http://[^/\s]+", first)
        assert found, f"it does not start: {(self.program.folder / 'api.log').read_text()}"
        self.address = found.group(0)
        return self

    def __exit__(self, *wrong) -> None:
        self.process.terminate()
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.log.close()
        assert wrong[0] or status == 0, f"the service ended with {status}"

    def document(self) -> dict:
        request = urllib.request.Request(self.address + "/v1/openapi.json")
        if self.keys:
            request.add_header("Authorization", "Bearer " + self.keys["all"])
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def run(command: list, folder: Path) -> str:
    """Runs a program in a folder; what it says is shown if it fails."""
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, timeout=300)
    assert said.returncode == 0, f"{' '.join(map(str, command))}:\n{said.stdout}"
    return said.stdout


def try_python(folder: Path, call: list) -> None:
    """Generates the client in Python, and runs client.py with it."""
    generator = Path(sys.executable).parent / "openapi-python-client"
    document, settings = ["--path", "openapi.json"], ["--config", HERE / "generator.yml", "--meta", "none"]
    said = run([generator, "generate", *document, *settings, "--output-path", "lendwright_client"], folder)
    # One endpoint is missing on purpose: the generator cannot send lines.
    said = re.sub(r"WARNING parsing POST /v1/batches.*?text/plain", "", said, flags=re.DOTALL)
    warnings = [line for line in said.splitlines() if re.match(r"Unsupported|Cannot|Could not|Unable|Invalid", line)]
    unknown = [line for line in warnings if not KNOWN_WARNING.match(line)]
    assert not unknown and "ERROR" not in said, f"openapi-python-client says:\n{said}"
    shutil.copy(HERE / "client.py", folder)
    print(run([sys.executable, "client.py", *call], folder), end="", flush=True)


def try_typescript(folder: Path, node: Path, call: list) -> None:
    """Generates the types for TypeScript, checks client.ts with them, and runs it."""
    modules = folder / "node_modules"
    modules.symlink_to(node / "node_modules")
    (folder / "package.json").write_text('{ "type": "module" }')
    for name in ("client.ts", "tsconfig.json"):
        shutil.copy(HERE / name, folder)
    run(["node", modules / "openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.d.ts"], folder)
    run(["node", modules / "typescript/bin/tsc", "--project", "tsconfig.json"], folder)
    print(run(["node", "out/client.js", *call], folder), end="", flush=True)


def try_clients(program: Program, keys: dict, node: Path | None) -> None:
    """One service, its document, and both clients."""
    with Service(program, keys) as service:
        what = "with keys" if keys else "without keys"
        document = service.document()
        print(f"document {what}: {check_document(document, program.folder)}", flush=True)
        folder = program.folder / ("keyed" if keys else "open")
        folder.mkdir()
        (folder / "openapi.json").write_text(json.dumps(document))
        call = [service.address, str(program.folder), *([keys["all"], keys["narrow"]] if keys else [])]
        try_python(folder, call)
        if node:
            try_typescript(folder, node, call)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True, type=Path, help="the program")
    parser.add_argument("--node", type=Path, help="where npm installed the packages; without it no TypeScript")
    parser.add_argument("--strict", action="store_true", help="nothing may be skipped")
    asked = parser.parse_args()
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="lendwright-clients-"))
    try:
        program = Program(Path(os.path.abspath(asked.binary)), folder)
        program.write_what_is_expected()
        try_clients(program, {}, asked.node)
        try_clients(program, program.make_keys(), asked.node)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    who = "two clients" if asked.node else "one client"
    print(f"{who} agreed with the commands in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

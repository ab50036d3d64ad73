"""The compiled part. Use what `lendwright` itself exports."""

from collections.abc import Callable

from lendwright._errors import Finding

VERSION: str

class Table:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def column_names(self) -> list[str]: ...
    def rows_json(self, most: int) -> str: ...

class Statements:
    def records(self) -> Table: ...
    def count(self) -> int: ...
    def customers(self) -> list[str | None]: ...
    def warnings(self) -> list[tuple[str | None, str]]: ...

class Policy:
    @staticmethod
    def load(path: str, parameters: list[tuple[str, str]]) -> Policy: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def currency(self) -> str: ...
    def parameters(self) -> list[tuple[str, str, str | None, str | None]]: ...
    def decide(
        self,
        source: object,
        *,
        as_of: str | None,
        request_json: str | None,
        requests: object | None,
        columns: str | None,
        label: str,
        merge: bool,
        json: bool,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[list[Table], list[tuple[str, str | None, str | None, str]]]: ...
    def table(
        self,
        source: object,
        table: str,
        *,
        as_of: str | None,
        flags: list[str] | None,
        columns: str | None,
        label: str,
        merge: bool,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[list[Table], list[tuple[str, str | None, str | None, str]]]: ...
    def backtest(
        self,
        source: object,
        *,
        champion: Policy | None,
        outcomes: object | None,
        as_of: str | None,
        request_json: str | None,
        requests: object | None,
        columns: str | None,
        merge: bool,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[list[Table], list[tuple[str, str | None, str | None, str]]]: ...
    def explain(
        self,
        source: object,
        *,
        as_of: str | None,
        request_json: str | None,
        columns: str | None,
        customer: str | None,
    ) -> list[tuple[str | None, str, str, str]]: ...
    def check(self) -> list[Finding]: ...
    def _result_columns(self, table: str, *, json: bool, flags: list[str] | None) -> list[tuple[str, str]]: ...
    def _check_columns(self, table: object, columns: str | None) -> str: ...

class Partition:
    def __new__(
        cls,
        policy: Policy,
        table: str,
        *,
        as_of: str | None,
        request_json: str | None,
        columns: str | None,
        flags: list[str] | None,
        json: bool,
        memory: int,
        temp: str | None,
    ) -> Partition: ...
    def push(self, batch: object) -> list[Table]: ...
    def finish(self) -> list[Table]: ...

def read(
    path: str,
    *,
    columns: str | None,
    customer: str | None,
    policy: Policy | None,
    currency: str,
    time_zone: str,
    unit: str,
) -> Statements: ...
def generate(
    *,
    statements: int,
    records: int,
    seed: int,
    debits: bool,
    noise: float,
    hard: list[str],
    start: str | None,
    end: str | None,
    market: str,
) -> tuple[Table, Table]: ...
def letters_cut_from_names() -> str: ...
def columns_text(path: str) -> str: ...
def buffer_addresses(table: object) -> list[tuple[str, list[int]]]: ...
def run_command_line(arguments: list[str]) -> int: ...

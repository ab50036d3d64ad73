"""The guides for Python run: each block in order, and what a page shows is what it prints.

`GUIDES_UPDATE=1 pytest -k guides` writes what was printed into the pages.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import os
import re
import runpy
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

GUIDES = ROOT / "docs" / "guides"
UPDATE = bool(os.environ.get("GUIDES_UPDATE"))
MAY_BE_MISSING = {"sklearn": "scikit-learn", "shap": "shap", "matplotlib": "matplotlib"}
"""Libraries that do not install everywhere."""

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """Code of a page, and what the page shows that it prints."""

    code: str
    shown: str | None
    line: int
    span: tuple[int, int]
    """Where the shown text is in the page."""

    def imports(self) -> set[str]:
        names: set[str] = set()
        for node in ast.walk(ast.parse(self.code)):
            if isinstance(node, ast.Import):
                names |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.split(".")[0])
        return names


def blocks(text: str) -> list[Block]:
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(match["code"], match["shown"], line, match.span("shown")))
    return found


def sections(text: str) -> list[tuple[str, int, int]]:
    """The headings of a page, with where their text begins and ends."""
    starts = [(match[1], match.start()) for match in re.finditer(r"^## (.*)$", text, re.MULTILINE)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    return [(title, start, end) for (title, start), end in zip(starts, ends, strict=True)]


def run(block: Block, page: Path, names: dict[str, Any]) -> str:
    """Runs a block as a notebook runs a cell: a last expression shows itself."""
    tree = ast.parse("\n" * (block.line - 1) + block.code, str(page))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(page), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(page), "eval"), names)
            if value is not None:
                print(repr(value))
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def fits(shown: str, printed: str) -> bool:
    """Whether the page shows what was printed; a line `...` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def run_all(page: Path, among: list[Block]) -> None:
    missing = [
        name
        for name in sorted(set().union(*(block.imports() for block in among)) & set(MAY_BE_MISSING))
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        what = ", ".join(MAY_BE_MISSING[name] for name in missing)
        print(f"SKIPPED: {page.name} needs {what}, which is not installed", file=sys.__stderr__)
        pytest.skip(f"{what} is not installed")
    names: dict[str, Any] = {"__name__": "__main__"}
    prints = [(block, run(block, page, names)) for block in among]
    if UPDATE:
        text = page.read_text()
        for block, printed in reversed(prints):
            if block.shown is not None and not fits(block.shown, printed):
                text = text[: block.span[0]] + printed + text[block.span[1] :]
        page.write_text(text)
        return
    for block, printed in prints:
        if block.shown is not None:
            assert fits(block.shown, printed), f"{page}:{block.line} prints\n{printed}\nand shows\n{block.shown}"


@pytest.fixture
def folder_with_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a copy of the rules, as readers of the guides have it."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


@pytest.mark.usefixtures("folder_with_rules")
def test_the_tutorial_runs_from_top_to_bottom() -> None:
    page = GUIDES / "python.md"
    among = blocks(page.read_text())
    assert len(among) > 8
    run_all(page, among)
    picture = Path("curve.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000


@pytest.mark.usefixtures("folder_with_rules")
def test_the_first_lines_of_the_readme_print_what_it_shows() -> None:
    page = ROOT / "README.md"
    among = blocks(page.read_text())
    assert among and all(block.shown for block in among)
    run_all(page, among)


RECIPES = GUIDES / "python-recipes.md"
TITLES = [title for title, _, _ in sections(RECIPES.read_text())]


@pytest.mark.usefixtures("folder_with_rules")
@pytest.mark.parametrize("title", TITLES)
def test_each_recipe_runs_alone(title: str) -> None:
    text = RECIPES.read_text()
    [(start, end)] = [(start, end) for name, start, end in sections(text) if name == title]
    among = [block for block in blocks(text) if start <= block.span[0] < end or start < offset(text, block) < end]
    assert among, f"`{title}` has no code"
    run_all(RECIPES, among)


def offset(text: str, block: Block) -> int:
    """Where the code of a block is in the page."""
    return text.index(block.code, sum(len(line) for line in text.splitlines(True)[: block.line - 2]))


def test_the_example_draws_a_curve(folder_with_rules: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    example = runpy.run_path(str(ROOT / "examples" / "python" / "approval_curve.py"))
    example["main"].__globals__["VALUES"] = range(50_000, 400_001, 175_000)
    example["main"](str(folder_with_rules / "rules" / "starter.toml"), "curve.png")
    assert (folder_with_rules / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_shown_output_may_leave_lines_out() -> None:
    assert fits("a\n...\nd\n", "a\nb\nc\nd\n") and fits("...\nd\n", "d\n") and not fits("a\n...\nd\n", "a\nb\n")

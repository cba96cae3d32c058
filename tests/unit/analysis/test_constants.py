"""The constants of the strategies: each has a unit, a reason and a row in the benchmark; code has no bare numbers."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "constants.md"


def _benchmark():
    spec = importlib.util.spec_from_file_location("constants_benchmark", ROOT / "benchmarks" / "constants.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


benchmark = _benchmark()
NOT_LIMITS = {
    "ALL": "a word for 1",
    "UNLIMITED": "a word for infinity",
    "_WIDTH": "a column of the printed strategy",
    "NULL": "an address",
    "_SHOWN_STEPS": "words of a reason",
    "_BITS": "the bits of a byte",
    "_NULL": "stands for a pointer",
    "_OTHER": "stands for a size",
    "_LEAST_LIKELY": "a probability of inputs, not a limit",
    "_LIKELIER": "a probability of inputs, not a limit",
    "_ORDERS": "the number of ways in the code below it",
    "_HABITS": "the number of ways in the code below it",
    "MOST_STATES": "a default of a library function; phases limit the time",
    "MOST_SECONDS": "a default of a library function; phases limit the time",
    "MOST_STEPS": "a default of a library function; phases limit the time",
}
"""Numbers at the top of these modules that the benchmark does not vary, with the reason."""
FOLDERS = ("analysis/c", "refine", "coverage", "paths/search")
FREE = {0, 1, 2, -1, 8, 16, 255, 1024}
"""Numbers with one meaning: none, one, a pair, the last, bits of a byte, base 16, a byte's mask, bytes of a KiB."""


@pytest.mark.parametrize("module", benchmark.CONSTANTS)
def test_every_constant_has_a_row_and_a_docstring(module):
    listed = {name for name, _ in benchmark.CONSTANTS[module]}
    there = {name: about for name, _, about in benchmark.constants_of(benchmark.path_of(module))}
    assert listed <= set(there)
    assert set(there) - listed <= set(NOT_LIMITS)
    assert [name for name in listed if not there[name]] == []


def test_values_are_scaled():
    constant = benchmark.Constant("m", "COUNT", 3, "")
    assert [constant.scaled(f) for f in (0.5, 2.0)] == [2, 6]
    assert benchmark.Constant("m", "A_SHARE", 0.75, "").scaled(2.0) == 1.0
    assert benchmark.Constant("m", "A_SECONDS", 0.75, "").scaled(2.0) == 1.5


def test_the_value_of_a_constant_is_replaced_before_the_module_is_compiled(monkeypatch):
    """Rows and defaults that use the constant change too."""
    name = "kleene.analysis.c.shape.attempts"
    finder = benchmark._Finder(name, "LOADS_SHARE", 0.125)
    spec = finder.find_spec(name, None)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    assert [a.share for a in module.ATTEMPTS if a.name == "loads"] == [0.125]


def test_rows_on_the_page_are_those_of_the_code():
    values = {f"{c.module.removeprefix('kleene.')}.{c.name}": f"{c.value:g}" for c, _ in benchmark.table()}
    rows = re.findall(r"^\| `([\w.]+)` \| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows
    assert [(name, value) for name, value in rows if values.get(name) != value] == []
    assert set(values) == {name for name, _ in rows}


def _bare_numbers(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {id(n) for s in tree.body if isinstance(s, ast.Assign | ast.AnnAssign) for n in ast.walk(s)}
    indices = {id(n) for s in ast.walk(tree) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}
    return [
        f"{path.relative_to(ROOT)}:{n.lineno}: {n.value}"
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and type(n.value) in (int, float) and n.value not in FREE
        if id(n) not in named | indices
    ]


def test_strategies_have_no_bare_numbers():
    files = [path for folder in FOLDERS for path in sorted((ROOT / "src" / "kleene" / folder).rglob("*.py"))]
    assert len(files) > 40
    assert [number for path in files for number in _bare_numbers(path)] == []

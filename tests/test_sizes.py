"""The size limits of the house: files of at most 700 lines, functions of at most 80."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "kleene"


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_sizes(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 700
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 80, node.name


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))

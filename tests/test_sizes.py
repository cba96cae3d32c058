"""The size limits of the house: files of at most 700 lines, functions of at most 80."""

import ast
import re
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


MOST_MODULES = 18
"""Modules in a folder: with more, a reader no longer sees the rooms."""


@pytest.mark.parametrize("folder", sorted({p.parent for p in ROOT.rglob("*.py")}), ids=lambda p: str(p.name))
def test_a_folder_lists_its_modules_in_reading_order(folder):
    parts = {p.stem for p in folder.glob("*.py")} | {p.parent.name for p in folder.glob("*/__init__.py")}
    parts -= {"__init__"}
    assert len(parts) <= MOST_MODULES or folder == ROOT
    if len(parts) > 1 and folder != ROOT:
        docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert parts == set(re.findall(r"^- `(\w+)`", docstring, re.MULTILINE))

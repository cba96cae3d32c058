"""The TextMate grammars of TVP and TVS: complete, loadable, and of one mind with Kleene's own tokeniser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kleene.logic.vocabulary import PROPERTY_ARITY
from kleene.source.tokens import TVP, TVS, Dialect, Kind, Lump, Source, pieces
from slices import EXAM

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
DIALECTS = {"tvp": TVP, "tvs": TVS}
PACKAGES = ("vscode-textmate@9", "vscode-oniguruma@2")


def grammar(name: str) -> dict:
    return json.loads((EXTENSION / "syntaxes" / f"{name}.tmLanguage.json").read_text())


def rules(node: object) -> list[dict]:
    """All rules of a grammar."""
    if isinstance(node, list):
        return [rule for item in node for rule in rules(item)]
    if isinstance(node, dict):
        own = [node] if {"match", "begin", "include"} & node.keys() else []
        return own + [rule for item in node.values() for rule in rules(item)]
    return []


def test_the_extension_names_files_that_exist() -> None:
    package = json.loads((EXTENSION / "package.json").read_text())
    for entry in package["contributes"]["grammars"]:
        assert json.loads((EXTENSION / entry["path"]).read_text())["scopeName"] == entry["scopeName"]
    languages = {language["id"]: language for language in package["contributes"]["languages"]}
    assert {e["language"] for e in package["contributes"]["grammars"]} == set(languages)
    for language in languages.values():
        json.loads((EXTENSION / language["configuration"]).read_text())
    assert (EXTENSION / package["main"]).is_file()
    machine = [
        n for n, p in package["contributes"]["configuration"]["properties"].items() if p.get("scope") == "machine"
    ]
    assert "kleene.command" in machine, "a folder must not choose the command that is run"
    if node := shutil.which("node"):
        subprocess.run([node, "--check", str(EXTENSION / package["main"])], check=True)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_pattern_compiles_and_every_part_exists(name: str) -> None:
    document = grammar(name)
    assert document["fileTypes"] == [name]
    for rule in rules(document):
        for key in ("match", "begin", "end"):
            if key in rule:
                re.compile(rule[key])
        if "include" in rule:
            assert rule["include"][1:] in document["repository"]


@pytest.mark.parametrize("name", DIALECTS)
def test_every_keyword_is_in_the_grammar(name: str) -> None:
    pattern = re.compile(grammar(name)["repository"]["keyword"]["match"])
    for keyword in DIALECTS[name].keywords:
        assert pattern.fullmatch(f"%{keyword}"), keyword
    if name == "tvp":
        properties = grammar(name)["repository"]["property"]["match"]
        assert all(re.fullmatch(properties, word) for word in PROPERTY_ARITY)
        assert all(re.search(grammar(name)["repository"]["quantifier"]["match"], f"{w}(") for w in TVP.words)


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages that VS Code colours with."""
    if not EXAM or not shutil.which("npm"):
        pytest.skip("part of make exam, and needs npm")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(["npm", "install", "--no-audit", *PACKAGES], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("npm cannot install vscode-textmate here")
    return folder / "node_modules"


WANTED = {Kind.KEYWORD: "keyword", Kind.STRING: "string", Kind.CONST: "constant", "comment": "comment"}


def expected(path: Path, dialect: Dialect) -> list[tuple[int, int, str]]:
    """Lines and columns (from 0) where Kleene's tokeniser sees keywords, strings, truth values and comments."""
    text = path.read_text()
    starts = []
    for piece in pieces(Source(str(path), text), dialect):
        what = piece.what if isinstance(piece, Lump) else piece.kind
        if what in WANTED and not (isinstance(piece, Lump) and piece.what == "directive"):
            before = text[: piece.offset]
            starts.append((before.count("\n"), piece.offset - before.rfind("\n") - 1, WANTED[what]))
    return starts


@pytest.mark.parametrize("name", DIALECTS)
def test_the_editor_sees_the_tokens_that_kleene_sees(name: str, modules: Path) -> None:
    files = [p for p in sorted((ROOT / "examples").rglob(f"*.{name}")) if p.read_text().isascii()]
    script = Path(__file__).with_name("tokenise.js")
    syntax = EXTENSION / "syntaxes" / f"{name}.tmLanguage.json"
    command = ["node", str(script), str(modules), str(syntax), f"source.{name}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    tokens = json.loads(done.stdout)
    checked = 0
    for path in files:
        for line, column, scope in expected(path, DIALECTS[name]):
            scopes = next(s for start, end, s in tokens[str(path)][line] if start <= column < end)
            assert any(s.startswith(scope) for s in scopes), f"{path}:{line + 1}:{column + 1}: {scope}, not {scopes}"
            checked += 1
    assert checked > 200

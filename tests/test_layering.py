"""A folder imports only from folders on lines below it (ARCHITECTURE.md); those on one line are independent."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "kleene"

LAYERS = [
    {"cli"},
    {"analysis"},
    {"report", "batch"},
    {"results"},
    {"refine"},
    {"paths"},
    {"coverage"},
    {"domains.decomposed"},
    {"domains.shape", "domains.fesa", "domains.explicit"},
    {"engine", "symbolic"},
    {"tvp", "semantics"},
    {"transformers"},
    {"core", "passes"},
    {"structures", "smt", "c"},
    {"logic", "cfa", "source"},
    {"diagnostics", "shapes"},
]
RANK = {name: rank for rank, layer in enumerate(reversed(LAYERS)) for name in layer}


def layer_of(module: str) -> str | None:
    """The layer of a dotted module name below `kleene`, or None for the package itself."""
    parts = module.split(".")[1:]
    for length in (2, 1):
        name = ".".join(parts[:length])
        if name in RANK:
            return name
    return None


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "kleene"}


def violations(path: Path) -> list[str]:
    own = layer_of(".".join(["kleene", *path.relative_to(ROOT).with_suffix("").parts]))
    if own is None:
        return []
    targets = {(name, layer_of(name)) for name in imports_of(path)}
    return [
        f"{path.name} ({own}) imports {name}"
        for name, other in targets
        if other and other != own and RANK[other] >= RANK[own]
    ]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downwards(path):
    assert not violations(path)


def test_every_folder_has_a_layer():
    folders = {p.parent for p in ROOT.rglob("*.py")} - {ROOT, ROOT / "domains"}
    unknown = [f for f in folders if layer_of(".".join(["kleene", *f.relative_to(ROOT).parts])) is None]
    assert not unknown


def test_an_upward_import_is_found(tmp_path, monkeypatch):
    bad = tmp_path / "logic" / "bad.py"
    bad.parent.mkdir()
    bad.write_text("from kleene.engine.fixpoint import solve\n")
    monkeypatch.setattr("test_layering.ROOT", tmp_path)
    assert violations(bad)

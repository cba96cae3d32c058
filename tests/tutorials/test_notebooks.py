"""The tutorials run: their cells one after the other here, in a real kernel in `make exam`."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest

from slices import in_exam

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "site"))
from make_site import execute  # noqa: E402

TUTORIALS = DOCS / "tutorials"
NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))


def test_there_are_two_tutorials() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["prove-your-list-code", "three-valued-logic"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_cells_run_in_order_and_their_values_draw_themselves(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    names: dict[str, object] = {}
    drawn = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        assert not cell.outputs, "outputs are not kept: they would go stale"
        _, shown = execute(cell.source, names)
        for name in ("_repr_svg_", "_repr_html_"):
            if hasattr(shown, name):
                assert getattr(shown, name)().startswith("<")
                drawn += 1
    assert drawn >= 2


@in_exam
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_kernel_executes_the_notebook(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"text/html"} <= kinds

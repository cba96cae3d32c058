"""Pictures and words of FESA states."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from kleene.analysis.c.fesa import analyse_fesa
from kleene.c.reader import read_program
from kleene.cli.commands.check import command
from kleene.domains.fesa.flags import EDGE, Flag, Node
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.vectors import Vectors
from kleene.passes.preparation import Prepared
from kleene.report.check.fesa_words import fesa_invariants, relations
from kleene.report.drawing.fesa_picture import state_dot, state_svg

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "c" / "fesa"
X, Y, BLOCK = Node("variable", "x"), Node("variable", "y"), Node("heap", "", 8, 1)
CELLS = {(8, 0): "next"}


def vectors(*rows: tuple[int, int, int]) -> Vectors:
    """Over the flags: x points to the block, y points to it, its next points to another instance."""
    flags = [Flag(EDGE, X, 0, BLOCK), Flag(EDGE, Y, 0, BLOCK), Flag(EDGE, BLOCK, 0, BLOCK.other)]
    space = Diagrams()
    function = space.false
    for row in rows:
        cube = space.true
        for flag, value in zip(flags, row, strict=True):
            cube = cube & (space.var(flag) if value else ~space.var(flag))
        function = function | cube
    return Vectors(space, frozenset(flags), function)


def test_relations_are_those_that_hold() -> None:
    assert relations(vectors((1, 1, 1)), BLOCK, CELLS) == [
        "always: it.next points to another",
        "always: x points to it",
        "always: y points to it",
    ]
    assert relations(vectors((1, 1, 0), (0, 0, 1)), BLOCK, CELLS) == [
        "one of: it.next points to another; x points to it",
        "one of: it.next points to another; y points to it",
    ]
    assert relations(vectors((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)), BLOCK, CELLS) == [
        "if y points to it, then x points to it",
        "never both: it.next points to another; x points to it",
    ]
    assert relations(vectors(*((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1))), BLOCK, CELLS) == []


def test_the_picture_has_the_ghost_and_the_relations_of_the_chosen_node() -> None:
    state = vectors((1, 0, 1), (1, 0, 0))
    dot = state_dot(state, CELLS, BLOCK)
    assert 'shape=circle, style=dotted, label="#1"' in dot
    assert dot.count('label="next", style=dashed') == 1
    assert "style=solid" in dot
    assert "always: x points to it" in dot
    assert state_svg(state, CELLS).startswith("<svg")


def test_the_paper_s_list_invariant_is_found() -> None:
    """Section 1: the node that y points to has no successor, and the one that x points to no predecessor."""
    program = read_program([str(EXAMPLES / "sll.c")])
    result = analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=30)
    words = fesa_invariants(result)[0].words
    assert "#1: one of: y points to it; it.next is not NULL" in words
    assert "#1: never both: another.next points to it; x points to it" in words


def test_html_and_invariants_of_the_command(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        command, ["--domain", "fesa", "--invariants", "--html", str(page), str(EXAMPLES / "sll.c")]
    )
    assert done.exit_code == 0, done.output
    assert "loop in main" in done.output
    text = page.read_text()
    assert "<svg" in text and "dotted circle: another instance" in text

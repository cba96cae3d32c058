"""The paper's Table 1 and Fig. 1, as a library and the paper write them (BHTZ10)."""

from __future__ import annotations

import pytest
from tests.refine.helpers import EXAMPLES, refined

from kleene.cli import run_main
from kleene.refine.loop import SAFE, RefineOptions

FOLDER = EXAMPLES / "refine"


@pytest.mark.parametrize(
    "name,shape,most",
    [
        ("acyclic_list_insert_list", "dll", 3),
        ("bintree_rotate_twice", "tree", 4),
        ("bintree_rotate_left_right", "tree", 3),
        ("treep_rotate_twice", "treep", 5),
        ("treep_rotate_left_right", "treep", 5),
        ("treep_rotate_three", "treep", 3),
        ("treep_rotate_inner", "treep", 3),
    ],
)
def test_refinement_itself_proves_it(name, shape, most):
    """These were left to the analysis that tracks everything, or needed all families.

    A member that is read twice, or by its address, had no name in between; without `sharing` the trees exploded.
    """
    result = refined(FOLDER / f"{name}.c")
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == shape
    assert len(result.abstraction.generator.families) <= most


def test_a_rotation_at_an_inner_node():
    """With the hint it is proved by a class as small as that of the root; it was left to the other analysis."""
    result = refined(FOLDER / "treep_rotate_inner.c", options=RefineOptions(hint="treep"))
    assert result.outcome == SAFE
    assert result.abstraction.generator.families == {"cancellation", "sharing", "children"}


def test_figure_1_reads_an_uninitialized_pointer(capsys):
    """The reason said only that the path can happen."""
    arguments = ["check", str(FOLDER / "figure_1.c"), "--property", "assert", "--refine", "--timeout", "8"]
    assert run_main(arguments) == 3
    out = capsys.readouterr().out
    assert "figure_1.c:38:12: uninitialized pointer: p may not be initialized" in out
    assert "repair this first" in out


def test_figure_1_with_initialized_members(tmp_path):
    """The class is the paper's: a doubly linked list with cancellation."""
    text = (FOLDER / "figure_1.c").read_text(encoding="utf-8")
    program = tmp_path / "figure_1.c"
    program.write_text(text.replace("malloc(", "calloc(1, "), encoding="utf-8")
    result = refined(program)
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "dll"
    assert result.abstraction.generator.families == {"cancellation"}

"""The library as a program and a notebook use it."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import kleene
from kleene import api

EXAMPLES = Path(__file__).parents[2] / "examples"
REVERSE = EXAMPLES / "tvp" / "sll" / "reverse.tvp"


def test_run_a_program_and_draw_its_structures():
    report = kleene.run(REVERSE)
    assert report.verdict == "verified"
    final = next(x for x in report.locations if x.name == "exit").structures
    assert len(final) == 3
    assert final[-1]._repr_svg_().startswith("<svg")
    assert 'sandbox="allow-scripts"' in report._repr_html_()
    assert "<script" not in report._repr_html_(), "the page is inside the frame, escaped"


def test_a_loaded_program_runs_on_structures_that_are_values():
    program = kleene.load(REVERSE)
    inputs = kleene.read_structures(REVERSE.with_suffix(".tvs"), program)
    assert kleene.run(program, inputs).verdict == "verified"
    assert kleene.run(program, inputs[:1]).statistics.stored < kleene.run(program, inputs).statistics.stored
    with pytest.raises(TypeError, match="needs structures"):
        kleene.run(program)


def test_programs_structures_and_formulas_from_text():
    program = kleene.program(TINY)
    (structure,) = kleene.read_structures("%n = {u, w}\n%p = { x = {u} n = {u->w:1/2} sm = {w:1/2} }", program)
    perhaps = kleene.formula("E(v, w) x(v) & n(v, w)", program)
    assert kleene.evaluate(perhaps, structure) is kleene.Kleene.UNKNOWN
    one = kleene.formula("x(v)", program)
    assert kleene.evaluate(one, structure, v=0) is kleene.Kleene.TRUE
    with pytest.raises(TypeError, match="v=NODE"):
        kleene.evaluate(one, structure)
    with pytest.raises(ValueError, match="nodes 0 to 1"):
        kleene.evaluate(one, structure, v=2)
    assert "x(v)" in kleene.formula("x(v)", program.vocabulary)._repr_html_()
    assert "unique" in program.vocabulary._repr_html_()
    assert program._repr_svg_().startswith("<svg")
    result = kleene.assume("E(v, w) x(v) & n(v, w)", [structure], program)
    assert result.most_precise and len(result.structures) >= 1


TINY = """%p x(v) unique pointer
%p n(v, w) function
%r x(v1) & x(v2) ==> v1 == v2
%%
%action null() { %t "x = NULL" { x(v) = 0 } }
%%
L1 null() L2
"""


def test_options_are_those_of_a_run():
    with pytest.raises(TypeError):
        kleene.run(REVERSE, colour="red")
    with pytest.raises(AttributeError):
        kleene.no_such_name


def test_check_a_c_program():
    report = kleene.check(EXAMPLES / "c" / "sll" / "reverse.c")
    assert report.verdict is kleene.Verdict.TRUE
    assert "Shapes by line" in report._repr_html_()


def test_everything_is_documented_and_typed():
    for name in api.__all__:
        value = getattr(kleene, name)
        assert inspect.getdoc(value), name
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            assert signature.return_annotation is not signature.empty, name
            assert all(p.annotation is not p.empty for p in signature.parameters.values()), name
    assert set(api.__all__) < set(dir(kleene))
    folders = {path.stem for path in Path(kleene.__file__).parent.iterdir()}
    assert not folders & set(api.__all__), "a module of that name would hide the function once it is loaded"


def test_importing_the_package_loads_nothing_else():
    script = "import sys, kleene; print(sorted(m for m in sys.modules if m.startswith('kleene.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

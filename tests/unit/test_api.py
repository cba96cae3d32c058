"""The library as a notebook uses it."""

import subprocess
import sys
from pathlib import Path

import pytest

import kleene

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_run_a_program_and_draw_its_structures():
    report = kleene.run_tvp(EXAMPLES / "tvp" / "sll" / "reverse.tvp")
    assert report.verdict == "verified"
    final = next(x for x in report.locations if x.name == "exit").structures
    assert len(final) == 3
    assert final[-1]._repr_svg_().startswith("<svg")


def test_options_are_those_of_a_run():
    with pytest.raises(TypeError):
        kleene.run_tvp(EXAMPLES / "tvp" / "sll" / "reverse.tvp", colour="red")
    with pytest.raises(AttributeError):
        kleene.no_such_name


def test_check_a_c_program():
    assert str(kleene.check_c(EXAMPLES / "c" / "sll" / "reverse.c").verdict) == "TRUE"


def test_importing_the_package_loads_nothing_else():
    script = "import sys, kleene; print(sorted(m for m in sys.modules if m.startswith('kleene.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Programs from text, and paths through them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.c import read_program
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assume, Operation
from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import Trace
from kleene.passes.calls.inline import inline


@pytest.fixture
def lower(tmp_path: Path) -> Callable[[str], CProgram]:
    """Reads a program from text and inlines it."""

    def read(text: str) -> CProgram:
        path = tmp_path / "p.c"
        path.write_text(text)
        return inline(read_program(path))

    return read


def path_of_run(trace: Trace) -> list[Edge[Operation]]:
    """The edges that a run of an inlined program took; where it went wrong in a condition, either one."""
    cfa = trace.program.main.cfa
    edges = []
    for step in trace.steps:
        leaving = cfa.leaving(step.location)
        if isinstance(leaving[0].label, Assume) and step.truth is not None:
            edges.append(next(e for e in leaving if isinstance(e.label, Assume) and e.label.truth == step.truth))
        else:
            edges.append(leaving[0])
    return edges


def random_inputs(seed: int, count: int = 60) -> list[int]:
    chooser = random.Random(seed)
    return [chooser.choice((0, 1, 1, 1, 2, -1, 5)) for _ in range(count)]

"""Small C programs through the reader, the inliner and the translation, for the tests of the semantics."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.cfa.program import CProgram
from kleene.passes.calls.inline import inline
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import prepare_program
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Translator
from kleene.semantics.vocabulary.groups import ShapeClass

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct node { struct node *next; int data; };
extern int __VERIFIER_nondet_int(void);
"""


def program_of(folder: Path, body: str, header: str = HEADER) -> CProgram:
    """The program ``int main(void) { body }`` after the header, or the text as it stands if it has a main."""
    path = folder / "test.c"
    path.write_text(header + (body if " main(" in body else f"int main(void) {{ {body} return 0; }}\n"))
    return read_program([str(path)])


def inlined(folder: Path, body: str, header: str = HEADER) -> tuple[CProgram, Cfa[Operation]]:
    program = prepare_program(inline(program_of(folder, body, header)))
    return program, program.main.cfa


def translator(folder: Path, body: str, shape: ShapeClass | None = None, header: str = HEADER) -> Translator:
    program, cfa = inlined(folder, body, header)
    return Translator(program, cfa, shape or ShapeClass("acyclic"), malloc_may_fail=False)


def alarms(folder: Path, body: str, header: str = HEADER) -> set[str]:
    """The kinds of alarms that the shape analysis raises; the analysis must be complete."""
    result = analysis(folder, body, header)
    assert result.complete, result.reason
    return {alarm.kind for alarm in result.alarms}


def analysis(folder: Path, body: str, header: str = HEADER) -> ShapeResult:
    return analyse(Prepared(program_of(folder, body, header)), malloc_may_fail=False, seconds=20)

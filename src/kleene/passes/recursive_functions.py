"""Whole programs for the analyses: calls are inlined as far as they can be, the rest gets one automaton.

Recursive functions, which cannot be inlined, and those that `facts/calls.py` chooses are analysed apart (`procedures`).
"""

from __future__ import annotations

from kleene.cfa.program import CProgram
from kleene.diagnostics import Limit, LimitReached
from kleene.passes.inline import inline
from kleene.passes.prepare import prepare_program
from kleene.passes.procedures import with_one_automaton
from kleene.passes.tail_calls import without_tail_recursion


def whole_program(program: CProgram) -> CProgram:
    """The program with calls inlined as far as they can be, made ready, and with one automaton for all of it.

    Raises LimitReached if the program is too large, or if the entry is called again.
    """
    inlined = prepare_program(inline(without_tail_recursion(program)))
    if inlined.entry in inlined.recursive_functions:
        raise LimitReached(f"{inlined.entry} is called again", Limit.SIZE)
    return with_one_automaton(inlined)

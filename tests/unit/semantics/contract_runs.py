"""Runs of calls and bodies by contract: which of the marked lines some run reaches, and where a contract is broken.

A line ``check(condition); // name`` has an assertion that may fail where the condition holds, so its name says that a
run comes there. A line of a call or a return with a name stands for what is wrong with the contract there. Names of
what may not happen begin with `never`.
"""

from __future__ import annotations

import re
from pathlib import Path

from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import Assume, DeclareLocal, expressions
from kleene.cfa.program import CProgram, Function
from kleene.domains.explicit.explore import Exploration, explore
from kleene.semantics.contracts.programs import CALLED, body_alone, by_contracts, contract_at

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define check(condition) do { if ((condition) && __VERIFIER_nondet_int()) assert(0); } while (0)
struct node { struct node *next; int data; };
struct item { struct item *next, *prev; int data; };
struct tree { struct tree *left, *right; int data; };
"""
NAMES = re.compile(r"// (.*)")


def program_of(folder: Path, text: str) -> CProgram:
    path = folder / "program.c"
    path.write_text(HEADER + text, encoding="utf-8")
    return read_program(path)


def calls(folder: Path, text: str, states: int) -> set[str]:
    """What the runs from main show; calls are by contract."""
    program = program_of(folder, text)
    return seen(HEADER + text, explored(by_contracts(program, read_contracts(program)), states))


def bodies(folder: Path, text: str, states: int, function: str = "f") -> set[str]:
    """What the runs of a body show, from all that its contract allows."""
    program = program_of(folder, text)
    contracts = read_contracts(program)
    others = {name: contract for name, contract in contracts.items() if name != function}
    return seen(HEADER + text, explored(body_alone(by_contracts(program, others), contracts[function]), states))


def expected(text: str) -> set[str]:
    """The names in a text of what runs show."""
    return {name for name in NAMES.findall(text) if not name.startswith("never")}


def whole(function: Function, place: str) -> None:
    """An automaton has places of the contract, variables that are declared, and ends only where it should."""
    edges = function.cfa.edges
    declared = [edge.label.variable for edge in edges if isinstance(edge.label, DeclareLocal)]
    assert {*function.locals} <= {*declared}, "each variable is declared"
    known = {*function.locals, *function.parameters}
    for edge in edges:
        used = {v for e in expressions(edge.label) for v in walk(e) if isinstance(v, Variable) and not v.is_global}
        assert used <= known, f"{edge.label} has other variables"
    assert len({v.name for v in known}) == len(function.locals) + len(function.parameters), "each has its name"
    followed = {edge.source for edge in edges} | {function.exit}
    assert all(edge.target in followed or isinstance(edge.label, Assume) for edge in edges)
    assert {edge.source for edge in edges} <= {edge.target for edge in edges} | {function.cfa.entry}
    assert any(edge.label.place.function == place for edge in edges)


def explored(program: CProgram, states: int, *, malloc_may_fail: bool = False) -> Exploration:
    return explore(program, max_states=states, seconds=60.0, malloc_may_fail=malloc_may_fail)


def seen(text: str, explored: Exploration) -> set[str]:
    """The names of lines where something is wrong, and what is not supported; a call itself loses no block."""
    lines = dict(enumerate(text.splitlines(), 1))
    shown = set()
    for fault in (finding.fault for finding in explored.findings):
        name = NAMES.search(lines[fault.place.line])
        lost = fault.kind == "memory_leak" and contract_at(fault.place.function)[0] == CALLED
        shown.add((name[1] if name else f"elsewhere: {fault}") + (" (leak)" if lost else ""))
    return shown | {f"open: {reason}" for reason in explored.unsupported.values()}

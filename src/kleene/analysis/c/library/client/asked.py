"""What is asked of a client: its properties, and the functions of the client that end data."""

from __future__ import annotations

from kleene.analysis.c.library.readings.operations import DROPS, Fate, Operation
from kleene.cfa.program import CProgram
from kleene.passes.indices import has_pointers

PROVED = ("memsafety", "memcleanup")
"""The properties of a function: no memory error, nothing lost. Assertions of a library state preconditions."""


def dropping(operations: list[Operation]) -> list[str]:
    """The functions of the client that end data, as the library names them."""
    pairs = ((r, p.name) for o in operations for r, p in zip(o.roles, o.function.parameters, strict=True))
    return list(dict.fromkeys(name for role, name in pairs if role in DROPS))


def properties_of(operations: list[Operation], program: CProgram) -> tuple[str, ...]:
    """The properties of a client: what is left at its end counts if some operation ends what others make."""
    return PROVED if _all_is_ended(operations, program) else PROVED[:1]


def _all_is_ended(operations: list[Operation], program: CProgram) -> bool:
    """Whether some operation ends what the others make: objects, or what the library keeps in its variables."""
    if any(o.ends or o.fate is Fate.LAST for o in operations):
        return True
    keeps = any(not g.constant and has_pointers(g.variable.type, program) for g in program.globals)
    return not keeps and not any(o.makes for o in operations)

"""The parts of the lowering, put together for one function or one global."""

from __future__ import annotations

from kleene.c.calls import Calls
from kleene.c.declarations.initializers import Initializers
from kleene.c.declarations.variable_arrays import VariableArrays
from kleene.c.effects import Effects
from kleene.c.lowering import LoweringContext
from kleene.c.statements import Statements
from kleene.c.unit import Unit
from kleene.c.values import Values


def lowering_of(unit: Unit, function: str) -> LoweringContext:
    """A context with all parts, and an automaton without edges."""
    lower = LoweringContext(unit, function, lowering_of)
    lower.values = Values(lower)
    lower.effects = Effects(lower)
    lower.calls = Calls(lower)
    lower.initializers = Initializers(lower)
    lower.statements = Statements(lower)
    lower.arrays = VariableArrays(lower)
    return lower

"""Finite differencing: updates of instrumentation predicates from their definitions; formulas only, no
structures.
"""

from kleene.transformers.differencing.derive import (
    Derivation,
    DerivedUpdate,
    DifferencingOptions,
    definition_order,
    derive,
)
from kleene.transformers.differencing.explain import explain_updates

__all__ = [
    "Derivation",
    "DerivedUpdate",
    "DifferencingOptions",
    "definition_order",
    "derive",
    "explain_updates",
]

"""Finite differencing: updates of instrumentation predicates from their definitions; formulas only, no
structures.

In reading order:

- `derive`: updates of instrumentation predicates, action by action
- `recall`: what a derived update depends on
- `deltas`: when a formula changes its value
- `closures`: changes of transitive closures
- `universe`: actions that make or remove nodes
- `uniqueness`: variables with at most one value
- `simplify`: simplification that keeps three-valued values
- `cycles`: the message about closed cycles
- `explain`: derived updates as text
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

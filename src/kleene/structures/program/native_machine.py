"""The native machine: formulas as bytecode for `kleene._native` (docs/concepts/native.md).

The module has its own builder of operation graphs, the twin of `build.py` and `graph.py`. Bytecode does not depend on
the width of structures. Programs are compiled once and bound to each vocabulary by a table of rails, as the functions
of the Python machine are.
"""

from __future__ import annotations

from functools import cache

from kleene import _native
from kleene.logic import formula
from kleene.logic.vocabulary import Vocabulary

Unsupported = _native.Unsupported

_CLASSES = (
    formula.Const,
    formula.Atom,
    formula.Equal,
    formula.Not,
    formula.And,
    formula.Or,
    formula.Iff,
    formula.IfThenElse,
    formula.Exists,
    formula.Forall,
    formula.Closure,
)
_native.learn_formulas({kind.__name__: kind for kind in _CLASSES})


@cache  # handles of one vocabulary share one signature for ever
def _signature(arities: tuple[int, ...]) -> _native.Signature:
    return _native.Signature(arities)


def signature_of(vocabulary: Vocabulary) -> _native.Signature | None:
    """The signature of a vocabulary; None if it has predicates of more than three arguments."""
    arities = tuple(p.arity for p in vocabulary)
    return None if max(arities) > _native.MOST_ARITY else _signature(arities)


def bind(code: _native.Code, vocabulary: Vocabulary) -> _native.Program:
    """The code as a program for structures of a vocabulary that has its predicates."""
    signature = signature_of(vocabulary)
    if signature is None:
        raise Unsupported("a predicate of more than three arguments")
    return code.bind(signature, vocabulary.places)

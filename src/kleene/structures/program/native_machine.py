"""The native machine: formulas as bytecode for `kleene._native` (docs/concepts/native.md).

The module has its own builder of operation graphs, the twin of `build.py` and `graph.py`. Bytecode does not depend on
the width of structures. Programs are compiled once and bound to each vocabulary by a table of rails, as the functions
of the Python machine are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from kleene import _native
from kleene.logic import formula as formulas
from kleene.logic.formula import Formula
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.evaluate import rails
from kleene.structures.program.build import MAY, MUST
from kleene.structures.structure import AC, Structure

Unsupported = _native.Unsupported

_CLASSES = (
    formulas.Const,
    formulas.Atom,
    formulas.Equal,
    formulas.Not,
    formulas.And,
    formulas.Or,
    formulas.Iff,
    formulas.IfThenElse,
    formulas.Exists,
    formulas.Forall,
    formulas.Closure,
)
_native.learn_formulas({kind.__name__: kind for kind in _CLASSES})


@cache  # handles of one vocabulary share one signature for ever
def _signature(arities: tuple[int, ...]) -> _native.Signature:
    return _native.Signature(arities)


@lru_cache(maxsize=64)
def signature_of(vocabulary: Vocabulary) -> _native.Signature | None:
    """The signature of a vocabulary; None if it has more predicates or arguments than the native machine takes."""
    arities = tuple(p.arity for p in vocabulary)
    fits = max(arities) <= _native.MOST_ARITY and len(arities) <= _native.MOST_PREDICATES
    return _signature(arities) if fits else None


def bind(code: _native.Code, vocabulary: Vocabulary) -> _native.Program:
    """The code as a program for structures of a vocabulary that has its predicates."""
    signature = signature_of(vocabulary)
    if signature is None:
        raise Unsupported("a vocabulary that the native machine does not take")
    return code.bind(signature, vocabulary.places)


def native_rails(structure: Structure, formula: Formula, axes: Sequence[str]) -> tuple[int, int]:
    """The tensors of both rails over the given variables, which include the free ones (as `evaluate.rails`)."""
    all_active = structure.values[AC] == (1 << structure.size) - 1
    try:
        code = _native.compile_formulas([(formula, rail, axes) for rail in (MUST, MAY)], (), all_active)
        program = bind(code, structure.vocabulary)
    except Unsupported:
        return rails(structure, formula, axes)
    signature = signature_of(structure.vocabulary)
    assert signature is not None
    must, may = program.run(_native.Handle(signature, structure.size, structure.values))
    return must, may

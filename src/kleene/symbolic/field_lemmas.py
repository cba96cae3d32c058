"""What follows about the fields of a scene and makes reasoning about their paths easier: lemmas, proved first.

Paths of a field without sharing and without cycles have more axioms (`smt.closures`), and provers find the proofs of
the questions that follow much sooner. A field may be unshared because its inverse is a function too (a doubly linked
list), or acyclic because of where the pointers of the program lead. Both are ordinary queries; a lemma that a small
store refutes is not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kleene.logic.formula import Atom, Closure, Formula, exists, neg, subformulas
from kleene.smt import Solver, Unsat
from kleene.smt.closures import Fields
from kleene.smt.finder import Finder
from kleene.smt.units import sharpened
from kleene.smt.universe import Universe
from kleene.symbolic.closure_updates import sharing
from kleene.symbolic.scene import Scene

_SMALL = 2


def with_field_lemmas(scene: Scene, solver: Solver) -> Scene:
    """The same stores, with what was proved about the fields along which paths are asked for."""
    fields = sorted(set(_closed_fields(scene)))
    if all(f in scene.fields.inverse_functions and f in scene.fields.acyclic for f in fields):
        return scene
    universe = scene.universe(scene.coarse_cells(0), all_present=False)
    finder = solver.finder([*scene.counts(), *scene.base], universe, _SMALL)
    try:
        for field in fields:
            scene = _learnt(scene, field, universe, finder, solver)
    finally:
        finder.close()
    return scene


def _learnt(scene: Scene, field: str, universe: Universe, finder: Finder, solver: Solver) -> Scene:
    shared, around = sharing(field), exists(["v"], Closure("v", "v", "a", "b", Atom(field, ("a", "b"))))
    if field not in scene.fields.inverse_functions and not finder.shows(shared):
        everything = (*scene.counts(), *scene.base)
        local = [f for f in everything if not any(isinstance(g, Closure) for g in subformulas(f))]
        if _refuted(shared, local, universe, scene.fields, solver):
            scene = replace(scene, base=(*scene.base, neg(shared)), fields=scene.fields.with_inverse([field]))
    if field in scene.fields.acyclic or finder.shows(around):
        return scene
    if _refuted(around, [*scene.counts(), *scene.base], universe, scene.fields, solver):
        scene = replace(scene, base=(*scene.base, neg(around)), fields=_acyclic(scene.fields, field))
    return scene


def _refuted(condition: Formula, base: list[Formula], universe: Universe, fields: Fields, solver: Solver) -> bool:
    sharper = sharpened(base, universe, fields)
    return isinstance(solver.session(base, sharper, fields).check([condition], quick=True), Unsat)


def _acyclic(fields: Fields, field: str) -> Fields:
    return replace(fields, acyclic=fields.acyclic | {field})


def _closed_fields(scene: Scene) -> Iterator[str]:
    """The symbols whose closures occur."""
    for f in scene.base:
        for g in subformulas(f):
            match g:
                case Closure(_, _, a, b, Atom(symbol, args)) if {*args} == {a, b} and a != b:
                    yield symbol

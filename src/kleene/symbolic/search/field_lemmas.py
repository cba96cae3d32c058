"""Lemmas about the fields of a scene, proved first: they make reasoning about paths easier.

Paths of a field without sharing and without cycles have more axioms (`smt.closures`), and provers find the proofs of
the questions that follow much sooner. A field may be unshared because its inverse is a function too (a doubly linked
list), or acyclic because of the targets of the program's pointers. Both are ordinary queries; a lemma that a small
store refutes is not queried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kleene.logic.formula import Atom, Closure, Equal, Formula, conj, exists, neg, subformulas
from kleene.logic.transform import substitute
from kleene.smt import Solver, Unsat
from kleene.smt.closures import STEP, Fields
from kleene.smt.finder import Finder
from kleene.smt.units import sharpen_universe
from kleene.smt.universe import Universe
from kleene.symbolic.scene import Scene

_SMALL = 2


def with_field_lemmas(scene: Scene, solver: Solver) -> Scene:
    """The scene with the lemmas proved about the steps of its paths."""
    steps = list(dict.fromkeys(_steps(scene)))
    if all(_is_unshared(step, scene.fields) and _is_acyclic(step, scene.fields) for step in steps):
        return scene
    universe = scene.universe(scene.coarse_cells(0), all_present=False)
    finder = solver.finder([*scene.counts(), *scene.base], universe, _SMALL)
    try:
        for step in steps:
            scene = _learnt(scene, step, universe, finder, solver)
    finally:
        finder.close()
    return scene


def _learnt(scene: Scene, step: Formula, universe: Universe, finder: Finder, solver: Solver) -> Scene:
    shared, around = _sharing(step), exists(["v"], Closure("v", "v", *STEP, step))
    if not _is_unshared(step, scene.fields) and not finder.shows(shared):
        everything = (*scene.counts(), *scene.base)
        local = [f for f in everything if not any(isinstance(g, Closure) for g in subformulas(f))]
        if _refutes(shared, local, universe, scene.fields, solver):
            fields = replace(scene.fields, unshared_steps=scene.fields.unshared_steps | {step})
            if isinstance(step, Atom) and step.args == STEP:
                fields = fields.with_inverse([step.predicate])
            scene = replace(scene, base=(*scene.base, neg(shared)), fields=fields)
    if _is_acyclic(step, scene.fields) or finder.shows(around):
        return scene
    if _refutes(around, [*scene.counts(), *scene.base], universe, scene.fields, solver):
        fields = scene.fields
        if isinstance(step, Atom):
            fields = replace(fields, acyclic=fields.acyclic | {step.predicate})
        scene = replace(scene, base=(*scene.base, neg(around)), fields=fields)
    return scene


def _refutes(condition: Formula, base: list[Formula], universe: Universe, fields: Fields, solver: Solver) -> bool:
    sharper = sharpen_universe(base, universe, fields)
    return isinstance(solver.session(base, sharper, fields).check([condition], quick=True), Unsat)


def _sharing(step: Formula) -> Formula:
    """The steps lead from two individuals to one."""
    first, second = substitute(step, {STEP[0]: "v1", STEP[1]: "v"}), substitute(step, {STEP[0]: "v2", STEP[1]: "v"})
    return exists(["v", "v1", "v2"], conj(first, second, neg(Equal("v1", "v2"))))


def _is_unshared(step: Formula, fields: Fields) -> bool:
    known = isinstance(step, Atom) and step.args == STEP and step.predicate in fields.inverse_functions
    return known or step in fields.unshared_steps


def _is_acyclic(step: Formula, fields: Fields) -> bool:
    return isinstance(step, Atom) and step.predicate in fields.acyclic


def _steps(scene: Scene) -> Iterator[Formula]:
    """The steps of the closures that occur, over the variables of `STEP`; those with parameters are left out."""
    for f in scene.base:
        for g in subformulas(f):
            if isinstance(g, Closure) and {*g.body.free} == {g.sub_left, g.sub_right}:
                yield substitute(g.body, {g.sub_left: STEP[0], g.sub_right: STEP[1]})

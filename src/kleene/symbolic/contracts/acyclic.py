"""Whether a contract of a C function excludes cycles of fields: only then an analysis may assume it.

Either the contract states it, or focus and coerce find no allowed heap with a cycle. The vocabulary is that of the
contract, which assumes no acyclicity.
"""

from __future__ import annotations

from functools import cache

from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import TRUE, Atom, Forall, Formula, Not, conj, disj, forall, neg, predicates_of
from kleene.logic.kleene import Kleene
from kleene.logic.normal_forms import conjuncts
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.contracts.specifications import RESULT, Specification
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.symbolic.assume import top
from kleene.symbolic.contracts.calls_by_rules import CallByRules, formula_rules, sharpen_draft
from kleene.symbolic.contracts.closure_rules import closure_rules
from kleene.symbolic.contracts.specifications import Call
from kleene.symbolic.theory import Theory
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft
from kleene.transformers.rules import all_rules


@cache
def may_be_cyclic(specification: Specification, fields: tuple[str, ...], *, begins: bool) -> bool:
    """Whether fields may form a cycle when the body begins, or after a call."""
    words = specification.words
    clause = specification.requires if begins else specification.ensures
    if any(_says_acyclic(part, specification, fields) for part in conjuncts(clause)):
        return False
    if fields not in words.sets:
        return True
    goal = forall(["v"], Not(Atom(words.predicate_of("cycle", fields), ("v",))))
    required = conj(specification.requires, specification.reached)
    vocabulary = _relevant(specification, conj(goal, required))
    if begins:
        return bool(_structures(conj(required, neg(goal)), vocabulary))
    if may_be_cyclic(specification, fields, begins=True):  # then it is not worth the effort
        return True
    before = conj(required, forall(["v"], Not(Atom(RESULT, ("v",)))) if specification.returns else TRUE)
    call = CallByRules(_call(specification), vocabulary, ())
    after = [s for given in _structures(before, vocabulary) for s in call.post(given)]
    return any(evaluate(s, goal) is not Kleene.TRUE and _structures(neg(goal), vocabulary, s) for s in after)


def _relevant(specification: Specification, formula: Formula) -> Vocabulary:
    """The relevant predicates: pointers, fields, and the predicates in formulas."""
    every = specification.words.vocabulary
    spoken = predicates_of(conj(formula, specification.ensures)) | predicates_of(specification.frees)
    wanted = {p.name for p in every.declared if p.definition is None or {p.name, old(p.name)} & spoken}
    while True:
        needed = {n for name in wanted for n in predicates_of(every[name].definition or TRUE)}
        if needed <= wanted:
            return Vocabulary(tuple(p for p in every.declared if p.name in wanted))
        wanted |= needed


def _says_acyclic(part: Formula, specification: Specification, fields: tuple[str, ...]) -> bool:
    """``A(v) !c[fields](v)``."""
    match part:
        case Forall(v, Not(Atom(name, (w,)))) if v == w and name in specification.words.meanings:
            meaning = specification.words.meanings[name]
            return meaning.kind == "cycle" and set(fields) <= set(meaning.fields)
    return False


def _call(specification: Specification) -> Call:
    """The contract over its own vocabulary; on new blocks every field may be anything."""
    fields = specification.words.fields
    creates = specification.allocates
    kept = [
        forall(["v"], disj(Atom(NEW, ("v",)), Atom(same(f), ("v",))))
        for f in fields
        if creates and f not in specification.modifies
    ]
    changed = {f for f in fields if creates or f in specification.modifies}
    changed |= {RESULT} if specification.returns else set()
    ensures = conj(specification.ensures, *kept)
    return Call(str(specification), TRUE, ensures, frozenset(changed), creates, specification.frees)


def _structures(formula: Formula, vocabulary: Vocabulary, start: Structure | None = None) -> list[Structure]:
    """Structures that stand for all heaps (of one structure) in which a formula holds."""
    given = [*closure_rules(vocabulary), *formula_rules(formula, "contract")]
    coercer = Coercer(vocabulary, all_rules(vocabulary, given))
    first = top(Theory(vocabulary, ())) if start is None else start
    unary = [p for p in vocabulary.declared if p.arity < 2]
    drafts = sharpen_draft(Draft.of(first, coercer.all), coercer, unary)
    structures = [draft.structure(first) for draft in drafts]
    return [s for s in structures if evaluate(s, formula) is not Kleene.FALSE]

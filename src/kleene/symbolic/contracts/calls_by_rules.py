"""A call by its specification with focus and coerce: sound, without a solver, not most precise.

The structure gets a second vocabulary for the state before the call (YRS04, section 4). Predicates that the call
may change become 1/2, and individuals that it may free become maybe-active. The postcondition and the definitions are
rules; coerce sharpens by them, and focus makes the abstraction predicates definite again. Only the state after is
kept.

Two lemmas keep facts about closures. First, the nodes reachable from a variable along a field stay reachable if the
call changes neither the variable nor the field of a reachable node (as in `reachability`). Second, a field that was
unchanged since some earlier state is still unchanged if the call does not modify it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from kleene.logic.earlier import NEW, name_in_old, name_in_same, old, same
from kleene.logic.formula import (
    FALSE,
    TRUE,
    Atom,
    Closure,
    Equal,
    Formula,
    Iff,
    Not,
    conj,
    disj,
    exists,
    forall,
    neg,
    predicates_of,
    subformulas,
)
from kleene.logic.kleene import Kleene
from kleene.logic.normal_forms import TooManyClauses, conjuncts, prenex_dnf
from kleene.logic.roles import Role, RoleKind
from kleene.logic.transform import bound_variables, replace_atoms
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.edit import with_new_nodes
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.layout import layout_for
from kleene.structures.structure import AC, AC_MAY, SM, SM_MUST, Structure
from kleene.symbolic.contracts.closure_rules import closure_rules, reach_of
from kleene.symbolic.contracts.specifications import Call, is_field
from kleene.symbolic.timeline.action_step import affected_predicates
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft
from kleene.transformers.focus import Focuser, FocusOptions
from kleene.transformers.rules import all_rules

MOST_CASES = 400
"""Number of structures after focus on a predicate at which the remaining predicates are not focused."""


def before(name: str) -> str:
    """The name of a predicate's value before this call (`old` may be that of the procedure that calls)."""
    return f"before[{name}]"


class CallByRules:
    """The effect of a call, over one vocabulary with its rules."""

    def __init__(self, call: Call, vocabulary: Vocabulary, rules: Sequence[Rule]) -> None:
        self.call = call
        self.vocabulary = vocabulary
        core = {p.name for p in vocabulary.declared if p.definition is None}
        self.changed = set(call.modifies) & core
        self.derived = affected_predicates(vocabulary, self.changed, everything=call.changes_universe)
        self.indefinite = self.changed | self.derived
        self.both = vocabulary.extend(self._second_vocabulary())
        known = [*rules, *self._closure_rules()]
        given = [*known, *formula_rules(self.ensures, f"ensures of {call}"), *self._lemmas()]
        self.coercer = Coercer(self.both, all_rules(self.both, given))
        self.canonicalizer = Canonicalizer(vocabulary)

    def _closure_rules(self) -> list[Rule]:
        return closure_rules(self.vocabulary)

    # The two moments ----------------------------------------------------------------------------------------------

    def _second_vocabulary(self) -> list[Predicate]:
        vocabulary = self.vocabulary
        wanted = {p.name for p in vocabulary.declared if old(p.name) in predicates_of(self.call.ensures)}
        fields = [p for p in vocabulary.declared if p.name in self.changed and is_field(p)]
        wanted |= {p.name for p in fields} | {r for r, _ in self._reach} | set(self._local) | set(self._incoming)
        wanted |= {same(p.name) for p in fields} & {p.name for p in vocabulary}
        recorded = [
            Predicate(before(p.name), p.arity, p.args, lasting_properties(p), role=Role(RoleKind.BEFORE, p.name))
            for p in vocabulary.declared
            if p.name in wanted
        ]
        kept = [
            Predicate(
                self._same_before(p.name),
                1,
                p.args[:1],
                definition=forall(p.args[1:], self._as_before(p)),
                role=Role(RoleKind.SAME_AS_BEFORE, p.name),
            )
            for p in fields
        ]
        reach = [name for name, _ in self._reach] if self.call.frees is not FALSE else []
        touched = [Predicate(_may_be_freed(name), 0, role=Role(RoleKind.TOUCHED, name)) for name in reach]
        fresh = [Predicate(before(NEW), 1, ("v",))] if self.call.allocates else []
        return [*recorded, *kept, *touched, *fresh]

    def _same_before(self, field: str) -> str:
        return same(before(field))

    def _as_before(self, p: Predicate) -> Formula:
        return disj(self._fresh(p, p.args[1]), Iff(Atom(p.name, p.args), Atom(before(p.name), p.args)))

    def _fresh(self, p: Predicate, variable: str) -> Formula:
        """New individuals do not count in relations that are no functions."""
        return Atom(before(NEW), (variable,)) if self.call.allocates and not p.has("function") else FALSE

    @cached_property
    def _reach(self) -> list[tuple[str, str]]:
        """The predicates 'reachable from a variable along a field' whose variable does not change, with the field.

        A field that is defined by others has no record of where it is as before.
        """
        result = []
        for p in self.vocabulary.declared:
            reach = reach_of(p, self.vocabulary) if p.name in self.derived else None
            if reach is not None and reach.variable not in self.indefinite and reach.field not in self.derived:
                result.append((reach.name, reach.field))
        return result

    @cached_property
    def ensures(self) -> Formula:
        """The postcondition over both moments."""

        def then(atom: Atom) -> Formula:
            name = atom.predicate
            if (earlier := name_in_old(name)) is not None:
                return Atom(before(earlier), atom.args)
            if (field := name_in_same(name)) is not None:
                return Atom(self._same_before(field), atom.args) if field in self.changed else TRUE
            if name == NEW:
                return Atom(before(NEW), atom.args) if self.call.allocates else FALSE
            return atom

        return replace_atoms(self.call.ensures, then)

    def _lemmas(self) -> list[Rule]:
        rules = []
        for p in self.vocabulary.declared:
            if p.name in self.changed and is_field(p):
                rules += same_rules(self._same_before(p.name), p.name, before(p.name), self._fresh(p, "w"))
                since = same(p.name)
                if since in self.vocabulary:
                    here, was = (
                        conj(Atom(self._same_before(p.name), ("v",)), self._was_there),
                        Atom(before(since), ("v",)),
                    )
                    origin = f"{since} is as before"
                    rules.append(Rule(conj(here, was), Atom(since, ("v",)), origin))
                    if self.call.frees is FALSE:  # the different individual may be freed
                        rules.append(Rule(conj(here, neg(was)), neg(Atom(since, ("v",))), origin))
        for name, field in self._reach:
            rules += self._reach_lemma(name, field)
        for name, field in self._local.items():
            if not self.call.changes_universe:
                rules += self._unchanged_if(name, Atom(self._same_before(field), ("v",)))
        for name, field in self._incoming.items():
            rules += self._incoming_lemma(name, field)
        return rules

    def _unchanged_if(self, name: str, intact: Formula) -> list[Rule]:
        """A unary predicate is as before on the individuals where a formula holds."""
        was, here = Atom(before(name), ("v",)), Atom(name, ("v",))
        origin = f"nothing that {name} is about has changed"
        return [Rule(conj(intact, was), here, origin), Rule(conj(intact, neg(was)), neg(here), origin)]

    def _incoming_lemma(self, name: str, field: str) -> list[Rule]:
        """All that points to v is as before: a predicate about pointers to v that was 0 still is, and vice versa."""
        was, here = Atom(before(name), ("v",)), Atom(name, ("v",))
        kept = Atom(self._same_before(field), ("a",))
        now = forall(["a"], disj(neg(Atom(field, ("a", "v"))), kept))
        then = forall(["a"], disj(neg(Atom(before(field), ("a", "v"))), kept))
        origin = f"nothing that {name} is about has changed"
        rules = [Rule(conj(now, self._was_there, neg(was)), neg(here), origin)]
        return rules if self.call.frees is not FALSE else [*rules, Rule(conj(then, was), here, origin)]

    @property
    def _was_there(self) -> Formula:
        """v is no new individual, on which a recorded value of 0 means nothing."""
        return neg(Atom(before(NEW), ("v",))) if self.call.allocates else TRUE

    @cached_property
    def _local(self) -> dict[str, str]:
        """The predicates of v that depend only on one field of v itself; maps them to the field."""
        return self._looking_at(lambda args, v: args[0] == v)

    @cached_property
    def _incoming(self) -> dict[str, str]:
        """The predicates of v that depend only on pointers to v in one field; maps them to the field."""
        fields = self._looking_at(lambda args, v: args[1] == v and args[0] != v)
        return {name: field for name, field in fields.items() if _positive(self.vocabulary[name].definition, field)}

    def _looking_at(self, fits: Callable[[tuple[str, ...], str], bool]) -> dict[str, str]:
        fields_by_predicate = {}
        for p in self.vocabulary.declared:
            if p.arity == 1 and p.name in self.derived and p.definition is not None:
                atoms = [a for a in subformulas(p.definition) if isinstance(a, Atom) and a.predicate in self.indefinite]
                fields = {a.predicate for a in atoms}
                simple = len(fields) == 1 and fields <= self.changed and all(len(a.args) == 2 for a in atoms)
                unbound = p.args[0] not in bound_variables(p.definition)
                closed = any(isinstance(f, Closure) for f in subformulas(p.definition))
                if simple and unbound and not closed and all(fits(a.args, p.args[0]) for a in atoms):
                    fields_by_predicate[p.name] = fields.pop()
        return fields_by_predicate

    def _reach_lemma(self, name: str, field: str) -> list[Rule]:
        was = before(name)
        intact: Formula = TRUE
        if field in self.changed:
            intact = forall(["c"], disj(neg(Atom(was, ("c",))), Atom(self._same_before(field), ("c",))))
        if self.call.frees is not FALSE:
            intact = conj(intact, neg(Atom(_may_be_freed(name), ())))
        return self._unchanged_if(name, intact)

    # Structures ---------------------------------------------------------------------------------------------------

    def post(self, structure: Structure) -> list[Structure]:
        """Canonical structures that represent every store to which the call can lead."""
        drafts = sharpen_draft(Draft(*self._after(structure), self.coercer.all), self.coercer, self._focus())
        results: dict[Structure, None] = {}
        for draft in drafts:
            current = Structure(self.both, draft.size, tuple(draft.values))
            if evaluate(current, self.ensures) is not Kleene.FALSE:
                values = list(draft.values[: 2 * len(self.vocabulary)])
                values, size, _ = self.canonicalizer.blur(values, draft.size)
                results[Structure(self.vocabulary, size, tuple(values))] = None
        return list(results)

    def _focus(self) -> list[Predicate]:
        return [p for p in self.vocabulary.declared if p.abstraction and p.arity < 2 and p.name in self.indefinite]

    def _after(self, structure: Structure) -> tuple[list[int], int]:
        """The structure in both vocabularies: the known values before, and only the unchangeable values after."""
        size = structure.size
        values = [*structure.values, *[0] * (2 * (len(self.both) - len(self.vocabulary)))]
        for p in self.both.predicates[len(self.vocabulary) :]:
            place = 2 * self.both.index(p.name)
            if p.role is not None and p.is_a(RoleKind.BEFORE) and p.role.of != NEW:
                original = 2 * self.vocabulary.index(p.role.of)
                values[place : place + 2] = values[original : original + 2]
            elif p.role is not None and p.is_a(RoleKind.TOUCHED):
                hit = evaluate(structure, exists(["v"], conj(Atom(p.role.of, ("v",)), self.call.frees)))
                values[place : place + 2] = [int(hit is Kleene.TRUE), int(hit is not Kleene.FALSE)]
        if self.call.frees is not FALSE:
            _, may = rails(structure, self.call.frees, ("v",))
            values[AC] &= ~may
            values[SM_MUST] &= ~may
        if self.call.allocates:
            values, size = self._with_new(values, size)
        layout = layout_for(size)
        defined = {p.name for p in self.both.predicates[len(self.vocabulary) :] if p.definition is not None}
        for p in self.both:
            if p.name in self.indefinite or p.name in defined:
                place = 2 * self.both.index(p.name)
                values[place], values[place + 1] = 0, layout.full(size, p.arity)
        return values, size

    def _with_new(self, values: list[int], size: int) -> tuple[list[int], int]:
        """One more node, which stands for any number of new individuals."""
        values = with_new_nodes(values, size, tuple(p.arity for p in self.both), 1)
        bit = 1 << size
        values[AC_MAY] |= bit
        values[SM] |= bit
        for name in (NEW, before(NEW)):
            if name in self.both:
                place = 2 * self.both.index(name)
                values[place] |= bit
                values[place + 1] |= bit
        layout = layout_for(size + 1)
        for p in self.vocabulary.declared:
            if is_field(p) and not p.has("function") and name_in_old(p.name) is None:
                place = 2 * self.both.index(p.name)
                for pair in [*((u, size) for u in range(size + 1)), *((size, u) for u in range(size))]:
                    values[place + 1] |= 1 << layout.bit(pair)
        return values, size + 1


def sharpen_draft(draft: Draft, coercer: Coercer, predicates: Sequence[Predicate]) -> list[Draft]:
    """The same stores, coerced, with definite values of the predicates as far as that is not too much.

    After each predicate, individuals that agree on all unary predicates are one node again.
    """
    focuser = Focuser(coercer.vocabulary, coercer, FocusOptions(coerce_cases=True))
    unary = [replace(p, abstraction=p.arity == 1) for p in coercer.vocabulary.declared]
    blur = Canonicalizer(Vocabulary().extend(unary)).blur
    if not coercer.sharpen(draft.values, draft.size, coercer.all):
        return []
    drafts = [draft]
    for p in sorted(predicates, key=lambda p: (p.arity, not p.has("unique"), p.definition is not None)):
        by_value: dict[tuple[int, tuple[int, ...]], Draft] = {}
        for given in drafts:
            given.dirty = 0
            cases = focuser.focus_draft(given, Atom(p.name, p.args)) if len(by_value) < MOST_CASES else [given]
            for case in cases:
                if not case.dirty or coercer.sharpen(case.values, case.size, case.dirty):
                    values, size, _ = blur(case.values, case.size)
                    by_value[size, tuple(values)] = Draft(values, size, 0)
        drafts = list(by_value.values())
    return drafts


def formula_rules(formula: Formula, origin: str) -> list[Rule]:
    """A closed formula as consistency rules: one that refutes for each conjunct, and those of its clauses (5.2)."""
    rules = []
    for part in conjuncts(formula):
        if part is TRUE:
            continue
        rules.append(Rule(neg(part), FALSE, origin))
        try:
            form = prenex_dnf(neg(part))
        except TooManyClauses:  # the others only make more precise
            continue
        if all(kind == "E" for kind, _ in form.quantifiers):
            for clause in form.clauses:
                rules += _refutations(clause, origin)
    return rules


def _refutations(clause: Sequence[Formula], origin: str) -> list[Rule]:
    """Not all literals of a clause hold: each is refuted by the others."""
    rules = []
    for literal in clause:
        atom = literal.body if isinstance(literal, Not) else literal
        if isinstance(atom, Atom) or (isinstance(literal, Not) and isinstance(atom, Equal)):
            head = neg(literal)
            body = conj(*(other for other in clause if other is not literal))
            hidden = [v for v in body.free if v not in head.free]
            rules.append(Rule(exists(hidden, body), head, origin))
    return rules


def same_rules(kept: str, field: str, was: str, fresh: Formula = FALSE) -> list[Rule]:
    """The rules of 'the field of v is unchanged' for the two values of the field, if w is not fresh."""
    mark, now, then = conj(Atom(kept, ("v",)), neg(fresh)), Atom(field, ("v", "w")), Atom(was, ("v", "w"))
    origin = f"definition of {kept}"
    pairs = ((now, then), (then, now), (neg(now), neg(then)), (neg(then), neg(now)))
    rules = [Rule(conj(mark, one), other, origin) for one, other in pairs]
    differs = disj(conj(now, neg(then)), conj(neg(now), then))
    return [*rules, Rule(exists(["w"], conj(neg(fresh), differs)), Not(Atom(kept, ("v",))), origin)]


def _positive(definition: Formula | None, field: str) -> bool:
    """Whether a formula is existential, and only positive in a field."""
    try:
        form = prenex_dnf(definition or FALSE)
    except TooManyClauses:
        return False
    literals = [literal for clause in form.clauses for literal in clause]
    negative = [x.body for x in literals if isinstance(x, Not)]
    return all(kind == "E" for kind, _ in form.quantifiers) and not any(
        isinstance(a, Atom) and a.predicate == field for a in negative
    )


def lasting_properties(predicate: Predicate) -> frozenset[str]:
    """The properties that a recorded predicate keeps when individuals come and go: on new ones it is 0."""
    return predicate.properties - {"reflexive"}


def _may_be_freed(name: str) -> str:
    """The name of the predicate 'an individual with this property before may be freed'."""
    return f"touched[{name}]"

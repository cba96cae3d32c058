"""`kleene contracts`: each body of a contracts file once against its specification, calls by specification alone.

Assume-guarantee reasoning of YRS04, section 1.1, for bodies with loops: the precondition is assumed on entry, the
analysis of section 3.2 of the thesis runs on the body, and the postcondition is checked on the structures at the exits.
The values at entry are separate core predicates, ``old[q]`` (section 4). The instrumentation predicate ``same[f]``
records where f has not changed since; it relates the results of a body to its inputs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from kleene.analysis.limits import Watchdog
from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import FALSE, TRUE, Atom, Formula, conj, disj, exists, forall, neg, predicates_of
from kleene.logic.kleene import Kleene
from kleene.logic.normal_forms import conjuncts
from kleene.logic.transform import replace_atoms, substitute
from kleene.logic.vocabulary import Predicate
from kleene.report.contracts_report import BodyResult, BodyViolation
from kleene.smt import Limits
from kleene.structures.canonical import Canonicalizer
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.symbolic.assume import top
from kleene.symbolic.best import broken_requires
from kleene.symbolic.contracts.calls_by_rules import (
    CallByRules,
    formula_rules,
    lasting_properties,
    same_rules,
    sharpen_draft,
)
from kleene.symbolic.contracts.closure_rules import closure_rules
from kleene.symbolic.contracts.procedure_vocabulary import Scope, own_contract, scope_of
from kleene.symbolic.contracts.same_updates import same_updates
from kleene.symbolic.contracts.specifications import Call, Contracts, as_before, is_field, same_predicate
from kleene.symbolic.result import SymbolicOptions
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action, Message, Rule, Update
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.draft import Draft
from kleene.transformers.rules import all_rules
from kleene.tvp.program import Program


def verify_contracts(
    program: Program, contracts: Contracts, *, timeout: float | None = None, only: Sequence[str] = ()
) -> list[BodyResult]:
    """Check every body (or those named) once; procedures without one are assumed."""
    results = []
    for procedure in contracts.procedures.values():
        name = f"{procedure.name}({', '.join(procedure.parameters)})"
        if only and procedure.name not in only:
            continue
        if not procedure.body:
            if procedure.sets:
                own_contract(procedure, program)
            results.append(BodyResult(name))
            continue
        start = time.perf_counter()
        scope = scope_of(procedure, program, contracts)
        result = _Body(scope).check(timeout)
        result.name, result.seconds = name, time.perf_counter() - start
        results.append(result)
    return results


class _Body:
    """One body over its vocabulary with the values at entry."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.call = scope, scope.call
        self.plain = scope.program.vocabulary
        changed = _changed_predicates(scope)
        allowed = {*self.call.modifies, *_own(scope)}
        self.unmodified = [p for p in self.plain.declared if p.name in changed - allowed]
        self.frees = replace_atoms(self.call.frees, lambda a: Atom(old(a.predicate), a.args))
        self.may_create = any(a.creates for a in scope.actions) or any(c.allocates for c in scope.calls)
        self.vocabulary = self.plain.extend(self._more())
        self.rules = [*scope.program.rules, *closure_rules(self.plain), *self._same_rules()]
        self.ensures = self._ensures()

    # The vocabulary -----------------------------------------------------------------------------------------------

    def _recorded_predicates(self) -> list[Predicate]:
        """The predicates whose values at entry are kept."""
        used = predicates_of(self.call.ensures) | predicates_of(self.frees)
        names = {p.name for p in self.unmodified}
        return [
            p
            for p in self.plain.declared
            if p.name in names or old(p.name) in used or (is_field(p) and same(p.name) in used)
        ]

    def _more(self) -> list[Predicate]:
        recorded = self._recorded_predicates()
        before = [
            Predicate(old(p.name), p.arity, p.args, lasting_properties(p), abstraction=p.abstraction or p.arity == 1)
            for p in recorded
        ]
        creates = self._speaks_of_new()
        kept = [same_predicate(p, creates=creates) for p in recorded if is_field(p)]
        new = [Predicate(NEW, 1, ("v",), abstraction=True)] if creates else []
        return [*before, *new, *kept]

    def _speaks_of_new(self) -> bool:
        return self.may_create or NEW in predicates_of(self.call.ensures)

    def _same_rules(self) -> list[Rule]:
        rules = []
        for p in self._recorded_predicates():
            if is_field(p):
                rules += same_rules(same(p.name), p.name, old(p.name), self._fresh(p, "w"))
        return rules

    def _fresh(self, p: Predicate, variable: str) -> Formula:
        """A relation that is no function may be anything at new individuals."""
        return Atom(NEW, (variable,)) if self._speaks_of_new() and not p.has("function") else FALSE

    def _ensures(self) -> list[tuple[str, Formula]]:
        """The formulas that must hold at the exits, each with a text."""
        wanted = [(f"ensures {part}", part) for part in conjuncts(self.call.ensures) if part is not TRUE]
        wanted += [(f"modifies does not list {p.name}", self._frame_formula(p)) for p in self.unmodified]
        if self._speaks_of_new() and not self.call.allocates:
            nothing_new = forall(["v"], neg(Atom(NEW, ("v",))))
            wanted.append(("individuals are created, and there is no 'allocates'", nothing_new))
        return wanted

    def _frame_formula(self, p: Predicate) -> Formula:
        """As it was; a relation that is no function may be anything at new individuals."""
        if is_field(p):
            v = p.args[0]
            return forall([v], disj(self._fresh(p, v), Atom(same(p.name), (v,))))
        return forall(p.args, as_before(p))

    # The program --------------------------------------------------------------------------------------------------

    def cfa(self) -> tuple[Cfa[Action], dict[Action, Call]]:
        edges, calls = [], {}
        for edge, label in zip(self.scope.procedure.body, self.scope.labels, strict=True):
            if isinstance(label, Call):
                action = Action(str(label), position=edge.position)
                calls[action] = label
            else:
                action = derive(self._with_new(label), self.vocabulary).action
            edges.append(Edge(edge.source, action, edge.target))
        return Cfa(self.scope.procedure.body[0].source, tuple(edges)), calls

    def _with_new(self, action: Action) -> Action:
        """The action with its update of `new`, and with a message if it removes an individual without permission."""
        updates, messages = action.updates, action.messages
        if action.creates:
            grown = disj(Atom(NEW, ("v",)), Atom("isNew", ("v",)))
            updates = (*updates, Update(NEW, ("v",), grown), *same_updates(action, self._recorded_predicates()))
        if action.retain is not None:
            chosen = action.precondition.free if action.precondition is not None else ()
            (variable,) = (v for v in action.retain.free if v not in chosen)
            bad = conj(neg(action.retain), neg(self.may_go(variable)))
            text = f"an individual is removed that 'frees {self.call.frees}' does not permit"
            messages = (*messages, Message(exists([variable], bad), text))
        return replace(action, updates=updates, messages=messages)

    def may_go(self, variable: str) -> Formula:
        """The individual may be removed: it is new, or `frees` holds of it at entry."""
        new = Atom(NEW, (variable,)) if NEW in self.vocabulary else FALSE
        frees = substitute(self.frees, {"v": variable}) if variable != "v" else self.frees
        return disj(new, frees)

    def entry(self) -> list[Structure]:
        """The structures with which the body begins: the precondition holds, local variables are 0."""
        empty = [
            forall(p.args, neg(Atom(p.name, p.args)))
            for name in self.scope.procedure.locals
            for p in [self.plain[name]]
        ]
        begin = conj(self.call.requires, *empty)
        rules = self.scope.program.rules
        more = [*closure_rules(self.plain), *formula_rules(begin, "requires")]
        coercer = Coercer(self.plain, all_rules(self.plain, [*rules, *more]))
        given = top(Theory(self.plain, rules))
        predicates = [p for p in self.plain.declared if p.abstraction and p.arity < 2]
        drafts = sharpen_draft(Draft.of(given, coercer.all), coercer, predicates)
        blur = Canonicalizer(self.plain).blur
        structures: dict[Structure, None] = {}
        for draft in drafts:
            if evaluate(draft.structure(given), begin) is not Kleene.FALSE:
                values, size, _ = blur(list(draft.values), draft.size)
                structures[Structure(self.plain, size, tuple(values))] = None
        return [self._recording(s) for s in structures]

    def _recording(self, structure: Structure) -> Structure:
        """The same structure, which knows the values at entry."""
        values = [*structure.values, *[0] * (2 * (len(self.vocabulary) - len(self.plain)))]
        for p in self.plain.declared:
            source = 2 * self.plain.index(p.name)
            if old(p.name) in self.vocabulary:
                place = 2 * self.vocabulary.index(old(p.name))
                values[place : place + 2] = values[source : source + 2]
            if same(p.name) in self.vocabulary:
                place = 2 * self.vocabulary.index(same(p.name))
                values[place] = values[place + 1] = (1 << structure.size) - 1
        return Structure(self.vocabulary, structure.size, tuple(values))

    # The analysis -------------------------------------------------------------------------------------------------

    def check(self, timeout: float | None) -> BodyResult:
        result = BodyResult("")
        cfa, calls = self.cfa()
        domain = _CallDomain(self, calls, result)
        try:
            with Watchdog(timeout, None) as watchdog:
                given = self.entry()
                reached = solve(cfa, domain, given, Schedule(), check_limits=lambda _: watchdog.check())
                if reached.complete:
                    self._exits(cfa, reached, domain)
                else:
                    result.reasons[reached.reason or "incomplete"] = None
                result.entry = len(given)
                result.structures = sum(len(store.elements()) for store in reached.stores.values())
                if not given:
                    result.reasons["no store satisfies 'requires'"] = None
        except LimitReached as limit:
            result.reasons[str(limit)] = None
        for entry in domain.log:
            result.add(BodyViolation(entry.location, f"{entry.action}: {entry.text}", tuple(entry.structures)))
        for action, (edge, _) in domain.contradictions.items():
            result.reasons[f"the update of '{action}' ({edge.source} -> {edge.target}) contradicts a rule"] = None
        result.settle()
        return result

    def _exits(self, cfa: Cfa[Action], reached: Reached[Structure], domain: _CallDomain) -> None:
        """The postcondition on everything that arrives where no edge leaves."""
        exits = [name for name in cfa.locations if not cfa.leaving(name)]
        if not exits:
            domain.result.reasons["the body has no exit"] = None
        for name in exits:
            for text, wanted in self.ensures:
                domain.require(name, wanted, text, reached.stores[name].elements())


class _CallDomain(ShapeDomain):
    """The shape domain with calls by specification; violations are logged."""

    def __init__(self, body: _Body, calls: dict[Action, Call], result: BodyResult) -> None:
        rules = all_rules(body.vocabulary, body.rules)
        super().__init__(body.vocabulary, rules, ShapeOptions())
        self.body, self.calls, self.result = body, calls, result
        self.theory = Theory(body.vocabulary, tuple(body.scope.program.rules))
        self.solving = SymbolicOptions(limits=Limits(query_seconds=2.0, total_seconds=4.0))
        self._by_rules: dict[Action, CallByRules] = {}
        self._settled: set[tuple[str, str]] = set()

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> Sequence[Structure]:
        call = self.calls.get(edge.label)
        if call is None:
            return super().post(edge, elements)
        if edge.label not in self._by_rules:
            self._by_rules[edge.label] = CallByRules(call, self.vocabulary, self.body.rules)
        for part in conjuncts(call.requires):
            self._require(edge, part, f"requires {part}", elements)
        if call.frees is not FALSE:
            kept = forall(["v"], disj(neg(call.frees), self.body.may_go("v")))
            self._require(edge, kept, f"'frees {self.body.call.frees}' permits what the call may remove", elements)
        return list(dict.fromkeys(s for element in elements for s in self._by_rules[edge.label].post(element)))

    def _require(self, edge: Edge[Action], wanted: Formula, text: str, elements: Sequence[Structure]) -> None:
        self.require(edge.source, wanted, f"{edge.label}: {text}", elements)

    def require(self, location: str, wanted: Formula, text: str, elements: Sequence[Structure]) -> None:
        """Report structures, or stores of them, on which a closed formula fails; a few are enough.

        Three-valued evaluation decides most; where it does not, a solver looks for a store that breaks the formula.
        """
        if (location, text) in self._settled:
            return
        values = [(evaluate(element, wanted), element) for element in elements]
        certain = [element for value, element in values if value is Kleene.FALSE]
        if certain:
            self.result.add(BodyViolation(location, text, tuple(certain)))
            return
        for element in (e for value, e in values if value is Kleene.UNKNOWN):
            check = Call(text, wanted, TRUE, frozenset())
            breach = broken_requires(check, [], [element], self.theory, self.solving)
            if breach.stores:
                self.result.add(BodyViolation(location, text, breach.stores))
            elif breach.reason is not None:
                self.result.add(BodyViolation(location, text, (element,), breach.reason))
            else:
                continue
            self._settled.add((location, text))
            return


def _changed_predicates(scope: Scope) -> set[str]:
    """The core predicates that an action or a call of the body may change."""
    vocabulary = scope.program.vocabulary
    updated = {
        u.predicate
        for action in scope.actions
        for u in action.updates
        if vocabulary[u.predicate].definition is None and u.formula is not Atom(u.predicate, u.args)
    }
    return updated | {name for call in scope.calls for name in call.modifies}


def _own(scope: Scope) -> set[str]:
    """The local variables of a body."""
    return {name for name in scope.procedure.locals if name in scope.program.vocabulary}

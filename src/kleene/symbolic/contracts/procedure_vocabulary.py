"""The body of a procedure over a vocabulary of its own: its parameters and local variables, not those of its callers.

A procedure's ``%s`` clauses give the program's sets other members, so that all declarations and actions are about the
procedure's own variables. What its callers have besides is not there; a body is refused if one of its actions would
read or change it (`_check_hidden`), and a call if the caller's predicates are not those of the body under the names of
the arguments (`check_call`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kleene.diagnostics import InputError, UsageError, did_you_mean
from kleene.logic.formula import Atom, Formula, predicates_of
from kleene.logic.transform import alpha_equal, replace_atoms
from kleene.logic.vocabulary import Predicate
from kleene.symbolic.contracts.specifications import BodyEdge, Call, Contracts, Procedure
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action
from kleene.tvp.expand import Expansion, expand
from kleene.tvp.program import Program
from kleene.tvp.scope import Report, in_source_order
from kleene.tvp.syntax import EdgeSyntax, Name, SetDeclaration, SetLiteral

_RESERVED = re.compile(r"(?:old|same|before|touched)\[.*\]\Z|new\Z")
_OTHER = "caller$"
"""A variable of the caller, which a body must not see."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Scope:
    """A procedure, the program with its variables, its contract, and the actions of its edges."""

    procedure: Procedure
    program: Program
    call: Call
    labels: tuple[Action | Call, ...]

    @property
    def actions(self) -> list[Action]:
        return [label for label in self.labels if isinstance(label, Action)]

    @property
    def calls(self) -> list[Call]:
        return [label for label in self.labels if isinstance(label, Call)]


def own_contract(procedure: Procedure, program: Program) -> Call:
    """The contract over the procedure's own parameters; `InputError` where it does not fit the program."""
    own = _variant(program, procedure.sets, ())
    for name in (*procedure.parameters, *procedure.locals):
        if name not in own.vocabulary:
            raise InputError(
                f"'{name}' is not declared: make it a member of a set of the program, %s SET {{{name}, ...}}",
                procedure.position,
            )
    return procedure.call(procedure.parameters, own)


def scope_of(procedure: Procedure, program: Program, contracts: Contracts) -> Scope:
    """The procedure's own program and contract; `InputError` or `UsageError` where something does not fit."""
    _check_names(procedure, program, contracts)
    own_contract(procedure, program)
    edges = [e for e in procedure.body if e.name not in contracts.procedures]
    own = _variant(program, procedure.sets, edges)
    actions = iter(e.label for e in own.cfa.edges)
    labels: list[Action | Call] = []
    for edge in procedure.body:
        if edge.name in contracts.procedures:
            labels.append(_call(edge, own, program, contracts))
        else:
            action = next(actions)
            if action.clone is not None:
                raise InputError(
                    f"'{edge.name}' copies individuals with their values at entry, which a body must not do",
                    edge.position,
                )
            labels.append(action)
    if procedure.sets:
        _check_hidden(procedure, program, own, edges)
    return Scope(procedure, own, procedure.call(procedure.parameters, own), tuple(labels))


def _check_names(procedure: Procedure, program: Program, contracts: Contracts) -> None:
    actions = {a.name for a in program.syntax.actions}
    for edge in procedure.body:
        if edge.name in contracts.procedures and edge.name in actions:
            raise InputError(f"'{edge.name}' is an action and a procedure", edge.position)
        if edge.name not in contracts.procedures and edge.name not in actions:
            hint = did_you_mean(edge.name, [*actions, *contracts.procedures])
            raise InputError(f"'{edge.name}' is neither an action nor a procedure{hint}", edge.position)
    for p in program.vocabulary.declared:
        if _RESERVED.match(p.name):
            raise UsageError(f"the program declares '{p.name}', which has a meaning of its own in contracts")


def _variant(program: Program, sets: Iterable[tuple[str, tuple[str, ...]]], edges: Iterable[BodyEdge]) -> Program:
    """The program with other members of some sets, and with the given edges."""
    expansion = _expand(program, sets, edges)
    return replace(
        program,
        vocabulary=expansion.vocabulary,
        sets=expansion.declarations.sets.texts(),
        rules=tuple(expansion.declarations.rules),
        cfa=expansion.cfa,
    )


def _expand(program: Program, sets: Iterable[tuple[str, tuple[str, ...]]], edges: Iterable[BodyEdge]) -> Expansion:
    declarations = list(program.syntax.declarations)
    for name, members in sets:
        places = [i for i, d in enumerate(declarations) if isinstance(d, SetDeclaration) and d.name == name]
        if not places:
            raise UsageError(f"the program has no set '{name}'{did_you_mean(name, program.sets)}")
        first = declarations[places[0]]
        assert isinstance(first, SetDeclaration)
        declarations[places[0]] = replace(first, value=SetLiteral(tuple(map(Name, members))))
        for i in reversed(places[1:]):
            del declarations[i]
    syntax = replace(
        program.syntax,
        declarations=tuple(declarations),
        edges=tuple(EdgeSyntax(e.source, e.name, e.arguments, e.target, position=e.position) for e in edges),
        printed=(),
    )
    report = Report()
    expansion = expand(syntax, report)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    return expansion


def _check_hidden(procedure: Procedure, program: Program, own: Program, edges: list[BodyEdge]) -> None:
    """Check that no action of a body reads or changes other variables of its callers.

    The sets get one more member, for a variable of a caller: no action may update its core predicates, and no
    condition of an action may mention it.
    """
    wider = [(name, (*members, _OTHER)) for name, members in procedure.sets]
    seen = _expand(program, wider, edges)
    for edge in seen.cfa.edges:
        action = edge.label
        core = [u for u in action.updates if seen.vocabulary[u.predicate].definition is None]
        decisive = [u.formula for u in core]
        decisive += [f for f in (action.precondition, action.retain, action.new_formula, action.clone) if f is not None]
        for name in [*(u.predicate for u in core), *(n for f in decisive for n in predicates_of(f))]:
            if name not in own.vocabulary:
                raise InputError(
                    f"'{action.name}' in the body of '{procedure.name}' is also about '{name}', that is, about "
                    "variables of its callers: no contract can say what it does",
                    procedure.position,
                )


# Calls --------------------------------------------------------------------------------------------------------------


def _call(edge: BodyEdge, caller: Program, program: Program, contracts: Contracts) -> Call:
    callee = contracts.procedures[edge.name]
    try:
        call = callee.call(edge.arguments, caller)
        check_call(callee, edge.arguments, caller, program)
    except UsageError as problem:
        raise InputError(str(problem), edge.position) from None
    return call


def check_call(callee: Procedure, arguments: tuple[str, ...], caller: Program, program: Program) -> None:
    """Check that the caller has all predicates of the body, under other names, and all rules of the body."""
    if not callee.body:
        return
    own = _variant(program, callee.sets, ())
    names = dict(zip(callee.parameters, arguments, strict=True))
    hidden = set(callee.locals)
    for argument in arguments:
        if argument in own.vocabulary and argument not in {*callee.parameters, *hidden}:
            raise UsageError(f"'{argument}' is passed to '{callee.name}', whose body knows it already")
    for p in own.vocabulary.declared:
        if not hidden & set(_NAME.findall(p.name)):
            _check_predicate(p, _rename(p.name, names), names, caller, callee)
    rules = {i.formula for i in Theory(caller.vocabulary, caller.rules).integrity}
    for rule in Theory(own.vocabulary, own.rules).integrity:
        used = predicates_of(rule.formula)
        if rule.defines is None and not any(hidden & set(_NAME.findall(name)) for name in used):
            formula = _with_names(rule.formula, names)
            if formula not in rules and all(name in caller.vocabulary for name in predicates_of(formula)):
                raise UsageError(
                    f"the body of '{callee.name}' relies on a rule that the caller does not have: {formula}"
                )


def _check_predicate(p: Predicate, name: str, names: Mapping[str, str], caller: Program, callee: Procedure) -> None:
    here = caller.vocabulary.get(name)
    if here is None:
        if p.definition is None:
            raise UsageError(f"the body of '{callee.name}' is about '{name}', which the caller does not have")
        return
    kind = (p.arity, p.properties, p.definition is None) == (here.arity, here.properties, here.definition is None)
    if kind and p.definition is not None and here.definition is not None:
        wanted = _with_names(p.definition, names)
        kind = p.args == here.args and alpha_equal(wanted, here.definition)
    if not kind:
        raise UsageError(f"'{name}' is not declared as '{p.name}' is in the body of '{callee.name}'")


def _rename(name: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda m: names.get(m.group(), m.group()), name)


def _with_names(formula: Formula, names: Mapping[str, str]) -> Formula:
    return replace_atoms(formula, lambda atom: Atom(_rename(atom.predicate, names), atom.args))

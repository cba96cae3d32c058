"""From the syntax tree to a program: expansion of sets and foreach, instantiation of actions, all checks.

Thesis Appendix C.4 (the control-flow graph) and C.5 (sets, foreach, composites). Every mistake of a file is
reported in one run.
"""

from __future__ import annotations

from dataclasses import dataclass

from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import Position, did_you_mean
from kleene.logic.formula import Formula
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.focus_plan import with_closure_predicates
from kleene.tvp.declarations import Declarations
from kleene.tvp.focus_warnings import focus_problem, mentions_unknown
from kleene.tvp.instantiate import check_unused, instantiate
from kleene.tvp.scope import Report
from kleene.tvp.syntax import ActionSyntax, EdgeSyntax, ProgramSyntax


@dataclass(frozen=True)
class Expansion:
    """The parts of a program that come out of expansion."""

    declarations: Declarations
    vocabulary: Vocabulary
    cfa: Cfa[Action]
    print_locations: tuple[str, ...]


def expand(syntax: ProgramSyntax, report: Report, *, arguments_one_by_one: bool = False) -> Expansion:
    """Expand and check a program; the report gets the errors."""
    declarations = Declarations.empty(report, arguments_one_by_one=arguments_one_by_one)
    declarations.read(syntax.declarations)
    vocabulary = declarations.predicates.vocabulary()
    edges = _Edges(syntax, declarations, vocabulary).build()
    cfa = Cfa(syntax.edges[0].source if syntax.edges else "", edges)
    _check_locations(syntax, cfa, report)
    return Expansion(declarations, vocabulary, cfa, tuple(place.name for place in syntax.printed))


class _Edges:
    """Turns the edges into edges with actions; equal calls share one action."""

    def __init__(self, syntax: ProgramSyntax, declarations: Declarations, vocabulary: Vocabulary) -> None:
        self.syntax = syntax
        self.declarations = declarations
        self.vocabulary = vocabulary
        self.report = declarations.report
        self.actions = self._declared_actions()
        self.calls: dict[tuple[str, tuple[str, ...]], Action | None] = {}

    def build(self) -> tuple[Edge[Action], ...]:
        edges = []
        for edge in self.syntax.edges:
            action = self._call(edge)
            if action is not None:
                edges.append(Edge(edge.source, action, edge.target))
        used = {name for name, _ in self.calls}
        for action_syntax in self.actions.values():
            if action_syntax.name not in used:
                check_unused(action_syntax, self.declarations)
        return tuple(edges)

    def _declared_actions(self) -> dict[str, ActionSyntax]:
        actions: dict[str, ActionSyntax] = {}
        for action in self.syntax.actions:
            first = actions.get(action.name)
            if first is not None:
                message = (
                    f"action '{action.name}' is already declared in line {first.position.line}: "
                    "the last declaration counts, also for uses before it"
                )
                self.report.warn(message, action.position)
            actions[action.name] = action
            for formal in dict.fromkeys(action.formals):
                if action.formals.count(formal) > 1:
                    message = f"the argument '{formal}' of action '{action.name}' is listed twice"
                    self.report.error(message, action.position)
        return actions

    def _call(self, edge: EdgeSyntax) -> Action | None:
        syntax = self.actions.get(edge.action)
        if syntax is None:
            hint = did_you_mean(edge.action, self.actions)
            self.report.error(f"undeclared action '{edge.action}'{hint}", edge.position)
            return None
        if len(edge.args) != len(syntax.formals):
            needed = len(syntax.formals)
            noun = "argument" if needed == 1 else "arguments"
            message = f"action '{edge.action}' needs {needed} {noun}, found {len(edge.args)}"
            self.report.error(message, edge.position)
            return None
        key = edge.action, edge.args
        if key not in self.calls:
            check = self._check_focus
            self.calls[key] = instantiate(syntax, edge.args, edge.position, self.declarations, check)
            self._check_sorts(syntax, self.calls[key])
        return self.calls[key]

    def _check_sorts(self, syntax: ActionSyntax, action: Action | None) -> None:
        """A new node has no sort unless an update gives it one."""
        sorts = [p.name for p in self.vocabulary.sorts]
        if action is not None and action.creates and sorts and not any(action.update_of(name) for name in sorts):
            message = f"the new node has no sort: an update must make one of {', '.join(sorts)} true for it"
            self.report.warn(message, syntax.position)

    def _check_focus(self, f: Formula, position: Position) -> None:
        if mentions_unknown(f):
            self.report.error(f"'{f}' cannot be brought into focus: it contains the constant 1/2", position)
            return
        problem = focus_problem(with_closure_predicates(f, self.vocabulary), self.vocabulary)
        if problem:
            message = f"focusing on '{f}' may need infinitely many structures: {problem}"
            self.report.warn(message, position, key="focus")


def _check_locations(syntax: ProgramSyntax, cfa: Cfa[Action], report: Report) -> None:
    places: dict[str, Position] = {}
    for edge in syntax.edges:
        places.setdefault(edge.source, edge.position)
        places.setdefault(edge.target, edge.position)
    for place in syntax.printed:
        if place.name not in places:
            report.error(f"unknown location '{place.name}'{did_you_mean(place.name, places)}", place.position)
    if len(cfa.edges) == len(syntax.edges):  # otherwise edges are missing because of errors
        for name in cfa.unreachable:
            report.warn(f"location '{name}' cannot be reached from '{cfa.entry}'", places[name])

"""The declaration section: sets, predicates, rules, global focus and messages (thesis Appendix C.2, C.3.1,
C.5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kleene.logic.formula import FALSE, TRUE, Atom, Equal, Formula, Not
from kleene.transformers.action import Rule
from kleene.tvp.lower import Lowering
from kleene.tvp.predicates import Predicates
from kleene.tvp.scope import EMPTY, Report, Scope, enter_iterator, resolve
from kleene.tvp.sets import Sets
from kleene.tvp.syntax import (
    CloseCycle,
    Declaration,
    DeclarationItem,
    DecompositionName,
    FocusItem,
    Foreach,
    GlobalFocus,
    MessageSyntax,
    Name,
    PredicateDeclaration,
    RuleDeclaration,
    SetDeclaration,
)


@dataclass
class Declarations:
    """What the declaration section says; actions and edges are read against it.

    With `arguments_one_by_one`, the arguments of actions are substituted in TVLA's way (see `scope`).
    """

    report: Report
    sets: Sets
    predicates: Predicates
    lowering: Lowering
    rules: list[Rule] = field(default_factory=list)
    focus: list[tuple[FocusItem, Scope]] = field(default_factory=list)
    messages: list[tuple[MessageSyntax, Scope]] = field(default_factory=list)
    together: list[Formula] = field(default_factory=list)
    """The formulas of ``%dname``."""
    arguments_one_by_one: bool = False

    @staticmethod
    def empty(report: Report, *, arguments_one_by_one: bool = False) -> Declarations:
        sets = Sets(report)
        predicates, lowering = Predicates(report), Lowering(sets, report)
        return Declarations(report, sets, predicates, lowering, arguments_one_by_one=arguments_one_by_one)

    def read(self, items: Iterable[DeclarationItem]) -> None:
        """Take in all declarations, in order, then check the predicates that they use."""
        self._items(items, EMPTY)
        self.predicates.check_uses()

    def _items(self, items: Iterable[DeclarationItem], scope: Scope) -> None:
        for item in items:
            if not isinstance(item, Foreach):
                self._declaration(item, scope)
                continue
            members = self.sets.members(item.base, scope)
            if enter_iterator(item.iterator, item.position, scope, self.report):
                for member in members:
                    self._items(item.body, scope.bind(item.iterator, member))

    def _declaration(self, item: Declaration, scope: Scope) -> None:
        match item:
            case SetDeclaration():
                self._set(item, scope)
            case PredicateDeclaration(definition=None):
                self.predicates.declare(item, None, scope)
            case PredicateDeclaration(definition=definition) if definition is not None:
                f = self.lowering.formula(definition, scope, self.predicates.use_in_definition)
                self.predicates.declare(item, self.lowering.over(f, definition, item.args), scope)
            case RuleDeclaration():
                self._rule(item, scope)
            case GlobalFocus(items):
                self.focus.extend((focus, scope) for focus in items)
            case MessageSyntax():
                self.messages.append((item, scope))
            case DecompositionName(formula, _):
                self.together.append(self.lowering.formula(formula, scope, self.predicates.use_in_rule))
            case CloseCycle(predicate, formula):
                self.report.warn_ignored("%closecycle", item.position)
                text = resolve(predicate, scope, self.report).text
                self.predicates.use_in_rule(text, 2, predicate.position, scope)
                self.lowering.formula(formula, scope, self.predicates.use_in_rule)

    def _set(self, item: SetDeclaration, scope: Scope) -> None:
        name = resolve(Name(item.name, position=item.position), scope, self.report)
        if name.args:
            self.report.error(f"a set cannot be called '{name.text}'", item.position, scope)
        if item.parametric:
            self.report.warn_ignored("%pset", item.position)
        self.sets.declare(name.text, self.sets.members(item.value, scope))

    def _rule(self, item: RuleDeclaration, scope: Scope) -> None:
        use = self.predicates.use_in_rule
        body = self.lowering.formula(item.body, scope, use)
        head = self.lowering.formula(item.head, scope, use)
        if not _is_head(head):
            message = "the head of a rule must be 0, 1, p(...), !p(...), a == b or a != b"
            self.report.error(message, item.head.position, scope)
        elif head is TRUE or (isinstance(head, Equal) and head.left == head.right):
            self.report.warn(f"a rule with the head {head} has no effect", item.head.position)
        else:
            self._compare_variables(item, body, head)
        self.rules.append(Rule(body, head, position=item.position))

    def _compare_variables(self, item: RuleDeclaration, body: Formula, head: Formula) -> None:
        only_body = [v for v in body.free if v not in head.free]
        only_head = [v for v in head.free if v not in body.free]
        if only_head:
            names = ", ".join(only_head)
            message = f"free variables of the head that the body does not mention range over all nodes: {names}"
            self.report.warn(message, item.position, key="rule variables of the head")
        if only_body and head is not FALSE:
            names = ", ".join(only_body)
            message = f"free variables of the body that the head does not mention are existential: {names}"
            self.report.warn(message, item.position, key="rule variables of the body")


def _is_head(head: Formula) -> bool:
    match head:
        case Atom() | Equal() | Not(Atom()) | Not(Equal()):
            return True
    return head is FALSE or head is TRUE

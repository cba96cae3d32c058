"""Formulas of the syntax tree to formulas of the logic (thesis Appendix C.3; TVLA 3 for the exact shapes).

``f -> g`` becomes ``g | !f``, ``a != b`` becomes ``!(a == b)``, ``p*`` and ``p+`` become closures,
composites are unfolded. Nothing is simplified.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kleene.diagnostics import Position
from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    implies,
    reflexive_closure,
    transitive_closure,
)
from kleene.tvp.scope import Report, Scope, enter_iterator, resolve
from kleene.tvp.sets import Sets
from kleene.tvp.syntax import (
    AtomSyntax,
    ChainSyntax,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    EqualSyntax,
    FormulaSyntax,
    Name,
    NotSyntax,
    QuantifiedSyntax,
    StarSyntax,
)
from kleene.tvp.syntax_variables import free_variables

DEEPEST_FORMULA = 300
_NONE: frozenset[str] = frozenset()


class UseCheck(Protocol):
    """Is told of every use of a predicate."""

    def __call__(self, predicate: str, arity: int, position: Position, scope: Scope) -> None: ...


class Lowering:
    """Turns syntax into formulas; `use` is told of every predicate that occurs."""

    def __init__(self, sets: Sets, report: Report) -> None:
        self.sets = sets
        self.report = report
        self._bound: dict[Formula, frozenset[str]] = {}
        self._depth: dict[Formula, int] = {}

    def formula(self, f: FormulaSyntax, scope: Scope, use: UseCheck) -> Formula:
        return _Lowerer(self, scope, use).lower(f)

    def over(self, result: Formula, written: FormulaSyntax, wanted: Sequence[str]) -> Formula:
        """The formula with the wanted variables free in it that are free in the text.

        A composite over an empty set is 0 or 1 (Appendix C.5.5) and loses the variables of its body.
        """
        lost = [v for v in free_variables(written) if v in wanted and v not in result.free]
        for variable in lost:
            result = And(result, Equal(variable, variable))
        return result

    def bound_variables(self, f: Formula) -> frozenset[str]:
        """The variables that are bound somewhere in a formula."""
        bound = self._bound.get(f)
        if bound is None:
            parts = [self.bound_variables(child) for child in f.children]
            bound = _NONE.union(*parts) if parts else _NONE
            match f:
                case Exists(variable, _) | Forall(variable, _):
                    bound |= {variable}
                case Closure():
                    bound |= {f.sub_left, f.sub_right}
            self._bound[f] = bound
        return bound

    def depth(self, f: Formula) -> int:
        depth = self._depth.get(f)
        if depth is None:
            depth = 1 + max((self.depth(child) for child in f.children), default=0)
            self._depth[f] = depth
        return depth


class _Lowerer:
    """One formula in one scope."""

    def __init__(self, context: Lowering, scope: Scope, use: UseCheck) -> None:
        self.context = context
        self.report = context.report
        self.scope = scope
        self.use = use

    def lower(self, f: FormulaSyntax) -> Formula:
        match f:
            case AtomSyntax(predicate, args):
                return Atom(self._predicate(predicate, len(args)), args)
            case ChainSyntax():
                return self._chain(f)
            case NotSyntax(body):
                return self._check(Not(self.lower(body)), f)
            case QuantifiedSyntax(quantifier, variables, body):
                result = self.lower(body)
                for variable in reversed(variables):
                    result = Exists(variable, result) if quantifier == "E" else Forall(variable, result)
                return self._check(result, f)
            case EqualSyntax(left, right, negated):
                return Not(Equal(left, right)) if negated else Equal(left, right)
            case StarSyntax(predicate, operator, left, right):
                name = self._predicate(predicate, 2)
                closure = reflexive_closure if operator == "*" else transitive_closure
                return closure(name, left, right)
            case ConditionalSyntax(condition, then, otherwise):
                result = IfThenElse(self.lower(condition), self.lower(then), self.lower(otherwise))
                return self._no_clash(result, f)
            case ClosureSyntax():
                return self._closure(f)
            case CompositeSyntax():
                return self._composite(f)
            case ConstSyntax(value):
                return Const(value)

    def _predicate(self, name: Name, arity: int) -> str:
        text = resolve(name, self.scope, self.report).text
        self.use(text, arity, name.position, self.scope)
        return text

    def _chain(self, f: ChainSyntax) -> Formula:
        result = self.lower(f.operands[0])
        for operand in f.operands[1:]:
            result = self._join(f.operator, result, self.lower(operand), f)
        return result

    def _join(self, operator: str, left: Formula, right: Formula, place: FormulaSyntax) -> Formula:
        match operator:
            case "&":
                return self._no_clash(And(left, right), place)
            case "|":
                return self._no_clash(Or(left, right), place)
            case "->":
                return self._no_clash(implies(left, right), place)
        return self._check(Iff(left, right), place)

    def _closure(self, f: ClosureSyntax) -> Formula:
        body = self.context.over(self.lower(f.body), f.body, (f.sub_left, f.sub_right))
        for variable in (f.sub_left, f.sub_right):
            if variable not in body.free:
                message = f"the body of TC must have '{variable}' as a free variable"
                self.report.error(message, f.position, self.scope)
        if f.sub_left == f.sub_right:
            self.report.error(f"TC needs two different variables, not '{f.sub_left}' twice", f.position, self.scope)
        return self._check(Closure(f.left, f.right, f.sub_left, f.sub_right, body), f)

    def _composite(self, f: CompositeSyntax) -> Formula:
        members = self.context.sets.members(f.base, self.scope)
        result: Formula = FALSE if f.operator == "|" else TRUE
        if not enter_iterator(f.iterator, f.position, self.scope, self.report):
            return result
        for number, member in enumerate(members):
            inner = _Lowerer(self.context, self.scope.bind(f.iterator, member), self.use).lower(f.body)
            result = self._join(f.operator, result, inner, f) if number else inner
        return result

    def _no_clash(self, result: Formula, place: FormulaSyntax) -> Formula:
        """As in TVLA, a variable must not be both free and bound in one operator's operands."""
        bound = self.context.bound_variables(result)
        for variable in result.free if bound else ():
            if variable in bound:
                message = f"the variable '{variable}' is both free and bound here"
                self.report.error(message, place.position, self.scope)
        return self._check(result, place)

    def _check(self, result: Formula, place: FormulaSyntax) -> Formula:
        if self.context.depth(result) > DEEPEST_FORMULA:
            message = f"the formula is nested more than {DEEPEST_FORMULA} levels deep"
            self.report.error(message, place.position, self.scope)
            return TRUE
        return result

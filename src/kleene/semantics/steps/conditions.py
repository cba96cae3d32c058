"""Conditions: assumptions on pointers and integers."""

from __future__ import annotations

from kleene.cfa.expressions import (
    GHOST_OFFSET,
    MIRRORED,
    NEGATED,
    Cast,
    Comparison,
    Constant,
    Expression,
    Field,
    Unary,
    Variable,
)
from kleene.cfa.types import IntegerType, PointerType
from kleene.logic.formula import FALSE, TRUE, IfThenElse, neg
from kleene.passes.facts.integers import COMPARE
from kleene.passes.facts.memory import constant_of
from kleene.semantics.steps.context import StepContext
from kleene.semantics.steps.count_readings import CountReadings
from kleene.semantics.steps.numbers import NumberSteps, comparison, least_of
from kleene.semantics.steps.pointers import PointerSteps
from kleene.semantics.vocabulary.names import at
from kleene.transformers.action import Update


class ConditionSteps:
    """Assume edges."""

    def __init__(self, context: StepContext, pointers: PointerSteps, numbers: NumberSteps) -> None:
        self.context = context
        self.memory = context.memory
        self.constants = context.constants
        self.symbols = context.symbols
        self.pointers = pointers
        self.numbers = numbers

    def assume(self, condition: Expression, truth: bool) -> None:
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
            condition = condition.operand
        if isinstance(condition, Comparison):
            operator = condition.operator if truth else NEGATED[condition.operator]
            if isinstance(condition.left.type, PointerType):
                self._assume_pointers(operator, condition.left, condition.right)
            elif isinstance(condition.left.type, IntegerType) and isinstance(condition.right.type, IntegerType):
                self._assume_integers(operator, condition.left, condition.right)
            else:  # floating point: either way, since a comparison with NaN is false as its negation is
                self.numbers.visit(condition.left)
                self.numbers.visit(condition.right)
        elif isinstance(condition.type, PointerType):
            self._assume_pointers("!=" if truth else "==", condition, Constant(0, condition.type))
        elif isinstance(condition.type, IntegerType):
            self._assume_integers("!=" if truth else "==", condition, Constant(0, condition.type))
        else:
            self.numbers.visit(condition)

    def _assume_pointers(self, operator: str, left: Expression, right: Expression) -> None:
        a, b = self.pointers.load(left), self.pointers.load(right)
        if operator not in ("==", "!="):  # either way, since the order of blocks is not known
            self.context.step(f"{left} {operator} {right}", ())
            return
        equal = self.pointers.same_pointers(a, b)
        focus = [p.at(o) for p in (a, b) if p is not None for o in p.offsets]
        condition = equal if operator == "==" else neg(equal)
        self.context.step(f"{left} {operator} {right}", (), focus=focus, precondition=condition)

    def _assume_integers(self, operator: str, left: Expression, right: Expression) -> None:
        if constant_of(left) is not None:
            left, right, operator = right, left, MIRRORED[operator]
        a, b = self.numbers.value_of(left), self.numbers.value_of(right)
        counts = self.context.counts
        counted = CountReadings(counts).is_natural(left) if counts is not None else FALSE
        updates = self._sharpen(left, operator, b.single) if b.single is not None else []
        if operator == "==" and b.single is not None and isinstance(left, Field) and left.offset >= GHOST_OFFSET:
            updates += self._sharpen_ghost(left, b.single)
        condition = comparison(operator, a, b, least_of(left, right), counted)
        focus = self.numbers.tag_foci(a, b)
        self.context.quiet_step(f"{left} {operator} {right}", updates, focus=focus, precondition=condition)

    def _sharpen_ghost(self, ghost: Field, k: int) -> list[Update]:
        """After a comparison holds, the ghost of the object that was read has the value, also where it was open."""
        updates: dict[str, Update] = {}
        for base in self.pointers.objects_of(ghost, None, number=True):
            for c in self.constants.of(base.offset):
                name = self.symbols.integer_cell(base.offset, c)
                old = updates[name].formula if name in updates else at(name, "v")
                updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), TRUE if c == k else FALSE, old))
        return list(updates.values())

    def _sharpen(self, expression: Expression, operator: str, k: int) -> list[Update]:
        """After a comparison with a constant holds, the values that contradict it are ruled out."""
        while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
            inner, outer = expression.operand.type, expression.type
            if not isinstance(outer, IntegerType) or outer.minimum > inner.minimum or outer.maximum < inner.maximum:
                return []
            expression = expression.operand
        if not isinstance(expression, Variable) or self.memory.kind(expression) != "integer":
            return []
        updates = []
        for c in self.constants.of(expression):
            name = self.symbols.integer(expression, c)
            if not COMPARE[operator](c, k):
                updates.append(Update(name, (), FALSE))
            else:
                updates.append(Update(name, (), TRUE if operator == "==" else at(name)))
        return updates

"""Lowering of statements and function bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kleene.c.builder import Live, Scope
from kleene.c.clang import attribute_argument, attributes, evaluate, initializer, kind
from kleene.c.control.for_parts import for_parts
from kleene.c.control.labels import computed_goto
from kleene.c.declarations.initializers import global_variable
from kleene.c.lowering import LoweringContext, UnsupportedConstruct, strip_parentheses
from kleene.c.type_reader import is_void
from kleene.cfa.expressions import AddressOf, Comparison, Constant, Expression, Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assume, Call, Operation, Place, Return, Unsupported
from kleene.cfa.types import INT, FunctionType, IntegerType, Type

UNEXPECTED = (ValueError, IndexError, KeyError, AttributeError, StopIteration, TypeError, AssertionError)
"""Exceptions caused by an unexpected part of clang's tree; they are never shown to the user."""


class Statements:
    """Statements. `_break` and `_continue` are where such a jump leads, with the scope it leads to."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower

    _break: tuple[int, Scope] | None = None
    _continue: tuple[int, Scope] | None = None
    _cases: list[tuple[int, int, tuple[int, Live], Any]] | None = None
    _default: tuple[int, Live] | None = None
    result: Type | None = None

    def body(self, cursor: Any, parameters: Sequence[Any] = ()) -> Cfa[Operation]:
        """The automaton of a function body; falling off its end returns (0 from main, C17 5.1.2.2.3)."""
        self.lower.body = cursor
        for parameter in parameters:
            self.safely(self.lower.arrays.note, parameter)
        self.statement(cursor)
        value = Constant(0, INT) if self.lower.function == "main" and self.result == INT else None
        end = cursor.extent.end
        place = self.lower.place(cursor)
        place = type(place)(place.file, end.line, max(end.column - 1, 1), place.function)
        self.lower.builder.emit(Return(place, value), self.lower.builder.exit)
        return self.lower.builder.finish()

    def safely(self, action: Any, *arguments: Any) -> None:
        """Carry out a part of the lowering; an unsupported construct ends the path with an Unsupported operation."""
        try:
            action(*arguments)
        except UnsupportedConstruct as problem:
            self._give_up(problem.cursor, problem.reason)
        except UNEXPECTED:
            self._give_up(next((a for a in arguments if hasattr(a, "location")), None), "construct not understood")

    def _give_up(self, cursor: Any, reason: str) -> None:
        """End the path here: nothing is known about what follows."""
        place = (
            self.lower.place(cursor) if cursor is not None else Place(self.lower.unit.file, 1, 1, self.lower.function)
        )
        self.lower.builder.emit(Unsupported(place, reason), self.lower.builder.exit)
        self.lower.builder.here = self.lower.builder.new()

    def statement(self, cursor: Any) -> None:
        name = kind(cursor)
        method = _STATEMENTS.get(name)
        if method is not None:
            getattr(self, method)(cursor)
        elif name.endswith(("_EXPR", "_OPERATOR", "_LITERAL")) or name == "StmtExpr":
            self.safely(self.lower.effects.effect, cursor)
        elif not name.endswith("_ATTR") and name not in ("NULL_STMT", "TYPE_REF", "STATIC_ASSERT"):
            if "ASM" in name and _does_nothing([token.spelling for token in cursor.get_tokens()]):
                return
            what = "inline assembly" if "ASM" in name else f"statement {name.lower().replace('_', ' ')}"
            self.safely(self._refuse, cursor, what)

    @staticmethod
    def _refuse(cursor: Any, reason: str) -> None:
        raise UnsupportedConstruct(reason, cursor)

    def compound(self, cursor: Any) -> None:
        self.lower.builder.open_scope()
        for part in cursor.get_children():
            self.statement(part)
        end = self.lower.place(cursor)
        stop = cursor.extent.end
        self.lower.builder.close_scope(type(end)(end.file, stop.line, max(stop.column - 1, 1), end.function))

    def attributed_statement(self, cursor: Any) -> None:
        """Statements that libclang does not name: those with attributes (`fallthrough`)."""
        for part in cursor.get_children():
            self.statement(part)

    def declarations(self, cursor: Any) -> None:
        for part in cursor.get_children():
            if kind(part) == "VAR_DECL":
                self.safely(self._variable, part)
            elif kind(part) == "TYPEDEF_DECL":
                self.safely(self.lower.arrays.name, part)

    def _variable(self, cursor: Any) -> None:
        storage = cursor.storage_class.name
        type_ = self.lower.type(cursor)
        if storage == "EXTERN":
            return
        if storage == "STATIC":
            self._static(cursor, type_)
            return
        if cursor.type.get_canonical().kind.name == "VARIABLEARRAY":
            self.lower.arrays.declare(cursor)
            return
        self.lower.arrays.note(cursor)
        variable = self.lower.builder.declare(cursor.spelling, type_, self.lower.place(cursor))
        self.lower.unit.bind(cursor, variable)
        start = initializer(cursor)
        if start is not None:
            self.lower.initializers.initialize(variable, start)
        if "cleanup" in attributes(cursor):
            self._clean_up(variable, cursor)

    def _clean_up(self, variable: Variable, cursor: Any) -> None:
        """A function gets the address of the variable wherever it ends (the attribute `cleanup`)."""
        name = attribute_argument(cursor, "cleanup")
        unit = cursor.translation_unit.cursor.get_children()
        function = next((c for c in unit if kind(c) == "FUNCTION_DECL" and c.spelling == name), None)
        type_ = self.lower.unit.types.read(function.type) if function is not None else None
        if not isinstance(type_, FunctionType) or not type_.parameters:
            raise UnsupportedConstruct(f"the cleanup attribute of '{cursor.spelling}'", cursor)
        own = self.lower.unit.name_of(function)
        if own not in self.lower.unit.linkage.defined_functions:
            self.lower.unit.needs(own, function)
        address = AddressOf(variable, self.lower.pointer_to(variable.type))
        argument = self.lower.convert(address, type_.parameters[0], cursor)
        self.lower.builder.at_end(variable, lambda end: Call(end, own, (argument,)))

    def _static(self, cursor: Any, type_: Type) -> None:
        name = f"{self.lower.function}.{self.lower.builder.unique(cursor.spelling)}"
        variable = Variable(name, type_, is_global=True)
        self.lower.unit.bind(cursor, variable)
        self.lower.unit.linkage.globals[name] = global_variable(self.lower.sibling(variable.name), variable, cursor)

    def statement_expression(self, cursor: Any, *, wanted: bool) -> Expression | None:
        """A GNU statement expression; its value if wanted."""
        parts = list(next(iter(cursor.get_children())).get_children())
        self.lower.builder.open_scope()
        result: Expression | None = None
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            if last and wanted and not is_void(self.lower.type(cursor)):
                target = self.lower.builder.temporary(self.lower.type(cursor))
                while kind(part) == "LABEL_STMT":
                    self.lower.builder.label(part.spelling, self.lower.place(part))
                    part = list(part.get_children())[-1]
                if not self.lower.effects.assign_call(target, part):
                    self.lower.assign(part, target, self.lower.values.value(part))
                result = target
            else:
                self.statement(part)
        self.lower.builder.close_scope(self.lower.place(cursor))
        return result

    def if_statement(self, cursor: Any) -> None:
        condition, then, *otherwise = cursor.get_children()
        place = self.lower.place(cursor)
        yes, no, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        self.safely(self.lower.effects.condition, condition, yes, no)
        self.lower.builder.here = yes
        self.statement(then)
        self.lower.builder.connect(self.lower.builder.here, end, place)
        self.lower.builder.here = no
        for part in otherwise:
            self.statement(part)
        self.lower.builder.connect(self.lower.builder.here, end, place)
        self.lower.builder.here = end

    def _loop(self, body: Any, on_break: int, on_continue: int) -> None:
        saved = self._break, self._continue
        self._break, self._continue = (on_break, self.lower.builder.scope), (on_continue, self.lower.builder.scope)
        self.statement(body)
        self._break, self._continue = saved

    def while_statement(self, cursor: Any) -> None:
        condition, body = cursor.get_children()
        place = self.lower.place(cursor)
        head, start, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        self.lower.builder.connect(self.lower.builder.here, head, place)
        self.lower.builder.here = head
        self.safely(self.lower.effects.condition, condition, start, end)
        self.lower.builder.here = start
        self._loop(body, end, head)
        self.lower.builder.connect(self.lower.builder.here, head, place)
        self.lower.builder.here = end

    def do_statement(self, cursor: Any) -> None:
        body, condition = cursor.get_children()
        place = self.lower.place(cursor)
        start, check, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        self.lower.builder.connect(self.lower.builder.here, start, place)
        self.lower.builder.here = start
        self._loop(body, end, check)
        self.lower.builder.connect(self.lower.builder.here, check, place)
        self.lower.builder.here = check
        self.safely(self.lower.effects.condition, condition, start, end)
        self.lower.builder.here = end

    def for_statement(self, cursor: Any) -> None:
        start, condition, step, body = for_parts(cursor, self.lower.unit)
        place = self.lower.place(cursor)
        self.lower.builder.open_scope()
        if start is not None:
            self.statement(start)
        head, inside, after, end = (self.lower.builder.new() for _ in range(4))
        self.lower.builder.connect(self.lower.builder.here, head, place)
        self.lower.builder.here = head
        if condition is None:
            self.lower.builder.connect(head, inside, place)
        else:
            self.safely(self.lower.effects.condition, condition, inside, end)
        self.lower.builder.here = inside
        self._loop(body, end, after)
        self.lower.builder.connect(self.lower.builder.here, after, place)
        self.lower.builder.here = after
        if step is not None:
            self.safely(self.lower.effects.effect, step)
        self.lower.builder.connect(self.lower.builder.here, head, place)
        self.lower.builder.here = end
        self.lower.builder.close_scope(place)

    def switch_statement(self, cursor: Any) -> None:
        condition, body = cursor.get_children()
        place = self.lower.place(cursor)
        value: Expression = Constant(0, INT)

        def evaluate_selector() -> None:
            nonlocal value
            value = self.lower.values.value(condition)
            if not isinstance(value, Variable | Constant):
                value = self.lower.as_temporary(cursor, value)

        self.safely(evaluate_selector)
        dispatch, end = self.lower.builder.here, self.lower.builder.new()
        saved = self._break, self._cases, self._default
        self._break, self._cases, self._default = (end, self.lower.builder.scope), [], None
        self.lower.builder.here = self.lower.builder.new()
        self.statement(body)
        self.lower.builder.connect(self.lower.builder.here, end, place)
        cases, default = self._cases, self._default
        self._break, self._cases, self._default = saved
        self.lower.builder.here = dispatch
        live = self.lower.builder.live()
        for low, high, target, case in cases or ():
            chosen = self.lower.builder.new()
            self._select(case, value, low, high, chosen)
            self.lower.builder.enter(chosen, (), live, target, self.lower.place(case))
        self.lower.builder.enter(self.lower.builder.here, (), live, default or (end, live), place)
        self.lower.builder.here = end

    def _select(self, cursor: Any, value: Expression, low: int, high: int, target: int) -> None:
        """From here: to `target` if the value lies between low and high, else on."""
        place = self.lower.place(cursor)
        if isinstance(value.type, IntegerType):
            low, high = value.type.wrap(low), value.type.wrap(high)
        if low == high:
            tests = [Comparison("==", value, Constant(low, value.type))]
        else:
            tests = [
                Comparison(">=", value, Constant(low, value.type)),
                Comparison("<=", value, Constant(high, value.type)),
            ]
        no = self.lower.builder.new()
        for number, test in enumerate(tests):
            yes = target if number == len(tests) - 1 else self.lower.builder.new()
            self.lower.builder.branch(self.lower.builder.here, Assume(place, test, truth=True), yes)
            self.lower.builder.branch(self.lower.builder.here, Assume(place, test, truth=False), no)
            self.lower.builder.here = yes
        self.lower.builder.here = no

    def case(self, cursor: Any) -> None:
        *values, inner = cursor.get_children()
        low = evaluate(values[0])
        high = evaluate(values[1]) if len(values) > 1 else low
        target = self.lower.builder.new()
        self.lower.builder.connect(self.lower.builder.here, target, self.lower.place(cursor))
        self.lower.builder.here = target
        assert self._cases is not None and isinstance(low, int) and isinstance(high, int)
        self._cases.append((low, high, (target, self.lower.builder.live()), cursor))
        self.statement(inner)

    def default(self, cursor: Any) -> None:
        target = self.lower.builder.new()
        self.lower.builder.connect(self.lower.builder.here, target, self.lower.place(cursor))
        self.lower.builder.here = target
        self._default = target, self.lower.builder.live()
        for part in cursor.get_children():
            self.statement(part)

    def label(self, cursor: Any) -> None:
        self.lower.builder.label(cursor.spelling, self.lower.place(cursor))
        for part in cursor.get_children():
            self.statement(part)

    def goto(self, cursor: Any) -> None:
        self.lower.builder.goto(next(iter(cursor.get_children())).spelling, self.lower.place(cursor))

    def computed_goto(self, cursor: Any) -> None:
        self.safely(computed_goto, self.lower, cursor)

    def break_statement(self, cursor: Any) -> None:
        self._leave(cursor, self._break)

    def continue_statement(self, cursor: Any) -> None:
        self._leave(cursor, self._continue)

    def _leave(self, cursor: Any, to: tuple[int, Scope] | None) -> None:
        assert to is not None
        self.lower.builder.leave_scopes(to[1], self.lower.place(cursor))
        self.lower.builder.jump(to[0], self.lower.place(cursor))

    def return_statement(self, cursor: Any) -> None:
        self.safely(self._return, cursor, next(iter(cursor.get_children()), None))

    def _return(self, cursor: Any, inner: Any) -> None:
        value: Expression | None = None
        if inner is not None and (self.result is None or is_void(self.result)):
            self.lower.effects.effect(inner)
        elif inner is not None and self.result is not None:
            value = self.lower.convert(self.lower.values.value(strip_parentheses(inner)), self.result, cursor)
        last = self.lower.builder.before_return(self.lower.place(cursor))
        if last and value is not None and not isinstance(value, Constant):
            value = self.lower.as_temporary(cursor, value)
        for operation in last:
            self.lower.builder.emit(operation)
        self.lower.builder.emit(Return(self.lower.place(cursor), value), self.lower.builder.exit)
        self.lower.builder.here = self.lower.builder.new()


_STATEMENTS = {
    "COMPOUND_STMT": "compound",
    "UNEXPOSED_STMT": "attributed_statement",
    "DECL_STMT": "declarations",
    "IF_STMT": "if_statement",
    "WHILE_STMT": "while_statement",
    "DO_STMT": "do_statement",
    "FOR_STMT": "for_statement",
    "SWITCH_STMT": "switch_statement",
    "CASE_STMT": "case",
    "DEFAULT_STMT": "default",
    "LABEL_STMT": "label",
    "GOTO_STMT": "goto",
    "INDIRECT_GOTO_STMT": "computed_goto",
    "BREAK_STMT": "break_statement",
    "CONTINUE_STMT": "continue_statement",
    "RETURN_STMT": "return_statement",
}


_NO_EFFECT = frozenset(("", "nop", "pause", "rep; nop", "rep;nop"))
"""Assembly that only the processor or the optimizer of a compiler sees."""


def _does_nothing(tokens: list[str]) -> bool:
    """Whether inline assembly is a barrier: without instructions that matter, and without new values of operands."""
    start = tokens.index("(") + 1
    parts: list[list[str]] = [[]]
    for token in tokens[start:-1]:
        if token in (":", "::"):
            parts += [[]] * len(token)
        else:
            parts[-1] = [*parts[-1], token]
    template = "".join(token.strip('"') for token in parts[0]).strip()
    outputs = [token for token in (parts[1] if len(parts) > 1 else []) if token.startswith('"')]
    return template in _NO_EFFECT and all(output.startswith('"+') for output in outputs)

"""Calls of functions without a body, replaced by operations of their models.

By default such a function may change, free and keep all that it can reach (`reach`). Where this is no more than
numbers, they get any values. Where it is more, one branch of the call is not supported, so no property is proved of a
program that takes it; in the other branch the function changes nothing, so that runs go on and errors behind it are
found. Every model that a run may meet is an assumption of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kleene.c.library.models import MODELS, UNKNOWN, Declared
from kleene.c.library.outside import STANDARD
from kleene.c.library.reach import Reach, calls_without_body
from kleene.c.library.retyped import uncast
from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    FunctionAddress,
    Index,
    PointerOffset,
    ReturnedNull,
    StringLiteral,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    EndScope,
    Error,
    Exit,
    Free,
    Havoc,
    Operation,
    Place,
    Return,
    Skip,
    Unsupported,
    evaluations,
    expressions,
)
from kleene.cfa.program import Assumption, CProgram, Function
from kleene.cfa.types import INT, ArrayType, FunctionType, IntegerType, PointerType, RecordType, Type, is_scalar

_MOST_ELEMENTS = 16
"""Elements of an array of numbers that unknown code writes one by one; larger arrays are not supported."""


def with_extern_models(
    program: CProgram, declared: Mapping[str, Declared], models: Mapping[str, str], statics: frozenset[str]
) -> CProgram:
    """The program with calls of functions without a body replaced; its assumptions list their models."""
    missing = {name for _, call in calls_without_body(program) for name in [call.function] if isinstance(name, str)}
    missing |= {a.name for a in program.address_taken if a.name not in program.functions}
    program = _with_external_values(program)
    if not missing:
        return program
    reach = Reach(program, statics)
    kept = _kept_variables(program, reach, declared, models)
    chosen = {name: models.get(name) or (declared[name].model if name in declared else UNKNOWN) for name in missing}
    functions: dict[str, Function] = {}
    passed: dict[str, tuple[Expression, ...]] = {}
    outside: dict[str, str] = {}
    given = frozenset(models)
    for name, function in program.functions.items():
        functions[name] = _Rewriter(
            program, reach, chosen, kept, function, given=given, passed=passed, outside=outside
        ).rewritten()
    for taken in program.address_taken:
        type_ = taken.type.target if isinstance(taken.type, PointerType) else taken.type
        if taken.name in missing and isinstance(type_, FunctionType):
            type_ = declared[taken.name].type if taken.name in declared else type_
            stub = _stub(taken.name, type_)
            extended = replace(program, functions={**program.functions, taken.name: stub})
            functions[taken.name] = _Rewriter(
                extended, reach, chosen, kept, stub, given=given, passed=passed, outside=outside
            ).rewritten()
    result = replace(program, functions=functions, passed_on=passed, outside_calls=outside)
    implicit = {name for name in missing if name in declared and declared[name].is_implicit}
    words = {name: _words(name, chosen[name], is_implicit=name in implicit) for name in missing}
    assumed = [Assumption(n, chosen[n], words[n], given=n in models) for n in sorted(missing)]
    used = _used_functions(program, missing)
    return replace(result, assumptions=(*program.assumptions, *(a for a in assumed if a.name in used)))


def _with_external_values(program: CProgram) -> CProgram:
    """Variables that are declared and not defined get any value at the start, if they are numbers or pointers."""
    nodes = {n for o in program.operations for x in expressions(o) for n in walk(x) if isinstance(n, Variable)}
    unknown = [g for g in program.globals if g.external and is_scalar(g.variable.type) and g.variable in nodes]
    if not unknown:
        return program
    main = program.main
    start = _Rewriter(program, Reach(program, frozenset()), {}, {}, main, here=f"{main.name}.e", mark="e")
    for item in unknown:
        start._any_value(main.place, item.variable, f"the variable {item.variable.name}")
    start._emit(Skip(main.place), main.cfa.entry)
    edges = (*start.edges, *main.cfa.edges)
    started = replace(main, cfa=Cfa(edges[0].source, edges), locals=(*main.locals, *start.locals))
    words = "the variable {} is declared and not defined: it has any value at the start"
    names = [g.variable.name for g in unknown if g.variable.name not in STANDARD]
    assumed = [Assumption(name, UNKNOWN, words.format(name)) for name in names]
    return replace(
        program,
        functions={**program.functions, main.name: started},
        globals=tuple(replace(g, external=False) if g in unknown else g for g in program.globals),
        assumptions=(*program.assumptions, *assumed),
    )


def _used_functions(program: CProgram, missing: set[str]) -> set[str]:
    """The functions without a body that the entry may call."""
    reachable = set(program.reachable_functions)
    direct = {call.function for name, call in calls_without_body(program) if name in reachable}
    taken = {a.name for a in program.address_taken}
    return {name for name in missing if name in direct or name in taken}


def _words(name: str, model: str, *, is_implicit: bool) -> str:
    if model == UNKNOWN:
        nothing = "no body and no declaration (is a header or a macro missing?)" if is_implicit else "no body"
        return f"{name}() has {nothing}: it may do anything to what it can reach, and its result is any value"
    return f"{name}() has no body: it {MODELS[model]}"


def _kept_variables(
    program: CProgram, reach: Reach, declared: Mapping[str, Declared], models: Mapping[str, str]
) -> dict[str, tuple[Variable, ...]]:
    """By function: its variables of numbers whose address unknown code may have kept."""
    kept: dict[str, dict[Variable, None]] = {}
    for name, call in calls_without_body(program):
        assert isinstance(call.function, str)
        known = models.get(call.function) or (declared[call.function].model if call.function in declared else UNKNOWN)
        if known == UNKNOWN:
            for argument in call.arguments:
                variable = reach.numbers(argument)
                if variable is not None:
                    kept.setdefault(name, {})[variable] = None
    return {name: tuple(variables) for name, variables in kept.items()}


def _stub(name: str, type_: FunctionType) -> Function:
    """A function whose body is one call of itself, to be replaced by its model."""
    parameters = tuple(Variable(f"$p{n}", t) for n, t in enumerate(type_.parameters, 1))
    place = Place(name, 0, 0, name)
    result = None if not is_scalar(type_.result) else Variable("$result", type_.result)
    call = Call(place, name, parameters, result)
    edges: tuple[Edge[Operation], ...] = (
        Edge(f"{name}.0", call, f"{name}.1"),
        Edge(f"{name}.1", Return(place, result), f"{name}.exit"),
    )
    cfa: Cfa[Operation] = Cfa(f"{name}.0", edges)
    return Function(name, type_, parameters, () if result is None else (result,), cfa, f"{name}.exit", place)


@dataclass
class _Rewriter:
    """Replaces the calls in one function."""

    program: CProgram
    reach: Reach
    chosen: Mapping[str, str]
    kept: Mapping[str, tuple[Variable, ...]]
    function: Function
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    here: str = ""
    mark: str = "x"
    """In the names of new locations and variables."""
    given: frozenset[str] = frozenset()
    """The functions whose model the user gave."""
    passed: dict[str, tuple[Expression, ...]] = field(default_factory=dict)
    """The pointers that unknown code is given, by location (`CProgram.passed_on`)."""
    outside: dict[str, str] = field(default_factory=dict)
    """The functions of unknown code, by the location behind their call (`CProgram.outside_calls`)."""

    def rewritten(self) -> Function:
        function = self.function
        changed = False
        for edge in function.cfa.edges:
            call = edge.label
            if isinstance(call, Call) and isinstance(call.function, str) and call.function in self.chosen:
                self._replace(edge, call)
                changed = True
            else:
                self.edges.append(edge)
        if not changed:
            return function
        cfa = Cfa(function.cfa.entry, tuple(self.edges))
        return replace(function, cfa=cfa, locals=(*function.locals, *self.locals))

    def _emit(self, operation: Operation, target: str = "") -> None:
        following = target or f"{self.function.name}.{self.mark}{len(self.edges)}"
        self.edges.append(Edge(self.here, operation, following))
        self.here = following

    def _choose(self, place: Place, condition: Expression, rest: Operation) -> None:
        """An operation that leads to the exit where the condition holds; the automaton continues where it does not."""
        yes, no = (f"{self.function.name}.{self.mark}{len(self.edges)}{mark}" for mark in ("", "'"))
        self.edges.append(Edge(self.here, Assume(place, condition), yes))
        self.edges.append(Edge(self.here, Assume(place, condition, truth=False), no))
        self.edges.append(Edge(yes, rest, self.function.exit))
        self.here = no

    def _replace(self, edge: Edge[Operation], call: Call) -> None:
        assert isinstance(call.function, str)
        model = self.chosen[call.function]
        self.here = edge.source
        for operation in evaluations(call.place, call.arguments):
            self._emit(operation)
        match model:
            case "noreturn":
                self._emit(Exit(call.place), self.function.exit)
                return
            case "error":
                self._emit(Error(call.place, "unreach_call", f"{call.function} is called"), self.function.exit)
                return
            case "free":
                pointer = next((a for a in call.arguments if isinstance(a.type, PointerType)), None)
                if pointer is not None:
                    self._emit(Free(call.place, pointer))
                else:
                    reason = f"no argument of this call of {call.function} is a pointer, which its model 'free' frees"
                    self._may_end(call.place, call.function, f"{reason}; say what it does by --models FILE.c")
            case "alloc":
                self._allocate(call)
            case "nondet":
                for argument in call.arguments:
                    if isinstance(argument.type, PointerType):
                        self._write(call, argument)
            case "unknown":
                self._unknown(call)
        if call.result is not None and model != "alloc":
            self._any_value(call.place, call.result, call.function)
        if model == UNKNOWN:
            self.outside[self.here] = call.function
        self._emit(Skip(call.place), edge.target)

    def _unknown(self, call: Call) -> None:
        """Numbers get any values; for more than numbers, a branch that is not supported."""
        assert isinstance(call.function, str)
        name = call.function
        reasons = [self.reach.through(argument) for argument in call.arguments]
        reasons += [self.reach.through_globals, self._kept_elsewhere()]
        reason = next((text for text in reasons if text), "")
        if reason:
            self.passed[self.here] = tuple(a for a in call.arguments if isinstance(a.type, PointerType))
            gives = call.result is not None and isinstance(call.result.type, PointerType)
            advice = f"--extern {name}={'alloc' if gives else 'pure'}, or another model, or --models FILE.c"
            advice = f"say what it does: {advice}"
            self._may_end(call.place, f"{name} (does something)", f"{name} has no body, and {reason}; {advice}")
        changed = dict.fromkeys(self.kept.get(self.function.name, ()))
        changed |= dict.fromkeys(v for variables in self.kept.values() for v in variables if v.is_global)
        own = [v for argument in call.arguments if (v := self.reach.numbers(argument)) is not None]
        for variable in (*own, *(v for v in changed if v not in own and self._lives(v, call))):
            self._any_value(call.place, variable, name)
        for variable in self.reach.shared_numbers:
            self._any_value(call.place, variable, name)

    def _lives(self, variable: Variable, call: Call) -> bool:
        """Whether a variable whose address was kept may still live at a call; for a global it always does."""
        if variable.is_global:
            return True
        sources = [e.target for e in self.function.cfa.edges if self._keeps(e.label, variable)]
        seen = set(sources)
        while sources:
            for edge in self.function.cfa.leaving(sources.pop()):
                if edge.label is call:
                    return True
                ends = isinstance(edge.label, EndScope) and variable in edge.label.variables
                if edge.target not in seen and not ends:
                    seen.add(edge.target)
                    sources.append(edge.target)
        return False

    def _keeps(self, operation: Operation, variable: Variable) -> bool:
        if not isinstance(operation, Call) or operation.function not in self.chosen:
            return False
        return any(self.reach.numbers(argument) == variable for argument in operation.arguments)

    def _kept_elsewhere(self) -> str:
        """A variable of an activation that calls this one, whose address unknown code may have kept."""
        for owner, variables in self.kept.items():
            local = [v for v in variables if not v.is_global]
            if local and self.function.name in self._reached_from(owner):
                return f"it may change {local[0].name.split('#')[0]} of {owner}, whose address was passed before"
        return ""

    def _reached_from(self, owner: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(self.program.call_graph.get(owner, ()))
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self.program.call_graph.get(name, ())
        return seen

    def _any_value(self, place: Place, target: Expression, name: str) -> None:
        """Any value in an object: in each of its scalars."""
        type_ = target.type
        if isinstance(type_, PointerType):
            self._any_pointer(place, target, name)
        elif is_scalar(type_):
            self._emit(Havoc(place, target, name))
        elif isinstance(type_, RecordType):
            layout = self.program.records.get(type_.name)
            for f in layout.fields if layout is not None else ():
                member = Field(target, f.name, f.type, f.offset, f.bit_offset, f.bit_width)
                self._any_value(place, member, name)
        elif isinstance(type_, ArrayType) and type_.count <= _MOST_ELEMENTS:
            for number in range(type_.count):
                self._any_value(place, Index(target, Constant(number, INT), type_.element), name)
        elif isinstance(type_, ArrayType):
            reason = f"{name} has no body and writes an array of {type_.count} elements; give it a model"
            always = Comparison("==", Constant(0, INT), Constant(0, INT))
            self._choose(place, always, Unsupported(place, reason))

    def _any_pointer(self, place: Place, target: Expression, name: str) -> None:
        """NULL, or the address of something of which nothing is known."""
        choice = self._temporary(INT)
        self._emit(Havoc(place, choice, name))
        some, none, after = (
            f"{self.function.name}.{self.mark}{len(self.edges)}{mark}" for mark in ("some", "none", "after")
        )
        chosen = Comparison("!=", choice, Constant(0, INT))
        self.edges += [
            Edge(self.here, Assume(place, chosen), some),
            Edge(self.here, Assume(place, chosen, truth=False), none),
            Edge(some, Havoc(place, target, name), after),
            Edge(none, Assign(place, target, self._null(target.type, name)), after),
        ]
        self.here = after

    def _null(self, type_: Type, name: str) -> Constant:
        """The null pointer; as a result of unknown code it is an assumption, unless the user gave the model."""
        return Constant(0, type_) if name in self.given else ReturnedNull(0, type_, name)

    def _write(self, call: Call, argument: Expression) -> None:
        """Any values in what a pointer argument points to: a variable or an array as a whole, or a struct; not NULL.

        Of another pointer to scalars, or to anything (`void *`), it is not known how much there is to write.
        """
        assert isinstance(call.function, str)
        pointer = uncast(argument)
        if isinstance(pointer, Constant | FunctionAddress | StringLiteral):
            return
        variable = self.reach.numbers(pointer)
        known = variable if variable is not None else _array_of(pointer)
        if known is not None:
            self._any_value(call.place, known, call.function)
            return
        type_ = pointer.type.target if isinstance(pointer.type, PointerType) else argument.type
        if isinstance(type_, FunctionType) or self.reach.is_handle(pointer.type):
            return
        null = Comparison("==", argument, Constant(0, argument.type))
        skip = f"{self.function.name}.{self.mark}{len(self.edges)}#"
        written = f"{self.function.name}.{self.mark}{len(self.edges)}#w"
        self.edges.append(Edge(self.here, Assume(call.place, null, truth=False), written))
        self.edges.append(Edge(self.here, Assume(call.place, null), skip))
        self.here = written
        if not isinstance(type_, RecordType) and not isinstance(pointer, AddressOf):
            advice = "say it by --models FILE.c"
            reason = f"{call.function} has no body and writes to an unknown number of elements of {pointer}; {advice}"
            self._may_end(call.place, f"{call.function} (writes more)", reason)
        if is_scalar(type_) or isinstance(type_, RecordType):
            self._any_value(call.place, Deref(pointer, type_), call.function)
        self._emit(Skip(call.place), skip)

    def _may_end(self, place: Place, choice: str, reason: str) -> None:
        """A branch that is not supported, and one that goes on."""
        variable = self._temporary(INT)
        self._emit(Havoc(place, variable, choice))
        self._choose(place, Comparison("!=", variable, Constant(0, INT)), Unsupported(place, reason))

    def _allocate(self, call: Call) -> None:
        """A new block of as many bytes as the integer arguments say, or as large as what the result points to."""
        target = call.result
        if target is None or not isinstance(target.type, PointerType):
            target = self._temporary(PointerType(INT, self.program.pointer_size))
        word = IntegerType(self.program.pointer_size * 8, signed=False, name="unsigned long")
        size: Expression | None = None
        for argument in call.arguments:
            if isinstance(argument.type, IntegerType):
                amount: Expression = Cast(argument, word) if argument.type != word else argument
                size = amount if size is None else Binary("*", size, amount, word)
        assert isinstance(target.type, PointerType)
        pointed = target.type.target
        element = pointed if pointed.size > 1 else None
        self._emit(Allocate(call.place, target, size or Constant(pointed.size, word), element))

    def _temporary(self, type_: Type) -> Variable:
        variable = Variable(f"${self.mark}{len(self.locals) + 1}", type_)
        self.locals.append(variable)
        return variable


def _array_of(pointer: Expression) -> Expression | None:
    """The array that an address leads to, or to an element of it; an array of arrays as a whole."""
    while isinstance(pointer, PointerOffset | Cast):
        pointer = pointer.pointer if isinstance(pointer, PointerOffset) else pointer.operand
    target = pointer.target if isinstance(pointer, AddressOf) else None
    while isinstance(target, Index):
        target = target.base
    return target if target is not None and isinstance(target.type, ArrayType) else None

"""The predicates of a program: declarations, properties and uses (thesis Appendix C.2.1, Table 10)."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.diagnostics import Position, did_you_mean
from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import BUILTIN, PROPERTY_ARITY, RESERVED, Predicate, Vocabulary
from kleene.tvp.scope import EMPTY, Report, Scope, is_wild, resolve
from kleene.tvp.syntax import DependencySyntax, Name, PredicateDeclaration, PropertySyntax

_OTHER_PROPERTIES = ("abs", "nonabs", "pointer", "box", "uniquePerCC")
_ADJECTIVE = {0: "nullary", 1: "unary", 2: "binary"}


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of a predicate among the declarations; `declared` predicates came before it."""

    predicate: str
    arity: int
    position: Position
    scope: Scope
    declared: int | None


class Predicates:
    """The symbol table. Uses in declarations are checked when all declarations are known."""

    def __init__(self, report: Report, known: Vocabulary | None = None) -> None:
        self._report = report
        self._table: dict[str, Predicate] = {p.name: p for p in (known or BUILTIN)}
        self._places: dict[str, Position] = {}
        self._order: dict[str, int] = {}
        self._uses: list[_Use] = []

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(tuple(self._table.values()))

    # Uses -----------------------------------------------------------------------------------------------

    def use(self, predicate: str, arity: int, position: Position, scope: Scope) -> None:
        """A use in an action: everything is declared by then."""
        if is_wild(predicate):
            return
        known = self._table.get(predicate)
        if known is None:
            hint = did_you_mean(predicate, self._table)
            self._report.error(f"undeclared predicate '{predicate}'{hint}", position, scope)
        elif known.arity != arity:
            needs = "no arguments" if known.arity == 0 else _plural(known.arity, "argument")
            self._report.error(f"predicate '{predicate}' has {needs}, used with {arity}", position, scope)

    def name_in_text(self, name: Name, scope: Scope) -> None:
        """A name in a title or message: an argument or iterator may stand for any word, another name is a predicate."""
        if not scope.replaces(name) and name.text not in self._table:
            hint = did_you_mean(name.text, self._table)
            message = f"'{name.text}' in a text is neither an argument nor a predicate{hint}; its name is written"
            self._report.warn(message, name.position)

    def use_in_definition(self, predicate: str, arity: int, position: Position, scope: Scope) -> None:
        """A use in the definition of an instrumentation predicate: it must be declared earlier."""
        self._uses.append(_Use(predicate, arity, position, scope, len(self._order)))

    def use_in_rule(self, predicate: str, arity: int, position: Position, scope: Scope) -> None:
        """A use in another declaration: it must be declared somewhere."""
        self._uses.append(_Use(predicate, arity, position, scope, None))

    def check_uses(self) -> None:
        """Check the uses in declarations; to be called after the last one."""
        for u in self._uses:
            if u.declared is not None and self._order.get(u.predicate, -1) >= u.declared:
                line = self._places[u.predicate].line
                message = f"predicate '{u.predicate}' is used before its declaration in line {line}"
                self._report.error(message, u.position, u.scope)
            else:
                self.use(u.predicate, u.arity, u.position, u.scope)
        self._uses.clear()

    # Declarations ---------------------------------------------------------------------------------------

    def declare(self, item: PredicateDeclaration, definition: Formula | None, scope: Scope) -> None:
        name = resolve(item.predicate, scope, self._report).text
        if not self._is_free(name, item, scope):
            return
        arity = len(item.args)
        if definition is not None:
            self._check_definition(name, item, definition, scope)
        names = {prop.name for prop in item.properties if isinstance(prop, PropertySyntax)}
        for prop in item.properties:
            self._check_property(name, prop, arity, scope)
        if {"abs", "nonabs"} <= names:
            self._report.error(f"predicate '{name}' is both 'abs' and 'nonabs'", item.position, scope)
        shown = (Kleene.TRUE, Kleene.UNKNOWN) if item.shown is None else item.shown
        self._table[name] = Predicate(
            name,
            arity,
            item.args,
            frozenset(names & PROPERTY_ARITY.keys()),
            definition,
            abstraction=arity <= 1 and "nonabs" not in names,
            pointer=bool(names & {"pointer", "box"}),
            unique_per_component=self._components(item, scope),
            shown=frozenset(shown),
        )
        self._places[name] = item.position
        self._order[name] = len(self._order)

    def _is_free(self, name: str, item: PredicateDeclaration, scope: Scope) -> bool:
        if name in RESERVED:
            self._report.error(f"predicate '{name}' is predefined", item.position, scope)
        elif name in self._table:
            line = self._places[name].line if name in self._places else 0
            self._report.error(f"predicate '{name}' is already declared in line {line}", item.position, scope)
        else:
            return True
        return False

    def _check_definition(self, name: str, item: PredicateDeclaration, f: Formula, scope: Scope) -> None:
        if len(set(item.args)) < len(item.args):
            self._report.error(f"an argument of '{name}' is listed twice", item.position, scope)
        superfluous = [v for v in f.free if v not in item.args]
        missing = [v for v in item.args if v not in f.free]
        if superfluous:
            names = ", ".join(superfluous)
            message = f"the definition of '{name}' has free variables that are not its arguments: {names}"
            self._report.error(message, item.position, scope)
        if missing:
            message = f"the definition of '{name}' does not mention its arguments: {', '.join(missing)}"
            self._report.error(message, item.position, scope)

    def _check_property(self, name: str, prop: PropertySyntax | DependencySyntax, arity: int, scope: Scope) -> None:
        report, place = self._report, prop.position
        if isinstance(prop, DependencySyntax):
            report.error("functional dependencies '[...] --> ...' are not supported", place, scope)
            return
        if prop.name not in PROPERTY_ARITY and prop.name not in _OTHER_PROPERTIES:
            hint = did_you_mean(prop.name, (*PROPERTY_ARITY, *_OTHER_PROPERTIES))
            report.error(f"unknown property '{prop.name}'{hint}", place, scope)
            return
        if prop.name == "uniquePerCC":
            if prop.args is None or len(prop.args) != 1:
                report.error("'uniquePerCC' needs one predicate, as in uniquePerCC(n)", place, scope)
        elif prop.args is not None:
            report.error(f"property '{prop.name}' takes no arguments", place, scope)
        needed = 1 if prop.name in ("pointer", "box", "uniquePerCC") else PROPERTY_ARITY.get(prop.name, arity)
        if needed != arity:
            adjective = _ADJECTIVE[needed]
            message = f"only {adjective} predicates can be '{prop.name}', and '{name}' has arity {arity}"
            report.error(message, place, scope)
        elif prop.name == "abs" and arity > 1:
            message = f"only nullary and unary predicates can be 'abs', and '{name}' has arity {arity}"
            report.error(message, place, scope)
        elif prop.name == "nonabs" and arity > 1:
            report.warn(f"'nonabs' has no effect: '{name}' has arity {arity}", place)

    def _components(self, item: PredicateDeclaration, scope: Scope) -> tuple[str, ...]:
        components = []
        for prop in item.properties:
            if isinstance(prop, PropertySyntax) and prop.name == "uniquePerCC":
                for arg in prop.args or ():
                    text = resolve(arg, scope, self._report).text
                    self.use_in_rule(text, 2, arg.position, scope or EMPTY)
                    components.append(text)
        return tuple(components)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

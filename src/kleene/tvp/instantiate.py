"""Actions with their arguments filled in (thesis Appendix C.3.2 and C.4; TVLA 3 for clone and post
messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kleene.diagnostics import Position
from kleene.logic.formula import Formula
from kleene.transformers.action import Action, Message, Update
from kleene.tvp.declarations import Declarations
from kleene.tvp.scope import Scope, enter_iterator, is_wild, resolve, text_of, wildcard
from kleene.tvp.syntax import (
    ActionSyntax,
    FocusItem,
    Foreach,
    FormulaSyntax,
    MessageSyntax,
    Name,
    PartSyntax,
    TextSyntax,
    UpdateItem,
    UpdateSyntax,
)
from kleene.tvp.syntax_variables import free_variables

FocusCheck = Callable[[Formula, Position], None]


def call_text(name: str, args: Sequence[str]) -> str:
    return f"{name}({', '.join(args)})"


def instantiate(
    syntax: ActionSyntax,
    args: Sequence[str],
    place: Position,
    declarations: Declarations,
    check_focus: FocusCheck | None = None,
) -> Action:
    """The action for one call. Mistakes go to the report and name the call."""
    call = call_text(syntax.name, args)
    suffix = f" (in {call}, used at {place})"
    actuals = [Name(arg) for arg in args]
    scope = Scope.of_call(syntax.formals, actuals, suffix, one_by_one=declarations.arguments_one_by_one)
    return _Builder(syntax, declarations, scope, check_focus).build(call)


def check_unused(syntax: ActionSyntax, declarations: Declarations) -> None:
    """Check an action that no edge uses, as far as that is possible without its arguments.

    TVLA expands only used declarations, so an error in an unused one is a warning.
    """
    scope = Scope.of_call(syntax.formals, [wildcard(formal) for formal in syntax.formals])
    with declarations.report.harmless(f"no edge uses action '{syntax.name}'"):
        _Builder(syntax, declarations, scope, None).build(call_text(syntax.name, syntax.formals))


class _Builder:
    """Builds one action; `variables` are the free variables of its precondition."""

    def __init__(
        self, syntax: ActionSyntax, declarations: Declarations, scope: Scope, check_focus: FocusCheck | None
    ) -> None:
        self.syntax = syntax
        self.declarations = declarations
        self.report = declarations.report
        self.scope = self._with_parameters(scope)
        self.check_focus = check_focus
        self.variables: tuple[str, ...] = ()

    def build(self, name: str) -> Action:
        syntax, scope = self.syntax, self.scope
        self._ignored_parts()
        focus = [f for item in syntax.focus for f in self._focus(item, scope)]
        for item, outer in self.declarations.focus:
            focus += self._focus(item, outer)
        precondition = self._optional(syntax.precondition)
        if precondition is not None:
            self.variables = precondition.free
        new_formula, creates = self._new()
        return Action(
            name=name,
            title=self._text(syntax.title, scope),
            focus=tuple(focus),
            precondition=precondition,
            messages=self._messages(),
            creates=creates,
            new_formula=new_formula,
            clone=self._clone(),
            updates=self._updates(),
            retain=self._retain(),
            post_messages=tuple(self._message(m, scope, ()) for m in syntax.post_messages),
            position=syntax.position,
        )

    def _with_parameters(self, scope: Scope) -> Scope:
        """`%param id in S` stands for the first member of S."""
        for parameter in self.syntax.parameters:
            self.report.warn_ignored("%param", parameter.position)
            if enter_iterator(parameter.name, parameter.position, scope, self.report):
                members = self.declarations.sets.members(parameter.base, scope)
                if not members:
                    message = f"the set of parameter '{parameter.name}' is empty"
                    self.report.error(message, parameter.position, scope)
                scope = scope.bind(parameter.name, members[0] if members else wildcard(parameter.name))
        return scope

    def _ignored_parts(self) -> None:
        syntax = self.syntax
        for keyword in ("frame_pre", "compose", "frame", "decompose"):
            part = getattr(syntax, keyword)
            if part is not None:
                self.report.warn_ignored(f"%{keyword}", part.position)
                self._optional(part.formula if isinstance(part, PartSyntax) else part)

    def _formula(self, f: FormulaSyntax, scope: Scope) -> Formula:
        return self.declarations.lowering.formula(f, scope, self.declarations.predicates.use)

    def _optional(self, f: FormulaSyntax | None) -> Formula | None:
        return None if f is None else self._formula(f, self.scope)

    # Focus and messages ---------------------------------------------------------------------------------

    def _focus(self, item: FocusItem, scope: Scope) -> list[Formula]:
        if not isinstance(item, Foreach):
            f = self._formula(item, scope)
            if self.check_focus is not None:
                self.check_focus(f, item.position)
            return [f]
        return [f for inner in self._scopes(item, scope) for part in item.body for f in self._focus(part, inner)]

    def _scopes(self, item: Foreach[FormulaSyntax] | Foreach[UpdateSyntax], scope: Scope) -> Iterable[Scope]:
        members = self.declarations.sets.members(item.base, scope)
        if not enter_iterator(item.iterator, item.position, scope, self.report):
            return []
        return [scope.bind(item.iterator, member) for member in members]

    def _messages(self) -> tuple[Message, ...]:
        own = [self._message(m, self.scope, self.variables) for m in self.syntax.messages]
        everywhere = [self._message(m, outer, ()) for m, outer in self.declarations.messages]
        return tuple(own + everywhere)

    def _message(self, m: MessageSyntax, scope: Scope, allowed: tuple[str, ...]) -> Message:
        if m.component is not None:
            self.report.warn_ignored("%message [...]", m.component.position)
            self._formula(m.component, scope)
        condition = self._formula(m.condition, scope)
        wrong = [v for v in condition.free if v not in allowed]
        if wrong:
            message = f"the condition of a message has free variables: {', '.join(wrong)}"
            self.report.error(message, m.position, scope)
        text = self._text(m.text, scope)
        only_if = text[0] if text[:2] in ("0:", "1:") else None
        return Message(condition, text[2:].lstrip() if only_if else text, only_if, m.position)

    def _text(self, parts: TextSyntax, scope: Scope) -> str:
        for name in (part for part in parts if isinstance(part, Name)):
            self.declarations.predicates.name_in_text(name, scope)
        return text_of(parts, scope, self.report)

    # New, clone, retain ---------------------------------------------------------------------------------

    def _new(self) -> tuple[Formula | None, bool]:
        part = self.syntax.new
        if part is None:
            return None, False
        f = self._optional(part.formula)
        if f is not None and part.formula is not None and not self._own_variables(f):
            f = self._with_lost_variable(f, part.formula)
        free = self._own_variables(f)
        if len(free) > 1:
            message = f"the formula of '%new' may have one free variable, not {len(free)}: {', '.join(free)}"
            self.report.error(message, part.position, self.scope)
        return (f if free else None), True

    def _clone(self) -> Formula | None:
        part = self.syntax.clone
        if part is None:
            return None
        if part.formula is None:
            self.report.error("'%clone' needs a formula", part.position, self.scope)
            return None
        return self._unary("%clone", part.formula, part.position)

    def _retain(self) -> Formula | None:
        f = self.syntax.retain
        return None if f is None else self._unary("%retain", f, f.position)

    def _unary(self, keyword: str, syntax: FormulaSyntax, position: Position) -> Formula:
        f = self._formula(syntax, self.scope)
        if not self._own_variables(f):
            f = self._with_lost_variable(f, syntax)
        free = self._own_variables(f)
        if len(free) != 1:
            variables = f"{len(free)}: {', '.join(free)}" if free else "none"
            message = f"the formula of '{keyword}' must have exactly one free variable, found {variables}"
            self.report.error(message, position, self.scope)
        return f

    def _with_lost_variable(self, f: Formula, syntax: FormulaSyntax) -> Formula:
        """The formula over the only variable of the text, if a composite over an empty set made it closed."""
        written = [v for v in free_variables(syntax) if v not in self.variables]
        return self.declarations.lowering.over(f, syntax, written) if len(written) == 1 else f

    def _own_variables(self, f: Formula | None) -> list[str]:
        """The free variables that the precondition does not assign."""
        return [] if f is None else [v for v in f.free if v not in self.variables]

    # Updates --------------------------------------------------------------------------------------------

    def _updates(self) -> tuple[Update, ...]:
        updates: dict[str, Update] = {}
        for item in self.syntax.updates or ():
            for update, scope in self._update_item(item, self.scope):
                first = updates.get(update.predicate)
                if first is not None and not is_wild(update.predicate):
                    line = first.position.line if first.position else 0
                    message = (
                        f"predicate '{update.predicate}' is already updated in line {line}: the last update counts"
                    )
                    place = update.position or self.syntax.position
                    self.report.warn(message + scope.call, place, key="update listed twice")
                updates[update.predicate] = update
        return tuple(updates.values())

    def _update_item(self, item: UpdateItem, scope: Scope) -> Iterable[tuple[Update, Scope]]:
        if not isinstance(item, Foreach):
            yield self._update(item, scope), scope
            return
        for inner in self._scopes(item, scope):
            for part in item.body:
                yield from self._update_item(part, inner)

    def _update(self, item: UpdateSyntax, scope: Scope) -> Update:
        name = resolve(item.predicate, scope, self.report).text
        position = item.position
        self.declarations.predicates.use(name, len(item.args), position, scope)
        f = self._formula(item.formula, scope)
        if len(set(item.args)) < len(item.args):
            self.report.error(f"an argument of the update of '{name}' is listed twice", position, scope)
        clash = [v for v in item.args if v in self.variables]
        if clash:
            message = f"the argument '{clash[0]}' of the update is also a free variable of the precondition"
            self.report.error(message, position, scope)
        superfluous = [v for v in self._own_variables(f) if v not in item.args]
        if superfluous:
            names = ", ".join(superfluous)
            message = f"the update of '{name}' has free variables that are not its arguments: {names}"
            self.report.error(message, position, scope)
        return Update(name, item.args, f, item.auto, position)

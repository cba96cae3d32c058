"""Syntax trees as TVP text: parsing the text again gives an equal tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from kleene.tvp.syntax import (
    ActionSyntax,
    AtomSyntax,
    ChainSyntax,
    CloseCycle,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    DeclarationItem,
    DecompositionName,
    DependencySyntax,
    EdgeSyntax,
    EqualSyntax,
    Foreach,
    FormulaSyntax,
    GlobalFocus,
    MessageSyntax,
    Name,
    NotSyntax,
    PredicateDeclaration,
    ProgramSyntax,
    PropertySyntax,
    QuantifiedSyntax,
    RuleDeclaration,
    SetComprehension,
    SetDeclaration,
    SetLiteral,
    SetName,
    SetSyntax,
    StarSyntax,
    TextSyntax,
    UpdateSyntax,
)

_IDENTIFIER = re.compile(r"(?!(?:E|A|TC|foreach|auto)\Z)[A-Za-z_$][A-Za-z0-9_$.]*\Z")
_BINDING = {"<->": 1, "->": 2, "|": 3, "&": 4}
_TIGHTEST = 5


def print_program(program: ProgramSyntax) -> str:
    """The text of a whole TVP file."""
    lines = [line for item in program.declarations for line in _declaration(item)]
    lines += ["", "%%", ""]
    for action in program.actions:
        lines += [*_action(action), ""]
    lines += ["%%", ""]
    lines += map(_edge, program.edges)
    if program.printed:
        lines += ["", "%%", "", ", ".join(_location(place.name) for place in program.printed)]
    return "\n".join(lines) + "\n"


# Names, sets, texts -------------------------------------------------------------------------------------


def _names(names: Iterable[Name]) -> str:
    return ", ".join(name.text for name in names)


def print_set(value: SetSyntax) -> str:
    match value:
        case SetName(name):
            return name
        case SetLiteral(members):
            return f"{{{_names(members)}}}"
        case SetComprehension(members, iterator, base):
            return f"{{{_names(members)} : {iterator} in {print_set(base)}}}"
    loose = value.operator == "&"
    left = _set_operand(value.left, loose or not _is_intersection(value.left))
    right = _set_operand(value.right, _is_atomic(value.right) or (loose and not _is_intersection(value.right)))
    return f"{left} {value.operator} {right}"


def _is_intersection(value: SetSyntax) -> bool:
    return getattr(value, "operator", "") == "&"


def _is_atomic(value: SetSyntax) -> bool:
    return isinstance(value, SetName | SetLiteral | SetComprehension)


def _set_operand(value: SetSyntax, bare: bool) -> str:
    return print_set(value) if bare else f"({print_set(value)})"


def _text(parts: TextSyntax) -> str:
    return " + ".join(part.text if isinstance(part, Name) else f'"{part}"' for part in parts)


def _location(name: str) -> str:
    return name if _IDENTIFIER.match(name) else f'"{name}"'


# Formulas -----------------------------------------------------------------------------------------------


def print_formula(f: FormulaSyntax) -> str:
    """The formula with no more parentheses than the grammar needs."""
    return _formula(f, 0)


def _formula(f: FormulaSyntax, level: int) -> str:
    """The formula where operators must bind at least as tightly as `level`."""
    match f:
        case ConstSyntax(value):
            return str(value)
        case AtomSyntax(predicate, args):
            return f"{predicate.text}({', '.join(args)})"
        case EqualSyntax(left, right, negated):
            return f"{left} {'!=' if negated else '=='} {right}"
        case StarSyntax(predicate, operator, left, right):
            return f"{predicate.text}{operator}({left}, {right})"
        case NotSyntax(body):
            return f"!{_formula(body, _TIGHTEST)}"
        case ConditionalSyntax(condition, then, otherwise):
            return f"({_formula(condition, 0)} ? {_formula(then, 0)} : {_formula(otherwise, 0)})"
        case CompositeSyntax(operator, body, iterator, base):
            return f"{operator}/{{{_formula(body, 0)} : {iterator} in {print_set(base)}}}"
        case ChainSyntax(operator, operands):
            own = _BINDING[operator]
            text = f" {operator} ".join(_formula(operand, own + 1) for operand in operands)
        case QuantifiedSyntax(quantifier, variables, body):
            own = 0
            text = f"{quantifier}({', '.join(variables)}) {_formula(body, 0)}"
        case ClosureSyntax(left, right, sub_left, sub_right, body):
            own = 0
            text = f"TC({left}, {right})({sub_left}, {sub_right}) {_formula(body, 0)}"
    return text if own >= level else f"({text})"


# Declarations -------------------------------------------------------------------------------------------


def _foreach(item: Foreach[Any], inner: Callable[[Any], list[str]], comma: bool = False) -> list[str]:
    blocks = [inner(part) for part in item.body]
    if comma:
        blocks = [[*block[:-1], block[-1] + ","] for block in blocks[:-1]] + blocks[-1:]
    lines = [f"  {line}" for block in blocks for line in block]
    return [f"foreach ({item.iterator} in {print_set(item.base)}) {{", *lines, "}"]


def _declaration(item: DeclarationItem) -> list[str]:
    match item:
        case Foreach():
            return _foreach(item, _declaration)
        case SetDeclaration(name, value, parametric):
            return [f"{'%pset' if parametric else '%s'} {name} {print_set(value)}"]
        case PredicateDeclaration():
            return [_predicate(item)]
        case RuleDeclaration(body, head):
            return [f"%r {print_formula(body)} ==> {print_formula(head)}"]
        case DecompositionName(formula, text):
            return [f"%dname {print_formula(formula)} {_text(text)}".rstrip(" ")]
        case CloseCycle(predicate, formula):
            return [f"%closecycle {predicate.text} -> {print_formula(formula)}"]
        case GlobalFocus(items):
            return [f"%f {{ {_focus(items)} }}"]
        case MessageSyntax():
            return [_message(item)]


def _predicate(item: PredicateDeclaration) -> str:
    keyword = "%p" if item.definition is None else "%i"
    text = f"{keyword} {item.predicate.text}({', '.join(item.args)})"
    if item.definition is not None:
        text += f" = {print_formula(item.definition)}"
    for prop in item.properties:
        text += f" {_property(prop)}"
    if item.shown is not None:
        text += f" {{{', '.join(map(str, item.shown))}}}"
    return text


def _property(prop: PropertySyntax | DependencySyntax) -> str:
    if isinstance(prop, DependencySyntax):
        return f"[{', '.join(prop.sources)}] --> {prop.target}"
    return prop.name if prop.args is None else f"{prop.name}({_names(prop.args)})"


def _message(message: MessageSyntax) -> str:
    component = "" if message.component is None else f"[{print_formula(message.component)}] "
    condition = _formula(message.condition, 3)  # an implication in parentheses, so that the arrow is the text's
    return f"%message {component}{condition} -> {_text(message.text)}"


def _focus_lines(item: Any) -> list[str]:
    return _foreach(item, _focus_lines, comma=True) if isinstance(item, Foreach) else [print_formula(item)]


def _focus(items: Iterable[Any]) -> str:
    return ", ".join(" ".join(_focus_lines(item)) for item in items)


# Actions and edges --------------------------------------------------------------------------------------


def _updates(item: Any) -> list[str]:
    if isinstance(item, Foreach):
        return _foreach(item, _updates)
    assert isinstance(item, UpdateSyntax)
    auto = " auto" if item.auto else ""
    return [f"{item.predicate.text}({', '.join(item.args)}) = {print_formula(item.formula)}{auto}"]


def _action(action: ActionSyntax) -> list[str]:
    lines = [f"%param {p.name} in {print_set(p.base)}" for p in action.parameters]
    if action.title:
        lines.append(f"%t {_text(action.title)}")
    for keyword in ("frame_pre", "compose", "frame"):
        if (formula := getattr(action, keyword)) is not None:
            lines.append(f"%{keyword} {print_formula(formula)}")
    if action.focus:
        lines.append(f"%f {{ {_focus(action.focus)} }}")
    if action.precondition is not None:
        lines.append(f"%p {print_formula(action.precondition)}")
    lines += map(_message, action.messages)
    lines += _optional("new", action) + _optional("clone", action)
    if action.updates is not None:
        lines += ["{", *(f"  {line}" for item in action.updates for line in _updates(item)), "}"]
    if action.retain is not None:
        lines.append(f"%retain {print_formula(action.retain)}")
    lines += map(_message, action.post_messages)
    lines += _optional("decompose", action)
    head = f"%action {action.name}({', '.join(action.formals)}) {{"
    return [head, *(f"  {line}" for line in lines), "}"]


def _optional(keyword: str, action: ActionSyntax) -> list[str]:
    part = getattr(action, keyword)
    if part is None:
        return []
    return [f"%{keyword}" if part.formula is None else f"%{keyword} {print_formula(part.formula)}"]


def _edge(edge: EdgeSyntax) -> str:
    call = f"{edge.action}({', '.join(edge.args)})"
    return f"{_location(edge.source)} {call} {_location(edge.target)}"

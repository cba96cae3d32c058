"""Recursive descent over actions (thesis Appendix C.3.2, TVLA 3 grammar).

The parts of an action have a fixed order; a part in the wrong place is an error that names the order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kleene.diagnostics import Diagnostic
from kleene.source.tokens import Kind, Token
from kleene.tvp.formula_parser import FormulaParser
from kleene.tvp.syntax import (
    ActionSyntax,
    FocusItem,
    Foreach,
    MessageSyntax,
    ParameterSyntax,
    PartSyntax,
    UpdateItem,
    UpdateSyntax,
)

ORDER = (
    "%param",
    "%t",
    "%frame_pre",
    "%compose",
    "%frame",
    "%f",
    "%p",
    "%message",
    "%new",
    "%clone",
    "{",
    "%retain",
    "%message",
    "%decompose",
)
_RANK = {part: rank for rank, part in enumerate(ORDER)} | {"%message": ORDER.index("%message")}
_LATE_MESSAGE = 12
_REPEATABLE = ("%param", "%message")
_ORDER_TEXT = " ".join("{updates}" if part == "{" else part for part in ORDER)
T = TypeVar("T")


class ActionParser(FormulaParser):
    """Adds messages, focus lists, updates and whole actions to the grammar."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.errors: list[Diagnostic] = []
        self.open_foreach = 0

    def message(self) -> MessageSyntax:
        """``%message ['[' formula ']'] formula -> text``"""
        position = self.expect("%message").position
        component = None
        if self.accept("["):
            component = self.inner_formula()
            self.expect("]")
        self.stop_at_text = True
        condition = self.formula()
        self.stop_at_text = False
        self.expect("->")
        return MessageSyntax(condition, self.text(), component, position=position)

    def foreach(self, body: Callable[[], tuple[T | Foreach[T], ...]]) -> Foreach[T]:
        """``foreach ( ID in set ) { body }``"""
        position = self.expect("foreach").position
        self.enter()
        self.expect("(")
        iterator = self.identifier("the name of the iterator")
        self.word_in()
        base = self.set_expression()
        self.expect(")")
        self.expect("{")
        self.open_foreach += 1
        items = body()
        self.expect("}")
        self.open_foreach -= 1
        self.leave()
        return Foreach(iterator, base, items, position=position)

    # Focus lists and updates ----------------------------------------------------------------------------

    def focus_items(self) -> tuple[FocusItem, ...]:
        """Formulas and foreach blocks, separated by commas, up to the closing brace."""
        items: list[FocusItem] = []
        while not self.at("}"):
            items.append(self.foreach(self.focus_items) if self.at("foreach") else self.formula())
            if not self.accept(",") and not self.at("}"):
                self.fail("',' or '}'")
        return tuple(items)

    def focus_list(self) -> tuple[FocusItem, ...]:
        self.expect("%f")
        self.expect("{")
        items = self.focus_items()
        self.expect("}")
        return items

    def updates(self) -> tuple[UpdateItem, ...]:
        items: list[UpdateItem] = []
        while not self.at("}"):
            items.append(self.foreach(self.updates) if self.at("foreach") else self._update())
        return tuple(items)

    def _update(self) -> UpdateSyntax:
        """``pred(args) = formula [auto]``; the left side may stand in parentheses (for macro output)."""
        wrapped = self.accept("(") is not None
        position = self.position
        predicate = self.name("an update or '}'")
        args = self.variables()
        if wrapped:
            self.expect(")")
        self.expect("=")
        formula = self.formula()
        auto = self.accept("auto") is not None
        return UpdateSyntax(predicate, args, formula, auto, position=position)

    # Actions --------------------------------------------------------------------------------------------

    def action(self) -> ActionSyntax:
        self.expect("%action")
        position = self.position
        name = self.identifier("the name of an action")
        formals = self._formals()
        self.expect("{")
        parts: dict[str, Any] = {"parameters": [], "messages": [], "post_messages": []}
        rank = -1
        while not self.at("}"):
            rank = self._part(parts, rank)
        self.advance()
        for repeated in ("parameters", "messages", "post_messages"):
            parts[repeated] = tuple(parts[repeated])
        return ActionSyntax(name, formals, position=position, **parts)

    def _formals(self) -> tuple[str, ...]:
        self.expect("(")
        names: list[str] = []
        if not self.at(")"):
            names.append(self.identifier("an argument or ')'"))
            while self.accept(","):
                names.append(self.identifier("an argument"))
        if not self.at(")"):
            self.fail("',' or ')'")
        self.advance()
        return tuple(names)

    def _part(self, parts: dict[str, Any], rank: int) -> int:
        """Read one part of an action; the result is its place in the order."""
        keyword = self.current.text if self.current.kind in (Kind.KEYWORD, Kind.OPERATOR) else ""
        own = _RANK.get(keyword)
        if own is None:
            self.fail("a part of the action or '}'")
        if keyword == "%message" and rank > own:
            own = _LATE_MESSAGE
        if own < rank or (own == rank and keyword not in _REPEATABLE):
            what = "updates" if keyword == "{" else f"'{keyword}'"
            wrong = "given twice" if own == rank else f"must come before '{ORDER[rank]}'"
            text = f"{what} {wrong}; the order of the parts of an action is: {_ORDER_TEXT}"
            self.errors.append(Diagnostic(text, self.position))
        self._read_part(keyword, own, parts)
        return max(own, rank)

    def _read_part(self, keyword: str, rank: int, parts: dict[str, Any]) -> None:
        if keyword == "%message":
            parts["post_messages" if rank == _LATE_MESSAGE else "messages"].append(self.message())
        elif keyword == "%f":
            parts["focus"] = self.focus_list()
        elif keyword == "{":
            self.advance()
            parts["updates"] = self.updates()
            self.expect("}")
        elif keyword == "%param":
            position = self.advance().position
            name = self.identifier("the name of a parameter")
            self.word_in()
            parts["parameters"].append(ParameterSyntax(name, self.set_expression(), position=position))
        elif keyword == "%t":
            self.advance()
            parts["title"] = self.text()
        elif keyword in ("%new", "%clone", "%decompose"):
            position = self.advance().position
            formula = self.formula() if self.starts_formula() else None
            parts[keyword[1:]] = PartSyntax(formula, position=position)
        else:
            self.advance()
            field = "precondition" if keyword == "%p" else keyword[1:]
            parts[field] = self.formula()

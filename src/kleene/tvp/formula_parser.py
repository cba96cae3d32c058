"""Recursive descent over names, set expressions, formulas and message texts (thesis Figure 46, TVLA 3
grammar).

Precedence, from loosest to tightest: quantifiers and ``TC`` (their scope reaches as far right as possible),
``<->``, ``->``, ``|``, ``&``, ``!``. The binary operators are left associative.
"""

from __future__ import annotations

from kleene.logic.kleene import Kleene
from kleene.source.cursor import Cursor
from kleene.source.tokens import Kind
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
    SetComprehension,
    SetLiteral,
    SetName,
    SetOperation,
    SetSyntax,
    StarSyntax,
    TextSyntax,
)

_BINDING = {"<->": 1, "->": 2, "|": 3, "&": 4}


class FormulaParser(Cursor):
    """The part of the grammar that formulas need; `TvpParser` adds declarations, actions and edges."""

    stop_at_text = False
    """True while the condition of a message is read: there ``->`` may introduce the text."""

    # Names and lists ------------------------------------------------------------------------------------

    def identifier(self, what: str) -> str:
        return self.expect_kind(Kind.NAME, what).text

    def variables(self) -> tuple[str, ...]:
        """``( [ID, ...] )``"""
        self.expect("(")
        names: list[str] = []
        if not self.at(")"):
            names.append(self.identifier("a variable or ')'"))
            while self.accept(","):
                names.append(self.identifier("a variable"))
        if not self.at(")"):
            self.fail("',' or ')'" if names else "')'")
        self.advance()
        return tuple(names)

    def name(self, what: str = "a predicate name") -> Name:
        """``ID [ '[' [name, ...] ']' ]``"""
        token = self.expect_kind(Kind.NAME, what)
        args: list[Name] = []
        if self.at("["):
            self.enter()
            self.advance()
            if not self.at("]"):
                args.append(self.name("a name or ']'"))
                while self.accept(","):
                    args.append(self.name("a name"))
            if not self.at("]"):
                self.fail("',' or ']'")
            self.advance()
            self.leave()
        return Name(token.text, tuple(args), position=token.position)

    def word_in(self) -> None:
        if not (self.at("in") and self.at_kind(Kind.NAME)):
            self.fail("'in'")
        self.advance()

    # Sets -----------------------------------------------------------------------------------------------

    def set_expression(self) -> SetSyntax:
        """``+`` and ``-`` bind tighter than ``&``; all are left associative."""
        self.enter()
        position = self.position
        left = self._set_sum()
        length = 0
        while self.accept("&"):
            length += 1
            self._limit(length)
            left = SetOperation("&", left, self._set_sum(), position=position)
        self.leave()
        return left

    def _set_sum(self) -> SetSyntax:
        position = self.position
        left = self._set_operand()
        length = 0
        while self.at("+", "-"):
            length += 1
            self._limit(length)
            operator = self.advance().text
            left = SetOperation(operator, left, self._set_operand(), position=position)
        return left

    def _limit(self, length: int) -> None:
        if length > 100:
            self.fail("a set expression of at most 100 operators")

    def _set_operand(self) -> SetSyntax:
        position = self.position
        if self.accept("("):
            inner = self.set_expression()
            self.expect(")")
            return inner
        if self.at("{"):
            return self._set_members()
        return SetName(self.identifier("a set"), position=position)

    def _set_members(self) -> SetSyntax:
        position = self.expect("{").position
        members: list[Name] = []
        if not self.at("}"):
            members.append(self.name("a set member or '}'"))
            while self.accept(","):
                members.append(self.name("a set member"))
        if members and self.accept(":"):
            iterator = self.identifier("the name of the iterator")
            self.word_in()
            base = self.set_expression()
            self.expect("}")
            return SetComprehension(tuple(members), iterator, base, position=position)
        if not self.at("}"):
            self.fail("',' or '}'")
        self.advance()
        return SetLiteral(tuple(members), position=position)

    # Formulas -------------------------------------------------------------------------------------------

    def formula(self) -> FormulaSyntax:
        self.enter()
        result = self._chain(1)
        self.leave()
        return result

    def inner_formula(self) -> FormulaSyntax:
        """A formula in parentheses or braces, where ``->`` is always an implication."""
        outer, self.stop_at_text = self.stop_at_text, False
        result = self.formula()
        self.stop_at_text = outer
        return result

    def starts_formula(self) -> bool:
        token = self.current
        if token.kind in (Kind.NAME, Kind.CONST):
            return True
        return self.at("E", "A", "TC", "!", "(", "|", "&")

    def _chain(self, loosest: int) -> FormulaSyntax:
        """Operators that bind at least as tightly as `loosest`; one node for a row of equal operators."""
        position = self.position
        row = [self._unary()]
        joined = ""  # the operator between the formulas of the row
        while True:
            operator = self.current.text
            binding = _BINDING.get(operator, 0)
            if (
                binding < loosest
                or self.current.kind is not Kind.OPERATOR
                or (operator == "->" and self.stop_at_text and self._text_follows())
            ):
                return ChainSyntax(joined, tuple(row), position=position) if joined else row[0]
            self.advance()
            right = self._chain(binding + 1)
            if joined and joined != operator:
                row = [ChainSyntax(joined, tuple(row), position=position)]
            row.append(right)
            joined = operator

    def _unary(self) -> FormulaSyntax:
        if not self.at("!"):
            return self._primary()
        position = self.position
        self.enter()
        self.advance()
        body = self._unary()
        self.leave()
        return NotSyntax(body, position=position)

    def _primary(self) -> FormulaSyntax:
        token = self.current
        kind = token.kind
        if kind is Kind.NAME:
            return self._atom()
        position = token.position
        if kind is Kind.CONST:
            self.advance()
            return ConstSyntax(Kleene.parse(token.text), position=position)
        if self.at("("):
            return self._parenthesis()
        if self.at("E", "A"):
            self.advance()
            variables = self.variables()
            return QuantifiedSyntax(token.text, variables, self.formula(), position=position)
        if self.at("TC"):
            return self._closure()
        if not self.at("|", "&"):
            self.fail("a formula")
        return self._composite()

    def _atom(self) -> FormulaSyntax:
        token = self.current
        following = self.ahead(1)
        if following.kind is Kind.OPERATOR and following.text in ("==", "!="):
            self.advance()
            self.advance()
            right = self.identifier("a variable")
            return EqualSyntax(token.text, right, following.text == "!=", position=token.position)
        name = self.name()
        if self.at("*", "+"):
            operator = self.advance().text
            left, right = self._pair()
            return StarSyntax(name, operator, left, right, position=token.position)
        if not self.at("("):
            self.fail(f"'(' after '{name.text}'")
        return AtomSyntax(name, self.variables(), position=token.position)

    def _pair(self) -> tuple[str, str]:
        self.expect("(")
        left = self.identifier("a variable")
        self.expect(",")
        right = self.identifier("a variable")
        self.expect(")")
        return left, right

    def _parenthesis(self) -> FormulaSyntax:
        position = self.expect("(").position
        first = self.inner_formula()
        if self.accept("?"):
            then = self.inner_formula()
            self.expect(":")
            otherwise = self.inner_formula()
            self.expect(")")
            return ConditionalSyntax(first, then, otherwise, position=position)
        self.expect(")")
        return first

    def _closure(self) -> FormulaSyntax:
        position = self.expect("TC").position
        left, right = self._pair()
        sub_left, sub_right = self._pair()
        return ClosureSyntax(left, right, sub_left, sub_right, self.formula(), position=position)

    def _composite(self) -> FormulaSyntax:
        position = self.position
        operator = self.advance().text
        if not self.at("/"):
            self.fail("a formula" if self.current.kind is not Kind.OPERATOR else "'/'")
        self.advance()
        self.expect("{")
        body = self.inner_formula()
        self.expect(":")
        iterator = self.identifier("the name of the iterator")
        self.word_in()
        base = self.set_expression()
        self.expect("}")
        return CompositeSyntax(operator, body, iterator, base, position=position)

    # Message texts --------------------------------------------------------------------------------------

    def text(self) -> TextSyntax:
        """``STRING`` and names, joined by ``+``."""
        parts = [self._text_part()]
        while self.accept("+"):
            parts.append(self._text_part())
        return tuple(parts)

    def _text_part(self) -> str | Name:
        if self.at_kind(Kind.STRING):
            return self.advance().text
        return self.name("a string or a name")

    def _text_follows(self) -> bool:
        """After a condition: does this ``->`` introduce the text, or is it one more implication?"""
        distance = 1
        if self.ahead(distance).kind is not Kind.NAME:
            return self.ahead(distance).kind is Kind.STRING
        distance += 1
        if self.ahead(distance).text == "[":
            depth = 0
            while self.ahead(distance).kind is not Kind.END:
                text = self.ahead(distance).text
                depth += (text == "[") - (text == "]")
                distance += 1
                if depth == 0:
                    break
        following = self.ahead(distance)
        if following.kind is Kind.OPERATOR and following.text == "+":
            return self.ahead(distance + 1).text != "("
        return following.kind is not Kind.OPERATOR or following.text not in ("(", "*", "==", "!=")

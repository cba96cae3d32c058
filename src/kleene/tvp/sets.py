"""Sets of predicate names (thesis Appendix C.5.3; TVLA 3: intersection, comprehension, members with
brackets).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kleene.diagnostics import did_you_mean
from kleene.tvp.scope import Report, Scope, enter_iterator, is_wild, resolve, wildcard
from kleene.tvp.syntax import Name, SetComprehension, SetLiteral, SetName, SetOperation, SetSyntax

Members = tuple[Name, ...]
LARGEST_SET = 10_000


class Sets:
    """The declared sets. Declaring a set again adds to it, as TVLA 3 does."""

    def __init__(self, report: Report, known: Mapping[str, Members] | None = None) -> None:
        self._members: dict[str, Members] = dict(known or {})
        self._report = report

    def declare(self, name: str, members: Members) -> None:
        self._members[name] = _distinct((*self._members.get(name, ()), *members))

    def members(self, value: SetSyntax, scope: Scope) -> Members:
        """The members in order of insertion, without repetitions."""
        members = self._evaluate(value, scope)
        if len(members) > LARGEST_SET:
            self._report.error(f"the set has more than {LARGEST_SET} members", value.position, scope)
            return ()
        return members

    def texts(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(member.text for member in members) for name, members in self._members.items()}

    def _evaluate(self, value: SetSyntax, scope: Scope) -> Members:
        match value:
            case SetName():
                return self._members_of(value, scope)
            case SetLiteral(members):
                return _distinct(resolve(member, scope, self._report) for member in members)
            case SetComprehension():
                return self._comprehension(value, scope)
            case SetOperation(operator, left, right):
                return _combine(operator, self._evaluate(left, scope), self._evaluate(right, scope))

    def _members_of(self, value: SetName, scope: Scope) -> Members:
        name = resolve(Name(value.name, position=value.position), scope, self._report).text
        if is_wild(name):
            return (wildcard(name),)
        members = self._members.get(name)
        if members is None:
            hint = did_you_mean(name, self._members)
            self._report.error(f"undeclared set '{name}'{hint}", value.position, scope)
            return ()
        return members

    def _comprehension(self, value: SetComprehension, scope: Scope) -> Members:
        base = self.members(value.base, scope)
        if not enter_iterator(value.iterator, value.position, scope, self._report):
            return ()
        return _distinct(
            resolve(member, scope.bind(value.iterator, element), self._report)
            for element in base
            for member in value.members
        )


def _distinct(members: Iterable[Name]) -> Members:
    first: dict[str, Name] = {}
    for member in members:
        first.setdefault(member.text, member)
    return tuple(first.values())


def _combine(operator: str, left: Members, right: Members) -> Members:
    if operator == "+":
        return _distinct((*left, *right))
    if any(is_wild(member.text) for member in right):  # which members remain is not known
        return tuple(wildcard(member.text) for member in left)
    names = {member.text for member in right}
    keep = operator == "&"
    return tuple(m for m in left if (m.text in names) == keep or (keep and is_wild(m.text)))

"""From one universe to one sort for each cell: quantifiers become conjunctions over cells, known values vanish.

The result is a formula whose variables name their sort: ``v:3`` is of the sort of cell 3, ``!3`` is the one
individual of cell 3. Predicates are divided by the sorts of their arguments: ``n[1,3]``. `present:3` says that an
optional cell is not empty. Formulas must be free of closures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    neg,
)
from kleene.smt.universe import Universe

Env = Mapping[str, int]


def sorted_symbol(symbol: str, cells: tuple[int, ...]) -> str:
    return f"{symbol}[{','.join(map(str, cells))}]" if cells else symbol


def presence(cell: int) -> Atom:
    return Atom(f"present:{cell}", ())


def sort_of(variable: str) -> int:
    """The cell whose sort a variable of an expanded formula has."""
    return int(variable[1:] if variable.startswith("!") else variable.rpartition(":")[2])


class Expansion:
    """Expands formulas over one universe; results are shared between formulas."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self._memo: dict[tuple[Formula, tuple[int, ...]], Formula] = {}
        self.symbols: dict[str, tuple[str, tuple[int, ...]]] = {}
        """The divided predicates that occur: their undivided symbol and cells."""
        self._known: dict[str, bool] = {}

    def learn(self, divided: str, *, value: bool) -> bool:
        """Take a divided predicate (or `present:i`) as a constant from now on; False if it is one already."""
        if divided in self._known:
            return False
        self._known[divided] = value
        self._memo.clear()
        return True

    def learnt(self) -> Iterator[tuple[tuple[str, tuple[int, ...]], bool]]:
        """The constants learnt so far, by undivided symbol and cells; `present:i` has no cells."""
        for name, value in self._known.items():
            if name in self.symbols or name.startswith("present:"):
                yield self.symbols.get(name, (name, ())), value

    def expand_closed(self, f: Formula) -> Formula:
        """The expansion of a formula; free variables stand for some individuals."""
        return self.expand(exists(f.free, f), {})

    def expand(self, f: Formula, env: Env) -> Formula:
        key = (f, tuple(env[v] for v in f.free))
        result = self._memo.get(key)
        if result is None:
            result = self._memo[key] = self._expand(f, env)
        return result

    def _variable(self, name: str, cell: int) -> str:
        return f"!{cell}" if self.universe.cells[cell].single else f"{name}:{cell}"

    def _expand(self, f: Formula, env: Env) -> Formula:
        match f:
            case Const():
                return f
            case Atom(symbol, args):
                return self._atom(symbol, args, env)
            case Equal(a, b):
                if env[a] != env[b]:
                    return FALSE
                left, right = self._variable(a, env[a]), self._variable(b, env[b])
                return TRUE if left == right else Equal(left, right)
            case Not(body):
                return neg(self.expand(body, env))
            case And(a, b):
                left_part = self.expand(a, env)
                return FALSE if left_part is FALSE else conj(left_part, self.expand(b, env))
            case Or(a, b):
                left_part = self.expand(a, env)
                return TRUE if left_part is TRUE else disj(left_part, self.expand(b, env))
            case Iff(a, b):
                return _iff(self.expand(a, env), self.expand(b, env))
            case IfThenElse(c, a, b):
                parts = (self.expand(c, env), self.expand(a, env), self.expand(b, env))
                return disj(conj(parts[0], parts[1]), conj(neg(parts[0]), parts[2]))
            case Exists(v, body) | Forall(v, body):
                return self._quantify(f, v, body, env)
        raise ValueError(f"cannot expand '{f}'")

    def _atom(self, symbol: str, args: tuple[str, ...], env: Env) -> Formula:
        cells = tuple(env[v] for v in args)
        known = self.universe.constant(symbol, cells)
        if known is not None:
            return TRUE if known else FALSE
        name = sorted_symbol(symbol, cells)
        known = self._known.get(name)
        if known is not None:
            return TRUE if known else FALSE
        self.symbols[name] = (symbol, cells)
        return Atom(name, tuple(self._variable(v, c) for v, c in zip(args, cells, strict=True)))

    def _present(self, cell: int) -> Formula:
        if not self.universe.cells[cell].optional:
            return TRUE
        atom = presence(cell)
        known = self._known.get(atom.predicate)
        return atom if known is None else TRUE if known else FALSE

    def _quantify(self, f: Formula, v: str, body: Formula, env: Env) -> Formula:
        universal = isinstance(f, Forall)
        parts = []
        for cell in self.universe.domain(v):
            part = self.expand(body, {**env, v: cell})
            name = self._variable(v, cell)
            if not self.universe.cells[cell].single:
                part = forall([name], part) if universal else exists([name], part)
            there = self._present(cell)
            if there is not TRUE:
                part = disj(neg(there), part) if universal else conj(there, part)
            if part is (FALSE if universal else TRUE):
                return part
            parts.append(part)
        return conj(*parts) if universal else disj(*parts)


def _iff(a: Formula, b: Formula) -> Formula:
    for one, other in ((a, b), (b, a)):
        if one is TRUE:
            return other
        if one is FALSE:
            return neg(other)
    return TRUE if a is b else Iff(a, b)

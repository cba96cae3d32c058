"""`assume` and `bif` exactly as Figs. 4 and 5 of YRS04 print them: the reference that the tests and benchmarks use.

Deviations, each of them necessary (without them Fig. 4 loops or loses structures): the done flags are not inherited by
S0 and S1, a structure that was removed is not added again, and the loop leaves it as soon as it is removed. The result
is not always exact, as printed: each 1/2 is justified by a query of its own. `assume.assume` is the algorithm to use.

The questions of the figures are answered by the most precise result, where that is known: a bounded structure has a
store iff the canonical abstraction of a store is embedded in it. Else each is a query.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from kleene.logic.formula import Atom, Equal, Formula, conj, exists, neg
from kleene.logic.kleene import Kleene
from kleene.smt import Solver, Universe, Unsat
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.edit import with_duplicate
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.gamma_hat import check_bounded, gamma_hat, node_formula
from kleene.symbolic.known_stores import KnownStores
from kleene.symbolic.result import SymbolicOptions, SymbolicResult, in_order
from kleene.symbolic.theory import Theory, check_closed, stage

_DEFAULT = SymbolicOptions()
MOST_BRANCHES = 2_000
"""Structures of a computation tree that are refined: Fig. 4 tries all values of all indefinite tuples."""
MOST_UNDECIDED = 2
"""Undecided queries for a tree that is shown beside the result: each takes seconds, and those below it are alike."""


@dataclass
class Branch:
    """A node of the computation tree (Fig. 6): a structure, and what became of it.

    `choice` says how it differs from its parent, `question` by which value it was refined.
    """

    structure: Structure
    choice: str = ""
    fate: str = "kept"
    question: str = ""
    children: list[Branch] = field(default_factory=list)


def assume(
    formula: Formula, structures: Sequence[Structure], theory: Theory, options: SymbolicOptions = _DEFAULT
) -> SymbolicResult:
    """Fig. 4. Every structure that a query does not exclude is kept, so a time-out is sound."""
    return computation(formula, structures, theory, options)[0]


def computation(
    formula: Formula,
    structures: Sequence[Structure],
    theory: Theory,
    options: SymbolicOptions = _DEFAULT,
    *,
    best: SymbolicResult | None = None,
) -> tuple[SymbolicResult, list[Branch]]:
    """The result of Fig. 4, and the computation tree of each input structure.

    `best` is the result of `assume` for the same question. If it is most precise and has all structures, no query is
    asked; else provers give up early, and the tree ends after some queries that are not decided.
    """
    check_closed(formula)
    for structure in structures:
        check_bounded(structure)
    start = time.perf_counter()
    run = _Run(formula, theory, options.solver(), _known_stores(best, structures))
    run.most_undecided = MOST_UNDECIDED if best is not None else math.inf
    roots = [Branch(s) for s in structures]
    refined = run.refine(run.bif(roots))
    reason = "a query was not decided" if run.undecided else "Fig. 4 justifies each 1/2 on its own"
    ordered = in_order(map(canonical_abstraction, refined), minimal=options.minimal)
    result = SymbolicResult(
        ordered,
        (None,) * len(ordered),
        most_precise=False,
        reason=reason,
        solver_calls=run.solver.statistics.calls,
        seconds=time.perf_counter() - start,
        statistics=run.solver.statistics,
    )
    return result, roots


def _known_stores(best: SymbolicResult | None, structures: Sequence[Structure]) -> KnownStores | None:
    """What the most precise result says about stores; None if it leaves some out."""
    if best is None or not best.most_precise or best.minimal:
        return None
    if any(s.value("sm", u) is Kleene.TRUE for s in structures for u in s.nodes):
        return None  # embedding compares values of `sm`, and does not count individuals
    return KnownStores(structures, best.structures)


class _Run:
    def __init__(self, formula: Formula, theory: Theory, solver: Solver, known: KnownStores | None = None) -> None:
        self.formula = stage(formula, {})
        self.theory = theory
        self.solver = solver
        self.known = known
        self.undecided = 0
        self.most_undecided = math.inf
        self.branches = 0

    def possible(self, structure: Structure) -> bool:
        """``isSatisfiable(gamma_hat(S) & phi)``; True if that was not decided."""
        if self.known is not None:
            return self.known.has_store(structure)
        if all(structure.is_maybe_active(u) for u in structure.nodes) and self._holds_empty():
            return True
        return self._is_satisfiable(structure)

    def varies(self, structure: Structure, name: str, nodes: tuple[int, ...]) -> bool:
        """Whether a store of the structure has both values of a predicate on some nodes, by Eq. (1)."""
        if self.known is not None:
            return self.known.varies(structure, name, nodes)
        return self._is_satisfiable(structure, differs(structure, name, nodes))

    def lowered(self, structure: Structure, name: str, nodes: tuple[int, ...], value: Kleene) -> Structure:
        """The structure with a definite value."""
        child = _with_value(structure, name, nodes, value)
        if self.known is not None:
            self.known.lower(structure, child, name, nodes, value)
        return child

    def bifurcated(self, structure: Structure, name: str, node: int) -> Structure:
        """``S[u -> u.0, u.1]`` with the predicate 0 on one and 1 on the other; all other values are copied."""
        child = _bifurcate(structure, name, node)
        if self.known is not None:
            self.known.split(structure, child, name, node)
        return child

    def _is_satisfiable(self, structure: Structure, *more: Formula) -> bool:
        if self.undecided >= self.most_undecided:
            return True
        question = [gamma_hat(structure, self.theory), self.formula, *more]
        session = self.solver.session(question, Universe(), self.theory.fields())
        answer = session.check(quick=self.most_undecided < math.inf)
        self.undecided += type(answer).__name__ == "Unknown"
        return not isinstance(answer, Unsat)

    def _holds_empty(self) -> bool:
        """Whether the store without individuals is legal and satisfies phi; solvers know no empty universes."""
        empty = StructureBuilder(self.theory.vocabulary, 0).build()
        rules = (rule.formula for rule in self.theory.integrity)
        return all(evaluate(empty, f) is Kleene.TRUE for f in (*rules, self.formula))

    def bif(self, roots: list[Branch]) -> list[Branch]:
        """Fig. 5: split nodes until all abstraction predicates are definite."""
        waiting = [root for root in roots if self._is_possible(root)]
        done: list[Branch] = []
        while waiting:
            branch = waiting.pop()
            if self._is_over(branch):
                done.append(branch)
                continue
            structure = branch.structure
            place = _indefinite_name(structure)
            if place is None:
                done.append(branch)
                continue
            name, node = place
            branch.question = _atom(structure, name, (node,))
            branch.fate = "split"
            both = Branch(self.bifurcated(structure, name, node), "0 and 1")
            branch.children.append(both)
            if self.varies(structure, name, (node,)):
                waiting.append(both)
            else:
                both.fate = NO_STORE
            for value in (Kleene.FALSE, Kleene.TRUE):
                copy = Branch(self.lowered(structure, name, (node,), value), str(value))
                branch.children.append(copy)
                if self._is_possible(copy):
                    waiting.append(copy)
        return done

    def _is_over(self, branch: Branch) -> bool:
        """Whether a structure is left as it is: no time is left, the tree is too large, or provers do not decide it."""
        self.branches += 1
        is_small = self.branches <= MOST_BRANCHES and self.undecided < self.most_undecided
        if self.solver.remaining() > 0 and is_small:
            return False
        branch.fate = NO_TIME
        self.undecided += 1
        return True

    def _is_possible(self, branch: Branch) -> bool:
        if not self.possible(branch.structure):
            branch.fate = NO_STORE
            return False
        return True

    def refine(self, working: list[Branch]) -> list[Structure]:
        """Fig. 4, phase 2: lower 1/2 to 0 and 1 where a store shows them."""
        result: dict[Structure, None] = dict.fromkeys(branch.structure for branch in working)
        seen = set(result)
        waiting = list(working)
        while waiting:
            branch = waiting.pop()
            if self._is_over(branch):
                continue
            structure = branch.structure
            for name, nodes in _indefinite_tuples(structure):
                atom = _atom(structure, name, nodes)
                if not self.varies(structure, name, nodes):
                    del result[structure]
                    branch.fate = f"removed: {atom} is definite in every store"
                for value in (Kleene.FALSE, Kleene.TRUE) if name != "sm" else (Kleene.FALSE,):
                    copy = Branch(self.lowered(structure, name, nodes, value), f"{atom} = {value}")
                    branch.children.append(copy)
                    if copy.structure in seen:
                        copy.fate = SEEN
                    elif self._is_possible(copy):
                        seen.add(copy.structure)
                        result[copy.structure] = None
                        waiting.append(copy)
                if structure not in result:
                    break
        return list(result)


NO_STORE, SEEN, NO_TIME = "no store", "as before", "kept: not refined further"


def _atom(structure: Structure, name: str, nodes: tuple[int, ...]) -> str:
    return f"{name}({', '.join(structure.name(u) for u in nodes)})"


def differs(structure: Structure, name: str, nodes: tuple[int, ...]) -> Formula:
    """Eq. (1): two tuples of individuals, both represented by the nodes, on which the predicate differs.

    For the paper's `eq` on a node itself (`sm` here) that is: two individuals of the node.
    """
    first = tuple(f"w1{i}" for i in range(len(nodes)))
    second = tuple(f"w2{i}" for i in range(len(nodes)))
    if name == "sm":
        first, second = ("w10",), ("w20",)
    represented = [node_formula(structure, u, v) for vs in (first, second) for u, v in zip(nodes, vs, strict=True)]
    distinct = neg(conj(*(Equal(v, w) for v, w in zip(first, second, strict=True))))
    values = () if name == "sm" else (Atom(name, first), neg(Atom(name, second)))
    return stage(exists((*first, *second), conj(*represented, distinct, *values)), {})


def _indefinite_name(structure: Structure) -> tuple[str, int] | None:
    for p in structure.vocabulary.unary_abstraction:
        for u in structure.nodes:
            if not structure.value(p.name, u).definite:
                return p.name, u
    return None


def _indefinite_tuples(structure: Structure) -> Iterator[tuple[str, tuple[int, ...]]]:
    for p in structure.vocabulary:
        if p.name == "ac" or (p.name == "sm" and not structure.size):
            continue
        for nodes in product(structure.nodes, repeat=p.arity):
            if not structure.value(p.name, *nodes).definite:
                yield p.name, nodes


def _with_value(structure: Structure, name: str, nodes: tuple[int, ...], value: Kleene) -> Structure:
    builder = _builder(structure, list(structure.values), structure.names)
    builder.set(name, nodes, value)
    return builder.build()


def _builder(structure: Structure, values: list[int], names: tuple[str, ...] | None) -> StructureBuilder:
    builder = StructureBuilder(structure.vocabulary, len(names) if names else structure.size, names)
    builder.values = values
    return builder


def _bifurcate(structure: Structure, name: str, node: int) -> Structure:
    arities = tuple(p.arity for p in structure.vocabulary)
    values = with_duplicate(list(structure.values), structure.size, arities, node)
    names = [structure.name(u) for u in structure.nodes]
    names[node], new = f"{names[node]}.0", f"{names[node]}.1"
    builder = _builder(structure, values, (*names, new))
    builder.set(name, (node,), Kleene.FALSE)
    builder.set(name, (structure.size,), Kleene.TRUE)
    return builder.build()

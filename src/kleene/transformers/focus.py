"""Focus: split a structure until a formula is definite, without changing the represented stores (thesis section 6).

`Focuser` follows Figs. 37-40 with the functional properties of section 6.4: `unique`, `function` and `invfunction`
predicates make single nodes of summary nodes and rule out cases. With `overlapping`, several assignments of one
literal are focused separately from the same structure and the results are united, as TVLA 3 does; else they are
focused one after another, which leaves no indefinite value. With `split_active`, a maybe-active node that takes part
is first split into the cases that it exists and that it does not (section 7.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kleene.diagnostics import KleeneError
from kleene.logic.formula import Exists, Forall, Formula, subformulas
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.edit import Arities, with_duplicate, without_nodes
from kleene.structures.evaluate import assignments
from kleene.structures.layout import layout_for, layout_of_width
from kleene.structures.program.build import MAY, MUST, Builder
from kleene.structures.program.python_machine import FunctionText, load
from kleene.structures.structure import AC, SM, Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft, bits
from kleene.transformers.focus_plan import Conjunction, Literal, focus_plan


class InfiniteFocus(KleeneError):
    """A focus that would need infinitely many structures (thesis section 6.3)."""


@dataclass(frozen=True, slots=True)
class FocusOptions:
    """`skip_infinite` leaves a value indefinite where focus would need infinitely many structures.

    With `coerce_cases`, contradictory cases are dropped, and the others sharpened, before they are split further.
    """

    overlapping: bool = False
    split_active: bool = True
    skip_infinite: bool = False
    coerce_cases: bool = False


def _known(prefix: Conjunction, literal: Literal) -> tuple[str, ...]:
    """The variables of a literal that occur in those before it."""
    earlier = {v for each in prefix for v in each.args}
    return tuple(dict.fromkeys(v for v in literal.args if v in earlier))


class Focuser:
    """Focus over one vocabulary; marks the rules that its changes may breach, if it knows the rules."""

    def __init__(
        self, vocabulary: Vocabulary, coercer: Coercer | None = None, options: FocusOptions | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.options = options or FocusOptions()
        self.arities: Arities = tuple(p.arity for p in vocabulary)
        self._coercer = coercer
        self._plans: dict[Formula, tuple[Conjunction, ...]] = {}
        self.discarded = 0
        self._prefixes: dict[tuple[Conjunction, tuple[str, ...], int, bool], Callable[..., int]] = {}

    def focus(self, structure: Structure, formula: Formula) -> list[Structure]:
        """The structures that result from focusing one structure on one formula."""
        draft = Draft.of(structure, 0, keep_names=structure.names is not None)
        return [d.structure(structure) for d in self.focus_draft(draft, formula)]

    def focus_draft(self, draft: Draft, formula: Formula) -> list[Draft]:
        """The same on a structure in the making, which is not changed."""
        drafts = [draft]
        plan = self._plans.get(formula)
        if plan is None:
            plan = self._plans[formula] = focus_plan(formula, self.vocabulary)
        if self.options.overlapping or self.options.skip_infinite:
            for conjunction in plan:
                drafts = [result for d in drafts for result in self._conjunction(d, conjunction)]
            return drafts
        for conjunction in plan:  # equalities are the last literals
            others = tuple(literal for literal in conjunction if literal.predicate is not None)
            drafts = [result for d in drafts for result in self._conjunction(d, others)]
        equalities = Equalities(self, formula, plan)
        return [result for d in drafts for result in equalities.decide(d)]

    def _conjunction(self, draft: Draft, conjunction: Conjunction) -> list[Draft]:
        drafts = [draft]
        for k, literal in enumerate(conjunction):
            drafts = [result for d in drafts for result in self._literal(d, conjunction, k, literal)]
        return drafts

    def _literal(self, draft: Draft, conjunction: Conjunction, k: int, literal: Literal) -> list[Draft]:
        """Make one literal definite for every assignment that makes the literals before it true."""
        all_active = draft.values[AC] == (1 << draft.size) - 1
        if all_active and literal.rails and not draft.values[literal.rails[1]] & ~draft.values[literal.rails[0]]:
            return [draft]
        places = self.assignments(draft, conjunction[:k], literal)
        if self.options.split_active and not all_active:
            split = self._split_active(draft, literal, places)
            if split is not None:
                return [r for d in split for r in self._literal(d, conjunction, k, literal)]
        if not self.options.overlapping:
            for place in places:
                cases = self._cases(draft, literal, place)
                if cases is not None:
                    kept = [d for d in cases if self.is_consistent(d)]
                    return [r for d in kept for r in self._literal(d, conjunction, k, literal)]
            return [draft]
        if len(literal.args) == 2 and not _known(conjunction[:k], literal):
            places = self._indefinite_pairs(draft, literal)
        results = [r for place in places for r in self._all_cases(draft, literal, place)]
        return results or [draft]

    def is_consistent(self, draft: Draft) -> bool:
        """Sharpen a case in place, if cases are coerced; false if it is contradictory."""
        if not self.options.coerce_cases or self._coercer is None or not draft.dirty:
            return True
        dirty, draft.dirty = draft.dirty, 0
        consistent = self._coercer.sharpen(draft.values, draft.size, dirty)
        self.discarded += not consistent
        return consistent

    def _indefinite_pairs(self, draft: Draft, literal: Literal) -> list[dict[str, int]]:
        if literal.predicate is None:
            return [{}]
        step = _Step(self, draft, literal, {})
        pairs = step.layout.tuples(step.indefinite, 2)
        return [dict(zip(literal.args, nodes, strict=True)) for nodes in pairs]

    def _all_cases(self, draft: Draft, literal: Literal, place: dict[str, int]) -> list[Draft]:
        cases = self._cases(draft, literal, place)
        if cases is None:
            return [draft.copy()]  # several places may leave the same one, and what follows changes it
        return [r for d in cases for r in self._all_cases(d, literal, place)]

    # Assignments ----------------------------------------------------------------------------------------------

    def assignments(self, draft: Draft, prefix: Conjunction, literal: Literal) -> list[dict[str, int]]:
        """The values of the literal's known variables for which the prefix is exactly true."""
        if not prefix:
            return [{}]
        known = _known(prefix, literal)
        layout = layout_for(draft.size)
        all_active = draft.values[AC] == (1 << draft.size) - 1
        tensor = self._prefix_program(prefix, known, layout.width, all_active)(draft.values, draft.size)
        return [dict(zip(known, nodes, strict=True)) for nodes in layout.tuples(tensor, len(known))]

    def _prefix_program(
        self, prefix: Conjunction, known: tuple[str, ...], width: int, all_active: bool
    ) -> Callable[..., int]:
        key = (prefix, known, width, all_active)
        prefix_program = self._prefixes.get(key)
        if prefix_program is None:
            builder = Builder(self.vocabulary, all_active=all_active)
            tensors = [builder.build(x.formula, MUST) for x in prefix]
            others = list(dict.fromkeys(v for x in prefix for v in x.args if v not in known))
            text = FunctionText(layout_of_width(width))
            value = builder.graph.clip(builder.align(builder.eliminate(others, tensors, MAY), known))
            text.line(f"return {text.emit(value)}")
            prefix_program = load([text.source("prefix")], layout_of_width(width))["prefix"]
            self._prefixes[key] = prefix_program
        return prefix_program

    # Literals -------------------------------------------------------------------------------------------------

    def _cases(self, draft: Draft, literal: Literal, place: dict[str, int]) -> list[Draft] | None:
        """The cases that make the next indefinite tuple at this place definite, or None if there is none."""
        step = _Step(self, draft, literal, place)
        if literal.predicate is None:
            return step.equality()
        if not step.indefinite:
            return None
        p = literal.predicate
        if p.arity == 1 and p.has("unique"):
            return step.unique()
        if p.arity == 2 and p.has("function") and literal.args[0] in place:
            left = place[literal.args[0]]
            if not draft.values[SM] >> left & 1:
                return step.function(axis=1, fixed=left)
        if p.arity == 2 and p.has("invfunction") and literal.args[1] in place:
            right = place[literal.args[1]]
            if not draft.values[SM] >> right & 1:
                return step.function(axis=0, fixed=right)
        return step.one_tuple()

    def _split_active(self, draft: Draft, literal: Literal, places: list[dict[str, int]]) -> list[Draft] | None:
        """Split on the existence of the first maybe-active node in a tuple of the literal that is not 0."""
        for place in places:
            step = _Step(self, draft, literal, place)
            for nodes in step.possible_tuples():
                for u in nodes:
                    if not draft.values[AC] >> u & 1:
                        return self._existence_cases(draft, u)
        return None

    def _existence_cases(self, draft: Draft, node: int) -> list[Draft]:
        present = draft.copy()
        present.values[AC] |= 1 << node
        present.dirty = self.all_rules
        values, size = without_nodes(draft.values, draft.size, self.arities, 1 << node)
        names = draft.names and [name for u, name in enumerate(draft.names) if u != node]
        return [present, Draft(values, size, self.all_rules, names or None)]

    # Changes --------------------------------------------------------------------------------------------------

    @cached_property
    def all_rules(self) -> int:
        return self._coercer.all if self._coercer else 0

    @cached_property
    def equality_readers(self) -> int:
        return self._coercer.equality_readers if self._coercer else 0

    @cached_property
    def readers(self) -> dict[int, int]:
        return self._coercer.readers if self._coercer else {}

    def split(self, draft: Draft, node: int) -> tuple[Draft, int]:
        """A draft in which a node has a duplicate, and the number of that duplicate."""
        values = with_duplicate(draft.values, draft.size, self.arities, node)
        names = draft.names
        if names is not None:
            names = [*names, f"{names[node]}.1"]
            names[node] += ".0"
        return Draft(values, draft.size + 1, draft.dirty | self.equality_readers, names), draft.size

    def single(self, draft: Draft, node: int) -> None:
        """Make a node stand for one individual."""
        if draft.values[SM] >> node & 1:
            draft.values[SM] &= ~(1 << node)
            draft.dirty |= self.readers.get(SM, 0) | self.equality_readers


class Equalities:
    """The equalities of a formula, whose other literals are definite: cases until the formula itself is definite.

    ``E(v) a(v) & v != w`` on a summary node of individuals with a: there is exactly one, or there are two, so that each
    has another one. A summary node becomes a single one, or a single one is split off, at most as often as the formula
    has quantified variables: further individuals of the node are to the formula what these are. If it is not definite
    then, as ``v != w`` never is, the focus is infinite.
    """

    def __init__(self, focuser: Focuser, formula: Formula, plan: tuple[Conjunction, ...]) -> None:
        self.focuser = focuser
        self.formula = formula
        self.places = [
            (conjunction[:k], literal)
            for conjunction in plan
            for k, literal in enumerate(conjunction)
            if literal.predicate is None
        ]
        self.quantified = sum(isinstance(g, Exists | Forall) for g in subformulas(formula))

    def decide(self, draft: Draft, spent: Mapping[int, int] | None = None) -> list[Draft]:
        """The cases in which the formula is definite; `spent` says how many nodes were split off."""
        spent = spent or {}
        step, summaries = self._at_issue(draft)
        if step is None or not self._indefinite(draft):
            return [draft]
        left = [u for u in summaries if spent.get(u, 0) < self.quantified]
        if not left:
            raise step.infinite_equality(summaries[0])
        node = min(left, key=lambda u: self._indefinite(self._single(draft, u)))
        part, new = self.focuser.split(draft, node)
        self.focuser.single(part, new)
        cases = [(self._single(draft, node), spent), (part, {**spent, node: spent.get(node, 0) + 1})]
        return [r for d, known in cases if self.focuser.is_consistent(d) for r in self.decide(d, known)]

    def _single(self, draft: Draft, node: int) -> Draft:
        result = draft.copy()
        self.focuser.single(result, node)
        return result

    def _at_issue(self, draft: Draft) -> tuple[_Step | None, list[int]]:
        """An equality that is not definite, and all summary nodes that make one so."""
        first, summaries = None, set[int]()
        for prefix, literal in self.places:
            for place in self.focuser.assignments(draft, prefix, literal):
                step = _Step(self.focuser, draft, literal, place)
                nodes = step.summaries_of_equality()
                first = first or (step if nodes else None)
                summaries.update(nodes)
        return first, sorted(summaries)

    def _indefinite(self, draft: Draft) -> int:
        """The number of assignments at which the formula is 1/2."""
        structure = Structure(self.focuser.vocabulary, draft.size, tuple(draft.values))
        return sum(value is Kleene.UNKNOWN for _, value in assignments(structure, self.formula))


class _Step:
    """One literal of one structure at one place: which tuples are indefinite, and the cases for them."""

    def __init__(self, focuser: Focuser, draft: Draft, literal: Literal, place: dict[str, int]) -> None:
        self.focuser = focuser
        self.draft = draft
        self.literal = literal
        self.place = place
        self.layout = layout_for(draft.size)
        p = literal.predicate
        if p is not None:
            assert literal.rails is not None
            self.must, self.may = literal.rails
            self.arity = p.arity
            self.indefinite = draft.values[self.may] & ~draft.values[self.must] & self._here()

    def _here(self) -> int:
        """The tuples that agree with the place; arguments with the same variable are equal."""
        args = self.literal.args
        if not args:
            return 1
        if len(args) == 1:
            return 1 << self.place[args[0]] if args[0] in self.place else self.layout.row
        if len(args) == 2:
            left = 1 << self.place[args[0]] if args[0] in self.place else self.layout.row
            right = 1 << self.place[args[1]] if args[1] in self.place else self.layout.row
            here = self.layout.rows[left] & (right * self.layout.col)
            return here & self.layout.diagonal if args[0] == args[1] else here
        here = 0
        for nodes in self.layout.tuples(self.draft.values[self.may], len(args)):
            seen = dict(self.place)
            if all(seen.setdefault(v, u) == u for v, u in zip(args, nodes, strict=True)):
                here |= 1 << self.layout.bit(nodes)
        return here

    def possible_tuples(self) -> Iterator[tuple[int, ...]]:
        if self.literal.predicate is None:
            return iter(())
        return iter(self.layout.tuples(self.draft.values[self.may] & self._here(), self.arity))

    # Setting values ---------------------------------------------------------------------------------------------

    def set_true(self, draft: Draft, mask: int) -> None:
        draft.values[self.must] |= mask
        draft.dirty |= self.focuser.readers.get(self.must, 0)

    def set_false(self, draft: Draft, mask: int) -> None:
        draft.values[self.may] &= ~mask
        draft.dirty |= self.focuser.readers.get(self.may, 0)

    def _bit(self, draft: Draft, nodes: tuple[int, ...]) -> int:
        return 1 << layout_for(draft.size).bit(nodes)

    # Cases --------------------------------------------------------------------------------------------------------

    def equality(self) -> list[Draft] | None:
        """An equality is indefinite on a summary node only, and then no finite set of cases decides it."""
        summary = self.summaries_of_equality()
        if summary and not self.focuser.options.skip_infinite:
            raise self.infinite_equality(summary[0])
        return None

    def summaries_of_equality(self) -> list[int]:
        """The summary nodes that both sides of an equality may be."""
        nodes = [{self.place[v]} if v in self.place else set(range(self.draft.size)) for v in self.literal.args]
        return [u for u in sorted(set.intersection(*nodes)) if self.draft.values[SM] >> u & 1]

    def infinite_equality(self, node: int) -> InfiniteFocus:
        name = self._name(node)
        return InfiniteFocus(
            f"focusing on {self.literal.formula} at summary node {name} needs infinitely many structures"
        )

    def unique(self) -> list[Draft] | None:
        """At most one node has the predicate (section 6.4): none, one of the indefinite ones, or part of one."""
        certain = self.draft.values[self.must] & self.draft.values[AC]
        none = self.draft.copy()
        self.set_false(none, self.draft.values[self.may] & ~self.draft.values[self.must])
        if certain or self.literal.args[0] in self.place:
            if certain:
                return [none]
            return self.one_tuple()
        cases = [none]
        for u in bits(self.indefinite):
            cases += self._choose(none, (u,), u)
        return cases

    def _choose(self, base: Draft, nodes: tuple[int, ...], target: int) -> list[Draft]:
        """In `base`, the tuple becomes true and its target a single node: all of it, or one node split off."""
        whole = base.copy()
        self._restore(whole, nodes)
        self.set_true(whole, self._bit(whole, nodes))
        self.focuser.single(whole, target)
        if not base.values[SM] >> target & 1:
            return [whole]
        part, new = self.focuser.split(base, target)
        chosen = tuple(new if u == target else u for u in nodes)
        self._restore(part, chosen)
        self.set_true(part, self._bit(part, chosen))
        self.focuser.single(part, new)
        return [whole, part]

    def _restore(self, draft: Draft, nodes: tuple[int, ...]) -> None:
        draft.values[self.may] |= self._bit(draft, nodes)

    def function(self, *, axis: int, fixed: int) -> list[Draft]:
        """A (partial) function from the fixed node along one axis: no edge, or an edge to one of the candidates."""
        width = self.layout.width
        row = self.layout.row << (fixed * width) if axis == 1 else self.layout.col << fixed
        values = self.draft.values
        base = self.draft.copy()
        certain = values[self.must] & row
        certain_targets = [nodes[axis] for nodes in self.layout.tuples(certain, 2)]
        if any(values[AC] >> u & 1 for u in certain_targets):
            self.set_false(base, values[self.may] & ~values[self.must] & row)
            return [base]
        both_bound = all(v in self.place for v in self.literal.args)
        if both_bound:
            self.set_false(base, self.indefinite)
            cleared = self.draft.copy()
            self.set_false(cleared, values[self.may] & ~values[self.must] & row)
        else:
            self.set_false(base, values[self.may] & ~values[self.must] & row)
            cleared = base
        cases = [base]
        for nodes in self.layout.tuples(self.indefinite, 2):
            cases += self._choose(cleared, nodes, nodes[axis])
        return cases

    def one_tuple(self) -> list[Draft] | None:
        """Fig. 40: the first indefinite tuple becomes 0, or 1, or its summary node is split into both."""
        tuples = self.layout.tuples(self.indefinite, self.arity)
        endless = [nodes for nodes in tuples if self._is_endless(nodes)]
        if endless and not self.focuser.options.skip_infinite:  # no order of the other cases leads past it
            where = ", ".join(self._name(u) for u in endless[0])
            raise InfiniteFocus(
                f"focusing on {self.literal.formula} at ({where}), where more than one summary node takes part, "
                "needs infinitely many structures"
            )
        for nodes in tuples:
            if nodes not in endless:
                return self._decide(nodes, self._summaries(nodes))
        return None

    def _summaries(self, nodes: tuple[int, ...]) -> set[int]:
        return {u for u in nodes if self.draft.values[SM] >> u & 1}

    def _is_endless(self, nodes: tuple[int, ...]) -> bool:
        """More than one place of the tuple is a summary node: each case leaves another such tuple."""
        summaries = self._summaries(nodes)
        return len(summaries) > 1 or any(nodes.count(u) > 1 for u in summaries)

    def _decide(self, nodes: tuple[int, ...], summaries: set[int]) -> list[Draft]:
        p = self.literal.predicate
        assert p is not None
        yes, no = self.draft.copy(), self.draft.copy()
        self.set_true(yes, self._bit(yes, nodes))
        self.set_false(no, self._bit(no, nodes))
        if p.has("unique"):
            self.focuser.single(yes, nodes[0])
            self.set_false(yes, yes.values[self.may] & ~yes.values[self.must])
        reflexive = p.has("reflexive") and len(set(nodes)) == 1
        cases = [yes] if reflexive else [no, yes]
        for u in summaries:
            part, new = self.focuser.split(self.draft, u)
            self.set_false(part, self._bit(part, nodes))
            self.set_true(part, self._bit(part, tuple(new if w == u else w for w in nodes)))
            cases.append(part)
        return cases

    def _name(self, node: int) -> str:
        return self.draft.names[node] if self.draft.names else f"u{node}"

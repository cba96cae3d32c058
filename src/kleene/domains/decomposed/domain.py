"""The decomposed shape domain: the shape domain's transformers, on the parts of the heap that an action touches.

(Manevich, Lev-Ami, Sagiv, Ramalingam, Berdine. Heap decomposition for concurrent shape analysis, SAS 2008.) The value
of a location is one product. An action composes the classes that it touches (`locality`), each combination once. It
applies the ordinary transformer without blur, and takes the results apart along the finest partition that no result
at the target connects.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product

from kleene.cfa.graph import Edge
from kleene.diagnostics import InternalCheckError, Limit, LimitReached
from kleene.domains.decomposed.locality import Locality, Plan
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.parts import Islands, Parts
from kleene.domains.decomposed.products import CaseStore, Product, ProductStore, in_cases, require_few
from kleene.domains.decomposed.separation import separate_actions
from kleene.domains.shape.domain import ShapeDomain
from kleene.domains.shape.stores import store_factory
from kleene.structures.structure import Structure
from kleene.transformers.action import Action

Location = tuple[Hashable, str]
"""A location in one activation of a procedure."""
Touched = tuple[Roots, ...]
"""Classes that an action touches, in order."""


@dataclass
class Done:
    """What an edge did so far with the parts of some classes: each combination is taken once."""

    classes: Touched
    seen: list[dict[Structure, None]]
    has_begun: bool = False
    islands: dict[Structure, Islands] = field(default_factory=dict)
    """The results, not blurred, with their connected sets of nodes."""
    adrift: dict[Structure, None] = field(default_factory=dict)
    _cuts: dict[Roots, tuple[int, tuple[Structure, ...]]] = field(default_factory=dict)
    """The parts of the first results, and how many results these are."""
    _known_cuts: dict[Roots, set[Structure]] = field(default_factory=dict)

    @cached_property
    def roots(self) -> Roots:
        return frozenset().union(*self.classes)

    def add(self, parts: Parts, results: Iterable[Structure]) -> int:
        """Take new results apart; says how many there are."""
        before = len(self.islands)
        for result in results:
            if result in self.islands:
                continue
            self.islands[result] = islands = parts.islands(result)
            for own in islands.nodes:
                if not own <= self.roots:
                    text = f"an action changes {', '.join(sorted(own - self.roots))}, which it does not touch"
                    raise InternalCheckError(text)
            for nodes in islands.adrift:
                self.adrift[parts.cut(result, nodes, frozenset())] = None
        return len(self.islands) - before

    def cuts(self, parts: Parts, own: Roots) -> tuple[Structure, ...]:
        """The parts of the results for some of the touched roots."""
        first, cuts = self._cuts.get(own, (0, ()))
        if first < len(self.islands):
            new = islice(self.islands.values(), first, None)
            more = dict.fromkeys(parts.cut(i.structure, i.nodes_of(own), own) for i in new)
            known = self._known_cuts.setdefault(own, set())
            if more.keys() - known:
                known.update(more)
                cuts = tuple(dict.fromkeys((*cuts, *more)))
            self._cuts[own] = (len(self.islands), cuts)
        return cuts


@dataclass
class Course:
    """What is known of one edge in one activation of a procedure."""

    edge: Edge[Action]
    plan: Plan
    there: Edge[Action] | None
    """The edge with its effect on the parts that it does not touch."""
    said: Edge[Action] | None = None
    said_elsewhere: Edge[Action] | None = None
    """The edge with its messages alone (`Plan`)."""
    separate: tuple[Edge[Action], ...] = ()
    """Edges that have the same effect one after the other, each about roots of its own."""
    done: dict[Touched, Done] = field(default_factory=dict)
    done_there: dict[Roots, Done] = field(default_factory=dict)
    asked: dict[Structure, None] = field(default_factory=dict)
    """The parts that were asked whether the action is possible in them."""
    is_possible: bool = False
    done_said: dict[Touched, Done] = field(default_factory=dict)
    """The parts that were asked for messages about other parts than the one in which the action is possible."""
    told: dict[Structure, None] = field(default_factory=dict)
    """The same for the parts that it does not touch."""


class DecomposedDomain:
    """Elements are products. `inner` is a shape domain that does not blur: its join is `conc`.

    `join` says how the parts of a class are joined. `together` are roots that are kept together everywhere, and
    `partitions` what is known from a run before to be connected at each location: classes that are united late multiply
    their sets, and lose what they have in common. `cases` are classes of facts: products with different facts of these
    classes are not joined (Manevich, Sagiv, Ramalingam, Field. Partially disjunctive heap abstraction, SAS 2004).
    """

    name = "decomposed"

    def __init__(
        self,
        inner: ShapeDomain,
        locality: Locality,
        join: str,
        together: Iterable[Roots] = (),
        partitions: Mapping[Location, Partition] | None = None,
        cases: Iterable[Roots] = (),
    ) -> None:
        assert inner.options.join == "conc"
        self.inner = inner
        self.locality = locality
        self.parts = Parts(locality, inner.canonicalizer)
        self._make_store = store_factory(join, inner.canonicalizer)
        together = list(together)
        self.finest = locality.finest.join(together)
        self.cases = frozenset(cases)
        self.generated = 0
        """Structures that the transformers made."""
        self.partitions = {place: partition.join(together) for place, partition in (partitions or {}).items()}
        """What is connected at each location."""
        self.unites_late = False
        """Whether a partition became coarser after elements had arrived."""
        self._courses: dict[tuple[Hashable, int], Course] = {}

    # The interface of a domain ----------------------------------------------------------------------------------

    def initial(self, elements: Sequence[Product]) -> Sequence[Product]:
        return elements

    def products_of(self, structures: Sequence[Structure]) -> list[Product]:
        """Input structures as products; contradictory ones are left out."""
        accepted = self.inner.initial(structures)
        return [self.taken_apart(accepted)] if accepted else []

    def taken_apart(self, structures: Sequence[Structure]) -> Product:
        """The product of some structures of all roots."""
        islands = [self.parts.islands(structure) for structure in structures]
        partition = self.finest.join([own for taken in islands for own in taken.nodes])
        sets = {
            own: tuple(dict.fromkeys(self.parts.cut(i.structure, i.nodes_of(own), own) for i in islands))
            for own in partition
        }
        adrift = dict.fromkeys(self.parts.cut(i.structure, n, frozenset()) for i in islands for n in i.adrift)
        return Product(partition, sets, tuple(adrift))

    def store(self) -> ProductStore | CaseStore:
        def make() -> ProductStore:
            return ProductStore(self.parts, self._make_store, self.finest)

        return CaseStore(make) if self.cases else make()

    def explain_not_covered(self, element: Product, store: object) -> str:
        return f"a product of {len(element)} parts is not covered"

    def plan(self, edge: Edge[Action]) -> Plan:
        return self.locality.plan(edge.label)

    def post(self, edge: Edge[Action], elements: Sequence[Product]) -> list[Product]:
        results = [result for element in elements if (result := self._post(edge, element)) is not None]
        return [case for result in results for case in in_cases(result, self.cases)] if self.cases else results

    # One product ------------------------------------------------------------------------------------------------

    def course(self, edge: Edge[Action], context: Hashable) -> Course:
        """The course of an edge; edges are known by their identity, as actions are slow to compare."""
        key = (context, id(edge))
        course = self._courses.get(key)
        if course is None:
            plan = self.plan(edge)
            there, said, said_elsewhere = (
                Edge(edge.source, action, edge.target) if action is not None else None
                for action in (plan.elsewhere, plan.said, plan.said_elsewhere)
            )
            separate = self._separate_edges(edge)
            course = self._courses[key] = Course(edge, plan, there, said, said_elsewhere, separate)
        return course

    def _separate_edges(self, edge: Edge[Action]) -> tuple[Edge[Action], ...]:
        actions = separate_actions(self.locality, edge.label)
        if not actions:
            return ()
        places = [*(f"{edge.source}, {number}" for number in range(1, len(actions))), edge.target]
        sources = [edge.source, *places[:-1]]
        return tuple(Edge(*step) for step in zip(sources, actions, places, strict=True))

    def _post(self, edge: Edge[Action], element: Product) -> Product | None:
        course = self.course(edge, element.context)
        plan = course.plan
        if course.separate:
            after: Product | None = element
            for step in course.separate:
                after = self._post(step, after) if after is not None else None
            return after
        if plan.in_some_part:
            return element if self._is_possible(course, element) else None
        if plan.is_global and element.adrift:
            raise LimitReached(f"'{edge.label}' may be about blocks that nothing points to", Limit.PRECISION)
        touched = self.touched_classes(plan, element)
        others = self.others(course, element, touched)
        if others is None:
            return None
        done = None
        if touched or not _says_nothing(edge.label):
            done = self._step(course, touched, element)
            if not done.islands:
                return None
        return self.product(edge, done, others)

    def touched_classes(self, plan: Plan, element: Product) -> Touched:
        """The classes of an element with touched roots."""
        if plan.touched is None:
            return tuple(element.partition)
        class_of = element.partition.class_of
        return tuple(sorted({class_of[root] for root in plan.touched}, key=sorted))

    def _step(self, course: Course, touched: Touched, element: Product) -> Done:
        """The results of an action on the touched classes; only new combinations of parts are computed."""
        done = course.done.get(touched)
        if done is None:
            done = course.done[touched] = Done(touched, [{} for _ in touched])
        before = len(done.islands)
        self._advance(course.edge, done, [element.sets[own] for own in touched])
        self.generated += len(done.islands) - before
        return done

    def _advance(self, edge: Edge[Action], done: Done, sets: Sequence[Sequence[Structure]]) -> Done:
        new = [[part for part in parts if part not in seen] for parts, seen in zip(sets, done.seen, strict=True)]
        if done.has_begun and not any(new):
            return done
        done.has_begun = True
        require_few(sets)
        combinations = _new_combinations(sets, new, done.seen) if sets else [()]
        wholes = [self.parts.compose(parts) if parts else self.parts.empty for parts in combinations]
        for seen, parts in zip(done.seen, new, strict=True):
            seen.update(dict.fromkeys(parts))
        done.add(self.parts, self.inner.post(edge, wholes))
        return done

    def others(self, course: Course, element: Product, touched: Touched) -> Product | None:
        """The classes that the action does not touch; None if one of them makes it impossible."""
        sets: dict[Roots, Sequence[Structure]] = {own: element.sets[own] for own in element.partition.classes}
        for own in touched:
            del sets[own]
        adrift = element.adrift
        if course.there is not None:
            lost: dict[Structure, None] = {}
            for own in sets:
                done = course.done_there.setdefault(own, Done((own,), [{}]))
                self._advance(course.there, done, [sets[own]])
                if not done.islands:
                    return None
                sets[own] = done.cuts(self.parts, own)
                lost.update(done.adrift)
            if adrift:
                done = course.done_there.setdefault(frozenset(), Done((), [{}]))
                lost.update(self._advance(course.there, done, [adrift]).adrift)
            adrift = tuple(lost)
        return Product(element.partition, sets, adrift, element.context)

    def _is_possible(self, course: Course, element: Product) -> bool:
        """Whether a condition on some part may hold; all parts are asked, for their messages."""
        touched = self.touched_classes(course.plan, element)
        if touched:
            course.is_possible |= bool(self._step(course, touched, element).islands)
        others = [part for own in element.partition.classes if own not in touched for part in element.sets[own]]
        new = [part for part in (*others, *element.adrift) if part not in course.asked]
        if new:
            course.asked.update(dict.fromkeys(new))
            course.is_possible |= bool(self.inner.post(course.edge, new))
        if course.is_possible:
            self._say(course, element, touched, others)
        return course.is_possible

    def _say(self, course: Course, element: Product, touched: Touched, others: Sequence[Structure]) -> None:
        """Give the messages that are about other parts than the one in which an action is possible."""
        if course.said is not None:
            done = course.done_said.setdefault(touched, Done(touched, [{} for _ in touched]))
            self._advance(course.said, done, [element.sets[own] for own in touched])
        if course.said_elsewhere is not None:
            new = [part for part in (*others, *element.adrift) if part not in course.told]
            course.told.update(dict.fromkeys(new))
            self.inner.post(course.said_elsewhere, new)

    # Results ----------------------------------------------------------------------------------------------------

    def product(self, edge: Edge[Action], done: Done | None, others: Product) -> Product:
        """The results and the other classes, along the partition of the target."""
        place = (others.context, edge.target)
        before = self.partitions.get(place, self.finest)
        connected = [own for islands in done.islands.values() for own in islands.nodes] if done is not None else []
        after = before.join([*connected, *others.sets])
        if after != before:
            self.unites_late |= place in self.partitions
            self.partitions[place] = after
        touched = done.roots if done is not None else frozenset()
        sets: dict[Roots, Sequence[Structure]] = {}
        for own in after.classes:
            known = others.sets.get(own)
            if known is not None:
                sets[own] = known
                continue
            factors = [others.sets[c] for c in others.sets if c <= own]
            if inside := own & touched:
                assert done is not None
                factors.append(done.cuts(self.parts, inside))
            sets[own] = factors[0] if len(factors) == 1 else self._unite(own, factors)
        adrift = tuple(dict.fromkeys((*others.adrift, *done.adrift))) if done is not None else others.adrift
        return Product(after, sets, adrift, others.context)

    def _unite(self, own: Roots, factors: Sequence[Sequence[Structure]]) -> tuple[Structure, ...]:
        require_few(factors)
        wholes = (self.parts.compose(parts) for parts in product(*factors))
        return tuple(dict.fromkeys(self.parts.cut(whole, (1 << whole.size) - 1, own) for whole in wholes))


def _says_nothing(action: Action) -> bool:
    """Whether an action that touches nothing is always possible, without a message or a new node."""
    return not (action.creates or action.precondition is not None or action.messages or action.post_messages)


def _new_combinations(
    sets: Sequence[Sequence[Structure]], new: Sequence[Sequence[Structure]], seen: Sequence[dict[Structure, None]]
) -> list[tuple[Structure, ...]]:
    """The combinations with a part that was not seen before: the first such part is in the class number `place`."""
    new_combinations: list[tuple[Structure, ...]] = []
    for place, parts in enumerate(new):
        if parts:
            old = [[p for p in sets[k] if p in seen[k]] for k in range(place)]
            new_combinations += product(*old, parts, *sets[place + 1 :])
    return new_combinations

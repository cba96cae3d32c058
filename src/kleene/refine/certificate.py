"""Certificates: the abstraction and the shape graphs of a proof, and their check from scratch.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithm 1: the
complete tree is the certificate. Here it is the set of shape graphs at each location of the program. A new translation
and the engine's independent check show that this set is closed under the program's operations; they do not use the
tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Unary, Variable, children
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Operation
from kleene.cfa.types import IntegerType
from kleene.core.domain import Store
from kleene.diagnostics import InputError
from kleene.domains.shape.stores import RelationalStore
from kleene.engine.check import uncovered_elements
from kleene.engine.fixpoint import Reached
from kleene.logic.vocabulary import Vocabulary
from kleene.passes.facts.memory import StructureType
from kleene.refine.classes.generators import Generator, Roles
from kleene.refine.classes.language import Entry
from kleene.refine.conditions.cells import AnyCondition, CellCondition, own_member
from kleene.refine.conditions.linear import Condition
from kleene.refine.conditions.members import Members
from kleene.refine.conditions.terms import is_term
from kleene.refine.enabled import NO_STRUCTURE
from kleene.refine.model import Abstraction, Error, Model, Task
from kleene.refine.tracking.definition import Activity, TrackingDefinition
from kleene.refine.tree.reachability_tree import Tree
from kleene.structures.layout import MOST_NODES, layout_for
from kleene.structures.structure import SM_MUST, Structure

Graphs = Mapping[str, Sequence[Structure]]
INTEGER_BITS = frozenset((8, 16, 32, 64, 128))
"""Widths of integer types in bits."""


@dataclass
class _Checker:
    """The domain of a model for the independent check; collects errors."""

    model: Model
    name: str = "certificate"
    errors: list[Error] = field(default_factory=list)

    def initial(self, elements: Sequence[Structure]) -> list[Structure]:
        """The structures at the entry of the program, after the initialisation of globals."""
        model = self.model
        entry = model.task.cfa.entry
        results, errors = model.through(model.steps_of.get(None, []), model.cfa.entry, entry, elements)
        self.errors += errors
        return list(results)

    def store(self) -> Store[Structure]:
        """A graph is covered if some graph embeds it, whatever the names of its nodes.

        The tree merges graphs in the middle of an operation too, after which nodes may have other names than in the
        check, which follows the operation from one graph at a time.
        """
        return RelationalStore(self.model.domain.canonicalizer)

    def post(self, edge: Edge[Operation], elements: Sequence[Structure]) -> list[Structure]:
        steps = self.model.steps_of.get(edge, [])  # none where the program cannot continue
        results, errors = self.model.through(steps, edge.source, edge.target, elements)
        self.errors += errors
        return list(results)

    def explain_not_covered(self, element: Structure, store: Store[Structure]) -> str:
        return self.model.domain.explain_not_covered(element, store)


def problems_of(task: Task, abstraction: Abstraction, graphs: Graphs) -> list[str]:
    """Why the graphs do not prove the task; nothing if they do. Everything is computed again."""
    model = Model(task, abstraction)
    checker = _Checker(model)
    program = task.cfa
    stores = {name: checker.store() for name in program.locations}
    for location, structures in graphs.items():
        if location not in stores:
            return [f"there is no location {location} in the program"]
        for structure in structures:
            if structure.vocabulary != model.translation.vocabulary:
                return [f"the graphs at {location} have other predicates than the program"]
        stores[location].add(list(structures))
    problems = uncovered_elements(program, checker, model.initial, Reached(stores))
    problems += [f"an error is possible: {error}" for error in dict.fromkeys(checker.errors)]
    return [*problems, *model.contradictions.values()]


def graphs_of(tree: Tree) -> dict[str, list[Structure]]:
    """The shape graphs of a complete tree, at the locations of the program."""
    stores = ((name, tree.stores[name]) for name in tree.model.task.cfa.locations if name in tree.stores)
    return {name: list(store.elements()) for name, store in stores if len(store)}


# As plain data ------------------------------------------------------------------------------------------------------


def abstraction_document(abstraction: Abstraction) -> dict[str, Any]:
    """The abstraction in a form for JSON."""
    definition = abstraction.definition
    return {
        "tracking": {
            "tracked": sorted(definition.tracked),
            "separating": sorted(definition.separating),
            "fields": sorted(definition.fields),
            "data": sorted(definition.data),
            "integers": sorted(definition.integers),
        },
        "active": {name: sorted(locations) for name, locations in sorted(abstraction.active.at.items())},
        "generators": [_generator_document(generator) for generator in abstraction.generators],
    }


def _generator_document(generator: Generator) -> dict[str, Any]:
    return {
        "structure": str(generator.structure or ""),
        "shape": generator.entry.name if generator.entry else None,
        "families": sorted(generator.families),
        "roles": {f.name: sorted(getattr(generator.roles, f.name)) for f in fields(Roles)},
    }


def abstraction_of(
    document: Mapping[str, Any], entries: Sequence[Entry], structures: Sequence[StructureType]
) -> Abstraction:
    """The abstraction that a document describes, for a program with these structure types."""
    tracking = document["tracking"]
    definition = TrackingDefinition(
        _names(tracking["tracked"]),
        _names(tracking["separating"]),
        _names(tracking["fields"]),
        frozenset(int(offset) for offset in tracking["data"]),
        _names(tracking["integers"]),
    )
    active = Activity({name: _names(locations) for name, locations in document["active"].items()})
    if not isinstance(document["generators"], list):
        raise TypeError("a list of generators is expected")
    types = structures or (NO_STRUCTURE,)
    if [own["structure"] for own in document["generators"]] != [str(structure) for structure in types]:
        raise InputError("the certificate was made for another program: its structure types differ")
    generators = [
        _generator(own, entries, structure) for own, structure in zip(document["generators"], types, strict=True)
    ]
    return Abstraction(definition, tuple(generators), active)


def _generator(document: Mapping[str, Any], entries: Sequence[Entry], structure: StructureType) -> Generator:
    """A generator whose fields are those of its structure type."""
    roles = Roles(**{f.name: _names(document["roles"][f.name]) for f in fields(Roles)})
    if not roles.fields | roles.unused | roles.looping <= structure.cells:
        raise InputError(f"the certificate has other fields than those of '{structure}'")
    name = document["shape"]
    entry = next((e for e in entries if e.name == name), None)
    if name is not None and entry is None:
        raise InputError(f"the certificate needs the shape '{name}', which is not in the library (--shapes)")
    families = _names(document["families"])
    if entry is not None and not families <= {f.name for f in entry.families}:
        raise InputError(f"the certificate needs other families of '{name}' than the library has")
    return Generator(entry, families, roles, structure)


def conditions_document(task: Task) -> list[dict[str, Any]]:
    """The conditions that ghosts follow, in a form for JSON; one on members names their struct."""
    return [
        {"record": c.record.name, **_terms_document(c.condition)}
        if isinstance(c, CellCondition)
        else _terms_document(c)
        for c in task.conditions
    ]


def _terms_document(condition: Condition) -> dict[str, Any]:
    terms = [[_term_document(term), factor] for term, factor in condition.terms]
    return {"terms": terms, "constant": condition.constant, "equal": condition.equal}


def _term_document(term: Expression) -> Any:
    """A variable by its name, a constant by its number, an operation by its operands; conversions have no operator."""
    type_ = term.type
    assert isinstance(type_, IntegerType)
    shown = {"type": [type_.bits, type_.signed, type_.name]}
    match term:
        case Variable(name=name):
            return name
        case Constant(value=value):
            return {"number": value, **shown}
    operator = term.operator if isinstance(term, Unary | Binary) else ""
    return {"operator": operator, "operands": [_term_document(part) for part in children(term)], **shown}


def conditions_from(document: Sequence[Mapping[str, Any]], task: Task) -> list[AnyCondition]:
    """The conditions of a document, on integers of the program. Their ghosts are computed again."""
    if not isinstance(document, list):
        raise TypeError("a list of conditions is expected")
    conditions: list[AnyCondition] = []
    members = Members(task.memory)
    for one in document:
        if "record" not in one:
            conditions.append(_condition(one, {v.name: v for v in task.memory.integers}))
            continue
        own = [own_member(name, f.type) for name, f in members.fields_of(one["record"]).items()]
        plain = _condition(one, {v.name: v for v in (*task.memory.integers, *own)})
        condition = members.cell_condition(task.program.records[one["record"]].type, plain)
        if condition is None:
            raise InputError("the certificate has a condition on a struct that is about none of its members")
        if not members.follows(condition):
            raise InputError(f"the certificate has a condition on members that the program writes unseen: {condition}")
        conditions.append(condition)
    return conditions


def _condition(document: Mapping[str, Any], variables: Mapping[str, Variable]) -> Condition:
    terms = [(_term(term, variables), factor) for term, factor in document["terms"]]
    numbers = [document["constant"], *(factor for _, factor in terms)]
    if not terms or any(isinstance(n, bool) or not isinstance(n, int) for n in numbers):
        raise TypeError("a condition has numbers as factors")
    if not isinstance(document["equal"], bool) or not all(is_term(term) for term, _ in terms):
        raise InputError("the certificate has a condition on variables that the program does not have")
    return Condition(tuple(terms), document["constant"], document["equal"])


def _term(document: Any, variables: Mapping[str, Variable]) -> Expression:
    """The inverse of `_term_document`."""
    if isinstance(document, str):
        if document not in variables:
            raise InputError("the certificate has a condition on variables that the program does not have")
        return variables[document]
    bits, signed, name = document["type"]
    if bits not in INTEGER_BITS or not isinstance(signed, bool) or not isinstance(name, str):
        raise TypeError("a type of integers is expected")
    type_ = IntegerType(bits, signed, name)
    if "number" in document:
        number = document["number"]
        if isinstance(number, bool) or not isinstance(number, int) or not type_.has(number):
            raise TypeError("a number of its type is expected")
        return Constant(number, type_)
    operator, parts = document["operator"], [_term(part, variables) for part in document["operands"]]
    if not isinstance(operator, str) or len(parts) not in (1, 2):
        raise TypeError("an operation with one or two operands is expected")
    if len(parts) == 1:
        return Unary(operator, parts[0], type_) if operator else Cast(parts[0], type_)
    return Binary(operator, parts[0], parts[1], type_)


def _names(values: object) -> frozenset[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("a list of names is expected")
    return frozenset(values)


def graphs_document(graphs: Graphs) -> dict[str, Any]:
    """Predicates once, then for each location the graphs: number of nodes and rails (docs/reference/certificate.md)."""
    vocabulary = next((s.vocabulary for structures in graphs.values() for s in structures), None)
    predicates = [[p.name, p.arity] for p in vocabulary] if vocabulary is not None else []
    shown = {
        name: [[s.size, [format(v, "x") for v in s.values]] for s in structures] for name, structures in graphs.items()
    }
    return {"predicates": predicates, "locations": shown}


def graphs_from(document: Mapping[str, Any], model: Model) -> dict[str, list[Structure]]:
    """The graphs of a document over the predicates of the program, which must be the same."""
    vocabulary = model.translation.vocabulary
    if document["predicates"] != [[p.name, p.arity] for p in vocabulary]:
        raise InputError("the certificate was made for another program, or by another version: the predicates differ")
    return {
        name: [_graph(vocabulary, size, values, name) for size, values in structures]
        for name, structures in document["locations"].items()
    }


def _graph(vocabulary: Vocabulary, size: int, texts: Sequence[str], location: str) -> Structure:
    """A structure whose rails are those of nodes that exist and do not contradict each other.

    A number of nodes that no structure can have is damage.
    """
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MOST_NODES:
        raise InputError(f"a shape graph at {location} has {size} nodes")
    values = tuple(int(text, 16) for text in texts)
    layout = layout_for(size)
    full = [layout.full(size, predicate.arity) for predicate in vocabulary]
    rails = list(zip(values[::2], values[1::2], strict=True))
    whole = len(rails) == len(full) and all(
        must | may >= 0 and may & ~all_ == 0 for (must, may), all_ in zip(rails, full, strict=True)
    )
    if not whole or any(must & ~may for must, may in rails) or values[SM_MUST]:
        raise InputError(f"a shape graph at {location} is damaged: its predicates contradict each other")
    return Structure(vocabulary, size, values)

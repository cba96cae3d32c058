"""Small vocabularies, all their concrete structures, and strategies for everything the tests need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Rule

from .concrete import concrete_structures
from .naive import HALF, NaiveStructure, blur, embeds, empty, tight_embedding

VARIABLES = ("a", "b", "c", "v", "w")


def _p(name: str, args: str = "", *properties: str, definition: Formula | None = None) -> Predicate:
    """A predicate; the property `abs` makes it an abstraction predicate."""
    names = tuple(args.split())
    return Predicate(
        name,
        len(names),
        names,
        frozenset(properties) - {"abs"},
        definition,
        abstraction="abs" in properties,
    )


def _and(*formulas: Formula) -> Formula:
    result = formulas[0]
    for f in formulas[1:]:
        result = And(result, f)
    return result


SHARED = Exists(
    "a",
    Exists("b", _and(Atom("n", ("a", "v")), Atom("n", ("b", "v")), Not(Equal("a", "b")))),
)


def _reached_from(pointer: str) -> Formula:
    return Exists("w", And(Atom(pointer, ("w",)), reflexive_closure("n", "w", "v")))


@dataclass(frozen=True)
class Setting:
    """A vocabulary with user rules; `bound` is the size up to which concrete structures are enumerated.

    Of the largest ones only every `thinning`-th is used, where there are too many.
    """

    name: str
    vocabulary: Vocabulary
    rules: tuple[Rule, ...] = ()
    bound: int = 3
    thinning: int = 1

    def __repr__(self) -> str:
        return self.name


LIST = Setting(
    "LIST",
    Vocabulary().extend(
        [
            _p("x", "v", "unique", "abs"),
            _p("y", "v", "unique", "abs"),
            _p("n", "v1 v2", "function"),
            _p("is", "v", "abs", definition=SHARED),
            _p("r_x", "v", "abs", definition=_reached_from("x")),
        ]
    ),
)

ACYCLIC = Setting(
    "ACYCLIC",
    Vocabulary().extend(
        [
            _p("x", "v", "unique", "abs"),
            _p("n", "v1 v2", "function", "acyclic"),
            _p("t", "v1 v2", definition=reflexive_closure("n", "v1", "v2")),
            _p("r", "v", "abs", definition=Exists("w", And(Atom("x", ("w",)), Atom("t", ("w", "v"))))),
            _p("nn", "", "abs", definition=Exists("v", Atom("x", ("v",)))),
        ]
    ),
    bound=4,
)

GRAPH = Setting(
    "GRAPH",
    Vocabulary().extend(
        [
            _p("p", "v", "abs"),
            _p("b", "", "abs"),
            _p("e", "v1 v2", "symmetric", "antireflexive"),
            _p("m", "v1 v2", "invfunction"),
            _p("q", "v", definition=Forall("w", Or(Not(Atom("e", ("v", "w"))), Atom("p", ("w",))))),
            _p("cyc", "v", "abs", definition=transitive_closure("m", "v", "v")),
        ]
    ),
    rules=(
        Rule(And(Atom("p", ("v",)), Atom("m", ("v", "w"))), Not(Atom("p", ("w",)))),
        Rule(And(Atom("b", ()), Atom("e", ("v", "w"))), Atom("p", ("v",))),
    ),
)

ORDER = Setting(
    "ORDER",
    Vocabulary().extend(
        [
            _p("p", "v", "abs"),
            _p("z", "v", "unique"),
            _p("le", "v1 v2", "reflexive", "transitive", "antisymmetric"),
            _p("top", "v", definition=Forall("w", Atom("le", ("w", "v")))),
            _p("any", "", definition=Exists("v", And(Atom("p", ("v",)), Atom("top", ("v",))))),
        ]
    ),
    rules=(Rule(And(Atom("z", ("v",)), Atom("z", ("w",))), Atom("p", ("v",))),),
)

TERNARY = Setting(
    "TERNARY",
    Vocabulary().extend(
        [
            _p("p", "v", "abs"),
            _p("b", ""),
            _p("e", "v1 v2", "function"),
            _p("h", "v1 v2 v3"),
            _p("d", "v", "abs", definition=Exists("a", Exists("c", Atom("h", ("v", "a", "c"))))),
            _p("k", "v1 v2 v3", definition=And(Atom("h", ("v1", "v2", "v3")), Not(Equal("v1", "v3")))),
        ]
    ),
    bound=2,
    thinning=20,
)

ALL = (LIST, ACYCLIC, GRAPH, ORDER, TERNARY)
SETTINGS = st.sampled_from(ALL)


@cache
def all_concrete(setting: Setting) -> tuple[NaiveStructure, ...]:
    """The valid concrete structures of a setting up to its bound, the empty one included."""
    small = concrete_structures(setting.vocabulary, range(setting.bound), setting.rules)
    large = concrete_structures(setting.vocabulary, [setting.bound], setting.rules)
    return (*small, *list(large)[:: setting.thinning])


def gamma(setting: Setting, s: NaiveStructure) -> list[NaiveStructure]:
    """The valid concrete structures up to the bound that are embedded in s."""
    fewest = sum(s.value("ac", (u,)) == 1 for u in s.universe)
    return [c for c in all_concrete(setting) if len(c.universe) >= fewest and embeds(c, s)]


# Structures ------------------------------------------------------------------------------------------------


def _digits(number: int, base: int, count: int) -> list[int]:
    digits = []
    for _ in range(count):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits


@st.composite
def structures(
    draw: st.DrawFn,
    vocabulary: Vocabulary,
    least: int = 0,
    most: int = 4,
    maybe_active: bool = True,
) -> NaiveStructure:
    """Any three-valued structure: summary nodes, maybe-active nodes and 1/2 values anywhere."""
    size = draw(st.integers(least, most))
    s = empty(vocabulary, size)
    palette = draw(st.sampled_from([(0.0, 1.0), (0.0, HALF), (0.0, HALF, 1.0), (HALF, 0.0, 0.0, 1.0)]))
    for p in vocabulary.declared:
        tuples = list(s.tuples(p.name))
        if len(tuples) > 400:  # a sparse sample: drawing thousands of values is slow
            picked = draw(st.lists(st.tuples(st.sampled_from(tuples), st.sampled_from(palette)), max_size=60))
        else:
            number = draw(st.integers(0, len(palette) ** len(tuples) - 1))
            digits = _digits(number, len(palette), len(tuples))
            picked = [(nodes, palette[d]) for nodes, d in zip(tuples, digits, strict=True)]
        for nodes, value in picked:
            s.set(p.name, nodes, value)
    summary = draw(st.integers(0, 2**size - 1))
    inactive = draw(st.integers(0, 2**size - 1)) if maybe_active and draw(st.booleans()) else 0
    for u in s.universe:
        s.set("sm", (u,), HALF if summary >> u & 1 else 0.0)
        s.set("ac", (u,), HALF if inactive >> u & 1 else 1.0)
    return s


@st.composite
def concrete(draw: st.DrawFn, setting: Setting) -> NaiveStructure:
    """One of the valid concrete structures of a setting."""
    return draw(st.sampled_from(all_concrete(setting))).copy()


@st.composite
def abstractions(draw: st.DrawFn, setting: Setting, maybe_active: bool = True) -> NaiveStructure:
    """A structure with many concretisations: a concrete one, merged and made vague.

    Nodes are merged by canonical abstraction or at random; then some values become 1/2, some nodes summary
    nodes, some maybe active.
    """
    s = draw(concrete(setting))
    kind = draw(st.sampled_from(["blur", "merge", "keep"]))
    if kind == "blur":
        s = blur(s)
    elif kind == "merge" and s.universe:
        places = draw(st.integers(1, len(s.universe)))
        place = [draw(st.integers(0, places - 1)) for _ in s.universe]
        number = {p: i for i, p in enumerate(sorted(set(place)))}
        s = tight_embedding(s, {u: number[p] for u, p in zip(s.universe, place, strict=True)})
    return draw(_vaguer(s, maybe_active))


@st.composite
def _vaguer(draw: st.DrawFn, s: NaiveStructure, maybe_active: bool) -> NaiveStructure:
    s = s.copy()
    for p in s.vocabulary.declared:
        if draw(st.booleans()):
            continue
        tuples = list(s.tuples(p.name))
        chosen = draw(st.integers(0, 2 ** len(tuples) - 1))
        for i, nodes in enumerate(tuples):
            if chosen >> i & 1:
                s.set(p.name, nodes, HALF)
    for name in ("sm", "ac"):
        if (name == "sm" or maybe_active) and draw(st.booleans()):
            chosen = draw(st.integers(0, 2 ** len(s.universe) - 1))
            for i, u in enumerate(s.universe):
                if chosen >> i & 1:
                    s.set(name, (u,), HALF)
    return s


@st.composite
def shuffles(draw: st.DrawFn, s: NaiveStructure) -> NaiveStructure:
    """The same structure with its nodes renumbered."""
    order = draw(st.permutations(range(len(s.universe))))
    renamed = dict(zip(s.universe, order, strict=True))
    values = {
        p: {tuple(renamed[u] for u in nodes): value for nodes, value in entries.items()}
        for p, entries in s.values.items()
    }
    return NaiveStructure(s.vocabulary, sorted(renamed.values()), values)


# Formulas --------------------------------------------------------------------------------------------------


@st.composite
def formulas(
    draw: st.DrawFn,
    vocabulary: Vocabulary,
    free: tuple[str, ...] = ("v", "w", "a"),
    depth: int = 4,
    rank: int = 3,
    unknown: bool = True,
    builtin: tuple[str, ...] = (),
) -> Formula:
    """A formula over the given free variables: all connectives, quantifiers and general closures.

    `rank` bounds the nesting of quantifiers (a closure counts twice). Bound variables may hide others.
    `builtin` are the built-in predicates that may occur, `unknown` admits the constant 1/2.
    """
    predicates = [*vocabulary.declared, *(vocabulary[name] for name in builtin)]

    def atomic(scope: tuple[str, ...]) -> Formula:
        usable = [p for p in predicates if p.arity == 0 or scope]
        kind = draw(st.integers(0, 9))
        if kind == 0 or not usable:
            return draw(st.sampled_from([FALSE, TRUE, UNKNOWN] if unknown else [FALSE, TRUE]))
        if kind == 1 and scope:
            return Equal(draw(st.sampled_from(scope)), draw(st.sampled_from(scope)))
        p = draw(st.sampled_from(usable))
        return Atom(p.name, tuple(draw(st.sampled_from(scope)) for _ in range(p.arity)))

    def build(scope: tuple[str, ...], depth: int, rank: int) -> Formula:
        kinds = ["atom"]
        if depth > 0:
            kinds += ["and", "or", "not", "iff", "ite"]
            if rank >= 1:
                kinds += ["exists", "forall", "exists", "forall"]
            if rank >= 2 and scope:
                kinds += ["closure", "closure"]
        kind = draw(st.sampled_from(kinds))
        if kind == "atom":
            return atomic(scope)
        if kind in ("exists", "forall"):
            v = draw(st.sampled_from(VARIABLES))
            body = build(tuple(dict.fromkeys((*scope, v))), depth - 1, rank - 1)
            return Exists(v, body) if kind == "exists" else Forall(v, body)
        if kind == "closure":
            left, right = draw(st.sampled_from(scope)), draw(st.sampled_from(scope))
            a = draw(st.sampled_from(VARIABLES))
            b = draw(st.sampled_from([v for v in VARIABLES if v != a]))
            return Closure(left, right, a, b, build(tuple(dict.fromkeys((*scope, a, b))), depth - 1, rank - 2))
        if kind == "not":
            return Not(build(scope, depth - 1, rank))
        if kind == "ite":
            parts = [build(scope, depth - 1, rank) for _ in range(3)]
            return IfThenElse(parts[0], parts[1], parts[2])
        connective = {"and": And, "or": Or, "iff": Iff}[kind]
        result: Formula = connective(build(scope, depth - 1, rank), build(scope, depth - 1, rank))
        return result

    return build(free, depth, rank)

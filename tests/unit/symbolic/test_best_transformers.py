"""Best transformers: list actions with reachability, blocks, precision beyond coerce, contracts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kleene.diagnostics import InputError, UsageError
from kleene.logic.kleene import Kleene
from kleene.smt import Limits
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.structures.evaluate import evaluate
from kleene.structures.tvs_reader import read_tvs
from kleene.symbolic import BestTransformer, Theory
from kleene.symbolic.best import Breach, broken_ensures, broken_requires
from kleene.symbolic.contracts.action_calls import action_of, split_call
from kleene.symbolic.contracts.reader import parse_contracts, read_contracts
from kleene.symbolic.contracts.specifications import entry
from kleene.symbolic.result import SymbolicOptions
from kleene.transformers.action import Action
from kleene.tvp.program import parse_program

from .samples import EXAMPLES, INPUT, PRECONDITION, RUNNING, THEORY, formula, program, structure

LISTS = program("lists")
LIST_THEORY = Theory(LISTS.vocabulary, LISTS.rules)
OPTIONS = SymbolicOptions()
QUICK = SymbolicOptions(limits=Limits(total_seconds=1))


def test_precondition_is_as_precise_as_assume() -> None:
    """A condition without focus: coerce leaves y = 1/2, so 'y may be NULL' would be a false alarm."""
    condition = Action("x->n == y", precondition=formula(PRECONDITION))
    best = BestTransformer(condition, THEORY)
    results = best.post(INPUT)
    assert len(results) == 8
    y_is_null = formula("!(E(v) y(v))")
    assert all(evaluate(s, y_is_null) is Kleene.FALSE for s in results)
    assert any(evaluate(s, y_is_null) is not Kleene.FALSE for s in best.plain(INPUT))
    for s in results:
        assert any(embeds(s, p) for p in best.plain(INPUT))


def test_messages_can_be_decided() -> None:
    best = BestTransformer(Action("skip"), THEORY)
    assert best.can_hold(formula("E(v) (x(v) & y(v))"), INPUT)
    assert not best.can_hold(formula("!(E(v) x(v))"), INPUT)


@pytest.mark.parametrize(
    ("call", "count"),
    [("Set_Null(x)", 1), ("Copy(t, x)", 2), ("Get_Next(t, x)", 3)],
)
def test_list_actions(call: str, count: int) -> None:
    text = "%n = {u, w}\n%p = { sm = {w:1/2} x = {u} n = {u->w:1/2, w->w:1/2} r[x] = {u, w} }"
    result = BestTransformer(action_of(LISTS, call), LIST_THEORY).run([structure(text, LISTS)])
    assert result.most_precise, result.reason
    assert len(result.structures) == count
    for s, store in zip(result.structures, result.stores, strict=True):
        assert store is not None
        assert canonical_abstraction(store) == s


LIST_ACTIONS = ("Set_Null(x)", "Copy(t, x)", "Get_Next(t, x)", "Set_Next(x, t)", "Set_Next(y, x)", "Malloc(t)")


@pytest.mark.parametrize("call", LIST_ACTIONS)
def test_best_is_below_plain(call: str) -> None:
    """Also without time to decide anything: what is kept then represents every store of the exact result."""
    inputs = [s.structure for s in read_tvs(EXAMPLES / "block.tvs", LISTS.vocabulary).structures]
    best = BestTransformer(action_of(LISTS, call), LIST_THEORY)
    result = best.run(inputs)
    assert result.most_precise, result.reason
    plain = [p for s in inputs for p in best.plain(s)]
    hurried = SymbolicOptions(limits=Limits(total_seconds=0.0))
    kept = BestTransformer(action_of(LISTS, call), LIST_THEORY, hurried).run(inputs)
    assert not kept.most_precise
    for store in result.stores:
        assert store is not None
        assert any(embeds(store, p) for p in plain)
        assert any(embeds(store, p) for p in kept.structures)


def test_a_block_is_one_transformer() -> None:
    """``t = x->n; x->n = NULL; y = x; x = t`` on a list of one element: everything is definite."""
    one = structure("%n = {u}\n%p = { x = {u} r[x] = {u} }", LISTS)
    calls = ("Get_Next(t, x)", "Set_Next(x, y)", "Copy(y, x)", "Copy(x, t)")
    result = BestTransformer([action_of(LISTS, call) for call in calls], LIST_THEORY).run([one])
    (after,) = result.structures
    assert result.most_precise
    assert after == canonical_abstraction(structure("%n = {u}\n%p = { y = {u} r[y] = {u} }", LISTS))


def test_nodes_come_and_go() -> None:
    one = structure("%n = {u}\n%p = { x = {u} r[x] = {u} }", LISTS)
    result = BestTransformer([action_of(LISTS, c) for c in ("Malloc(t)", "Set_Next(t, x)", "Free(x)")], LIST_THEORY)
    (after,) = result.post(one)
    assert after == canonical_abstraction(structure("%n = {u}\n%p = { t = {u} r[t] = {u} }", LISTS))


def test_calls() -> None:
    assert split_call(" f ( a , r[n,x] )") == ("f", ("a", "r[n,x]"))
    assert split_call("f") == ("f", ())
    assert split_call("f()") == ("f", ())
    for bad in ("f(", "1()", "f(a,,b)"):
        with pytest.raises(UsageError):
            split_call(bad)
    with pytest.raises(InputError, match="undeclared action 'Cpy'; did you mean 'Copy'"):
        action_of(LISTS, "Cpy(x, y)")
    with pytest.raises(InputError, match="needs 2 arguments"):
        action_of(LISTS, "Copy(x)")


SORT = program("sort")
SORT_THEORY = Theory(SORT.vocabulary, SORT.rules)
CONTRACTS = read_contracts(EXAMPLES / "sort.contracts")


def test_sort_by_its_specification() -> None:
    one, two = "%n = {u}\n%p = { x = {u} r[x] = {u} }", "%n = {u, w}\n%p = { x = {u} n = {u->w} r[x] = {u, w} }"
    call = CONTRACTS.procedures["sort"].call(["x"], SORT)
    for text in (one, two):
        result = BestTransformer(call, SORT_THEORY).run([structure(text, SORT)])
        assert result.most_precise, result.reason
        ordered = formula("A(v) ordered(v)", SORT)
        assert result.structures
        assert all(evaluate(s, ordered) is Kleene.TRUE for s in result.structures)


def test_violated_preconditions_come_with_the_structure() -> None:
    call = CONTRACTS.procedures["merge"].call(["x", "y"], SORT)
    good = "%n = {u, w}\n%p = { x = {u} y = {w} r[x] = {u} r[y] = {w} ordered = {u, w} }"
    bad = "%n = {u, w}\n%p = { x = {u} y = {w} r[x] = {u} r[y] = {w} ordered = {u, w:1/2} }"
    assert call.violations([structure(good, SORT)], SORT_THEORY, OPTIONS).structures == ()
    (broken,) = call.violations([structure(bad, SORT)], SORT_THEORY, OPTIONS).structures
    assert broken.value("ordered", 1) is Kleene.FALSE
    result = BestTransformer(call, SORT_THEORY).run([structure(good, SORT)])
    assert result.most_precise
    assert all(evaluate(s, formula("A(v) (r[x](v) & ordered(v))", SORT)) is Kleene.TRUE for s in result.structures)


def test_a_body_against_its_specification() -> None:
    """``y = x; x = NULL`` moves a list; without its second half it does not."""
    text = "procedure move(a, b)\n  requires !(E(v) b(v))\n  ensures !(E(v) a(v)) & (A(v) (old[r[a]](v) <-> r[b](v)))"
    call = parse_contracts(text).procedures["move"].call(["x", "y"], LISTS)
    one = structure("%n = {u, w}\n%p = { x = {u} n = {u->w} r[x] = {u, w} }", LISTS)
    body = [action_of(LISTS, c) for c in ("Copy(y, x)", "Set_Null(x)")]
    assert broken_ensures(call, body, [one], LIST_THEORY).excluded
    (wrong,) = broken_ensures(call, body[:1], [one], LIST_THEORY).stores
    assert evaluate(wrong, formula("E(v) x(v)", LISTS)) is Kleene.TRUE
    narrow = parse_contracts(f"{text}\n  modifies a, b").procedures["move"].call(["x", "y"], LISTS)
    assert broken_ensures(narrow, body, [one], LIST_THEORY).excluded
    cut = [*body, action_of(LISTS, "Set_Next(y, x)")]
    only_y = parse_contracts("procedure move(a, b)\n  modifies a, b\n  ensures 1").procedures["move"]
    (changed,) = broken_ensures(only_y.call(["x", "y"], LISTS), cut, [one], LIST_THEORY).stores
    assert not any(changed.entries("n")), "n is changed, and modifies does not list it"
    assert all(
        s.size for s in entry(CONTRACTS.procedures["split"].call(["x", "y"], SORT), SORT_THEORY, QUICK).structures
    )


MERGE_SORT = [("split", "x", "y"), ("sort", "x"), ("sort", "y"), ("merge", "x", "y")]


def _merge_sort(calls: Sequence[tuple[str, ...]]) -> tuple[list[Breach], Breach]:
    """The breaches of all preconditions, and of the postcondition of sort, with the calls as its body."""
    steps = [CONTRACTS.procedures[name].call(arguments, SORT) for name, *arguments in calls]
    inputs = [s.structure for s in read_tvs(EXAMPLES / "sort.tvs", SORT.vocabulary).structures]
    options = SymbolicOptions(limits=Limits(query_seconds=10))
    before = [broken_requires(step, steps[:i], inputs, SORT_THEORY, options) for i, step in enumerate(steps)]
    sort = CONTRACTS.procedures["sort"].call(["x"], SORT)
    return before, broken_ensures(sort, steps, inputs, SORT_THEORY, options)


def test_merge_sort_on_specifications() -> None:
    before, after = _merge_sort(MERGE_SORT)
    assert all(b.excluded for b in before), [b.reason for b in before]
    assert after.excluded, after.reason


def test_merge_sort_that_forgets_to_sort_one_half() -> None:
    before, _ = _merge_sort([c for c in MERGE_SORT if c != ("sort", "y")])
    (store,) = before[-1].stores
    assert evaluate(store, formula("E(v) (r[y](v) & !ordered(v))", SORT)) is Kleene.TRUE


def test_bad_contracts() -> None:
    with pytest.raises(InputError, match=r"<contracts>:1:1: expected 'procedure"):
        parse_contracts("requires 1")
    with pytest.raises(InputError, match="specified twice"):
        parse_contracts("procedure p()\nprocedure p()")
    with pytest.raises(UsageError, match="has 1 parameters, and is called with 2"):
        CONTRACTS.procedures["sort"].call(["x", "y"], SORT)
    wrong = parse_contracts("procedure p(a)\n  modifies zz\n  ensures 1")
    with pytest.raises(InputError, match="'zz' is not declared"):
        wrong.procedures["p"].call(["x"], SORT)
    undeclared = parse_contracts("procedure p(a)\n  requires E(v) b(v)")
    with pytest.raises(InputError, match="undeclared predicate 'b'"):
        undeclared.procedures["p"].call(["x"], SORT)


def test_examples_can_be_read() -> None:
    for name, of in (("lists", LISTS), ("block", LISTS), ("sort", SORT), ("sorted_parts", SORT), ("running", RUNNING)):
        assert read_tvs(EXAMPLES / f"{name}.tvs", of.vocabulary).structures


@pytest.mark.parametrize(
    ("rule", "kind", "given"),
    [
        ("%r !p(v) ==> 0", "%new", "%n = {u} %p = {p = {u}}"),
        ("%r !(E(w) n(v, w)) ==> 0", "%retain !p(v)", "%n = {u, w} %p = {p = {u} n = {u->u, w->u}}"),
        ("%r !(E(v) p(v)) ==> 0", "%retain !p(v)", "%n = {u, w} %p = {p = {u}}"),
    ],
)
def test_rules_hold_of_what_is_left(rule: str, kind: str, given: str) -> None:
    """Rules about predicates that an action does not change were not looked at when it removed individuals."""
    of = parse_program(
        f"%p p(v)\n%p n(a, b) function\n{rule}\n%%\n%action go() {{ {kind} }}\n%action stay() {{}}\n%%\na go() b\n"
    )
    theory = Theory(of.vocabulary, of.rules)
    for name, count in (("go()", 0), ("stay()", 1)):
        result = BestTransformer(action_of(of, name), theory).run([structure(given, of)])
        assert result.most_precise
        assert len(result.structures) == count

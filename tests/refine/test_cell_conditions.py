"""General field assertions: conditions on members of one object, followed by ghosts of objects."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

import pytest
from tests.refine.helpers import refined, task_of, written

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Deref, Expression, Field, Unary, Variable
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    ChangeGhosts,
    DeclareLocal,
    EndScope,
    Havoc,
    MemSet,
    Operation,
    Skip,
)
from kleene.cfa.types import INT, IntegerType, RecordType
from kleene.cli import run_main
from kleene.refine.conditions.cells import CellCondition, cell_conditions, ghost_offset, own_member, plain_conditions
from kleene.refine.conditions.ghosts import ghost_of
from kleene.refine.conditions.linear import condition_of
from kleene.refine.conditions.members import Members
from kleene.refine.loop import SAFE, UNSAFE
from kleene.refine.model import Task

LIST = """
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int a, b; struct pair *next; };
int main(void) {
    struct pair *head = NULL;
    while (__VERIFIER_nondet_int()) {
        struct pair *n = malloc(sizeof *n);
        if (!n) exit(1);
        BUILD
        n->next = head;
        head = n;
    }
    for (struct pair *p = head; p; p = p->next) { CHANGE }
    for (struct pair *p = head; p; p = p->next) assert(CLAIM);
    return 0;
}
"""
EQUAL = "n->a = __VERIFIER_nondet_int(); n->b = n->a;"
ORDERED = "int x = __VERIFIER_nondet_int(); n->a = x; n->b = x; if (x < 100) n->b = x + 1;"


def listing(build: str, change: str, claim: str) -> str:
    return LIST.replace("BUILD", build).replace("CHANGE", change).replace("CLAIM", claim)


@pytest.mark.parametrize(
    "build,change,claim",
    [
        (EQUAL, "", "p->a == p->b"),
        (EQUAL, "p->a++; p->b++;", "p->a == p->b"),
        (EQUAL, "p->a ^= 5; p->b ^= 5;", "p->a == p->b"),
        (EQUAL, "p->a = p->a / 3 | 8; p->b = p->b / 3 | 8;", "p->a == p->b"),
        (EQUAL, "p->a ^= p->b; p->b ^= p->a; p->a ^= p->b;", "p->a == p->b"),
        (EQUAL, "int k = __VERIFIER_nondet_int(); p->a &= k; p->b &= k;", "p->a == p->b"),
        (ORDERED, "p->a >>= 1; p->b >>= 1;", "p->a <= p->b"),
        ("n->a = __VERIFIER_nondet_int(); n->b = ~n->a;", "p->a ^= 9; p->b ^= 9;", "p->a == ~p->b"),
        (EQUAL, "int *q = &p->b; *q = p->a;", "p->a == p->b"),
        (EQUAL, "int t = p->a; p->a = p->b; p->b = t;", "p->a == p->b"),
        ("n->a = 0; n->b = (unsigned)__VERIFIER_nondet_int() % 50 + 1;", "", "p->a < p->b"),
        (ORDERED, "if (p->a > -100) p->a = p->a - 1;", "p->a <= p->b"),
        (
            "n->a = 0; n->b = 0;",
            "int x = __VERIFIER_nondet_int(); if (x > 0 && x <= 9999 && p->b < 9999) p->b += x;",
            "p->b >= 0",
        ),
        (
            "n->a = __VERIFIER_nondet_int(); if (n->a < 0) n->a = 0; n->b = 0;",
            "while (__VERIFIER_nondet_int() && p->b < p->a) p->b++;",
            "p->b <= p->a",
        ),
    ],
)
def test_lists_whose_nodes_satisfy_a_condition(tmp_path, build, change, claim):
    """Values of members tell nothing here; a unary predicate for the claim, and its preconditions, are enough."""
    result = refined(written(tmp_path, listing(build, change, claim)))
    assert result.outcome == SAFE
    assert cell_conditions(result.task.conditions)


ACCOUNTS = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct account { unsigned in, out, balance; struct account *next; };
int main(void) {
    struct account *bank = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct account *a = malloc(sizeof *a);
            if (!a) exit(1);
            a->in = a->out = a->balance = 0;
            a->next = bank;
            bank = a;
        } else {
            struct account *a = bank;
            while (a && __VERIFIER_nondet_int()) a = a->next;
            unsigned amount = __VERIFIER_nondet_int();
            if (a) { a->in += amount; a->balance += amount; }
        }
    }
    for (struct account *a = bank; a; a = a->next) assert(a->balance == a->in - a->out);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("amount; }", "amount; }", SAFE),
        ("a->balance += amount", "a->balance += amount & 1", UNSAFE),
        ("a->balance = 0;", "a->balance = 1;", UNSAFE),
    ],
)
def test_four_conditions_on_one_list(tmp_path, old, new, outcome):
    """Only the first condition tells nodes apart: with all of them the tree has more than 200,000 structures."""
    assert old in ACCOUNTS
    assert refined(written(tmp_path, ACCOUNTS.replace(old, new))).outcome == outcome


@pytest.mark.parametrize(
    "build,change,claim",
    [
        (EQUAL, "p->a++;", "p->a == p->b"),
        (EQUAL, "p->a ^= 5; p->b ^= 4;", "p->a == p->b"),
        (EQUAL, "p->a |= 5; p->b ^= 5;", "p->a == p->b"),
        (EQUAL, "p->a ^= p->b; p->b ^= p->a; p->a ^= 1;", "p->a == p->b"),
        (ORDERED, "p->a ^= 1; p->b ^= 1;", "p->a <= p->b"),
        (EQUAL, "p->b = p->a + 1;", "p->a <= p->b"),  # the largest number wraps around
        ("memset(n, 0, sizeof *n); n->a = 1;", "", "p->a == p->b"),
        ("n->a = 1; n->b = 1; if (head) *n = *head; n->a = 2;", "", "p->a == p->b"),
    ],
)
def test_claims_that_some_node_violates(tmp_path, build, change, claim):
    assert refined(written(tmp_path, listing(build, change, claim))).outcome == UNSAFE


WHICH = "int *q = __VERIFIER_nondet_int() ? &p->a : &p->b; *q = p->a + 1;"
KEPT = "int k = __VERIFIER_nondet_int();"


@pytest.mark.parametrize(
    "build,change,claim",
    [
        ("n->a = __VERIFIER_nondet_int(); if (n->a >= k) { free(n); continue; }", "", "p->a < k"),
        ("n->a = k;", "", "p->a == k"),
        ("n->a = k;", "", "p->a == head->a"),  # two objects with the value of one variable
        ("int j = k; n->b = j; n->a = n->b;", "p->b = p->b - 1;", "p->a == k"),
        ("n->a = __VERIFIER_nondet_int();", "if (p->a > k) k = p->a;", "p->a <= k"),  # the greatest number
        ("n->a = k; n->b = k; if (k < 100) n->b = k + 1;", "", "p->b >= k"),
    ],
)
def test_members_beside_a_variable(tmp_path, build, change, claim):
    """A field assertion with a variable: it had no ghost, so that these were UNKNOWN."""
    text = listing(build, change, claim).replace("struct pair *head", f"{KEPT} struct pair *head", 1)
    result = refined(written(tmp_path, text))
    assert result.outcome == SAFE
    assert any(c.outer for c in cell_conditions(result.task.conditions))


@pytest.mark.parametrize(
    "build,change,claim",
    [
        ("n->a = k;", "k = __VERIFIER_nondet_int();", "p->a == k"),
        ("n->a = k; k = __VERIFIER_nondet_int();", "", "p->a == head->a"),
        ("n->a = __VERIFIER_nondet_int();", "if (p->a < k) k = p->a;", "p->a <= k"),
    ],
)
def test_members_beside_a_variable_that_some_node_violates(tmp_path, build, change, claim):
    text = listing(build, change, claim).replace("struct pair *head", f"{KEPT} struct pair *head", 1)
    assert refined(written(tmp_path, text)).outcome != SAFE


@pytest.mark.parametrize(
    "change",
    [WHICH, "memcpy(&p->b, &p->next, sizeof p->b);", "((struct other *)p)->c = 7;"],
)
def test_members_that_are_written_unseen(tmp_path, change):
    """The ghosts do not follow such writes, so that there is no condition on these members."""
    text = listing(EQUAL, change, "p->a == p->b").replace(
        "int main", "struct other { int d, c; void *next; };\nint main"
    )
    task = task_of(written(tmp_path, text))
    assert not Members(task.memory).follows(condition_on(task, "==", 0))
    assert refined(written(tmp_path, text)).outcome != SAFE


def test_members_of_a_union_overlap(tmp_path):
    text = listing(EQUAL, "", "p->a == p->b").replace("struct pair {", "union two { int c, d; };\nstruct pair {")
    task = task_of(written(tmp_path, text.replace("int a, b;", "union { int a, b; };")))
    pair = own_member("a", INT), own_member("b", INT)
    condition = condition_of("==", *pair)
    assert not Members(task.memory).follows(CellCondition(record_of(task), condition, (0, 0)))


def test_the_certificate_has_conditions_on_members(capsys, tmp_path):
    program, proof = written(tmp_path, listing(EQUAL, "", "p->a == p->b")), tmp_path / "proof.json"
    assert run_main(["check", str(program), "--property", "assert", "--refine", "--certificate", str(proof)]) == 0
    assert run_main(["recheck", str(proof)]) == 0
    document = json.loads(proof.read_text(encoding="utf-8"))
    (condition,) = [c for c in document["conditions"] if c["equal"] and c["constant"] == 0]
    assert condition["record"] == "struct pair"
    condition["constant"] = 1
    proof.write_text(json.dumps(document), encoding="utf-8")
    capsys.readouterr()
    assert run_main(["recheck", str(proof)]) != 0
    condition["record"] = "struct other"
    proof.write_text(json.dumps(document), encoding="utf-8")
    assert run_main(["recheck", str(proof)]) == 2


# All steps of random runs --------------------------------------------------------------------------------------------

STATEMENTS = (
    "p->a = x;",
    "p->b = y;",
    "q->a = p->b;",
    "p->b = p->a;",
    "q->b = q->b + 1;",
    "p->a = p->a - 1;",
    "x = p->a;",
    "y = q->b;",
    "x = y;",
    "x = x + 1;",
    "*p = *q;",
    "*q = *p;",
    "memset(p, 0, sizeof *p);",
    "p->a = __VERIFIER_nondet_int();",
    "y = __VERIFIER_nondet_int();",
    "q = p;",
    "q = r;",
    "if (p->a <= p->b) p->b = p->b + 2;",
    "if (x == q->a) q->b = x;",
    "if (p->a > p->b) { int t = p->a; p->a = p->b; p->b = t; }",
    "if (x < y) { p->a = x; p->b = y; }",
    "while (p->a < p->b && x < 3) { p->a = p->a + 1; x = x + 1; }",
)
FRAME = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int a, b; struct pair *next; };
int main(void) {
    struct pair *p = calloc(1, sizeof *p), *q = malloc(sizeof *q), *r = q;
    if (!p || !q) return 1;
    q->a = 1; q->b = 0;
    int x = __VERIFIER_nondet_int(), y = 2;
    STATEMENTS
    p->next = q; q->next = 0;
    return p->a + q->a + r->b + x + y;
}
"""


def record_of(task: Task) -> RecordType:
    return task.program.records["struct pair"].type


def condition_on(task: Task, operator: str, constant: int) -> CellCondition:
    """A condition on the members a and b of the struct of the frame."""
    a, b = own_member("a", INT), own_member("b", INT)
    condition = condition_of(operator, a, Binary("+", b, Constant(constant, INT), INT))
    assert condition is not None
    return CellCondition(record_of(task), condition, tuple({a: 0, b: 4}[v] for v, _ in condition.terms))


def beside(task: Task, operator: str, variable: Variable) -> CellCondition:
    """A condition on the member a and a variable."""
    condition = condition_of(operator, own_member("a", INT), variable)
    assert condition is not None
    return CellCondition(record_of(task), condition, (0,))


@dataclass
class State:
    """Variables, and objects with the numbers at their offsets; ghosts are among both."""

    variables: dict[Variable, int] = field(default_factory=dict)
    objects: dict[int, dict[int, int]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.variables), {n: dict(o) for n, o in self.objects.items()})

    def value(self, expression: Expression) -> int:
        match expression:
            case Constant(value=value):
                return value
            case Variable():
                return self.variables[expression]
            case Field(base=Deref(pointer=Variable() as pointer), offset=offset):
                return self.objects[self.variables[pointer]].get(offset, 0)
            case Cast(operand=operand, type=type_):
                value = self.value(operand)
                return type_.wrap(value) if isinstance(type_, IntegerType) else value
            case Unary(operator="!", operand=operand):
                return int(not self.value(operand))
            case Comparison(operator=operator, left=left, right=right):
                a, b = self.value(left), self.value(right)
                return int({"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator])
            case Binary(operator=operator, left=left, right=right, type=IntegerType() as type_):
                a, b = self.value(left), self.value(right)
                return type_.wrap({"+": a + b, "-": a - b, "&": a & b}[operator])
        raise AssertionError(expression)

    def store(self, target: Expression, value: int) -> None:
        if isinstance(target, Field):
            assert isinstance(target.base, Deref) and isinstance(target.base.pointer, Variable)
            self.objects[self.variables[target.base.pointer]][target.offset] = value
        else:
            assert isinstance(target, Variable)
            self.variables[target] = value

    def after(self, operation: Operation, rng: random.Random) -> State | None:
        """The state after an operation; None if an assumption does not hold."""
        result = self.copy()
        match operation:
            case Assume(condition=condition, truth=truth):
                return result if bool(self.value(condition)) == truth else None
            case Assign(target=Deref(pointer=to), value=Deref(pointer=source)):
                copied = {o: n for o, n in self.objects[self.value(source)].items() if o < 1 << 32}
                result.objects[self.value(to)].update(copied)
            case Assign(target=target, value=value):
                result.store(target, self.value(value))
            case Havoc(target=target):
                result.store(target, rng.randint(-2, 4))
            case Allocate(target=target, zeroed=zeroed):
                number = len(self.objects) + 1
                result.objects[number] = {o: 0 if zeroed else rng.randint(-3, 3) for o in (0, 4)}
                result.store(target, number)
            case MemSet(pointer=pointer):
                result.objects[self.value(pointer)].update(dict.fromkeys((0, 4, 8), 0))
            case DeclareLocal(variable=variable):
                result.variables.setdefault(variable, rng.randint(-3, 3))
            case _:
                assert isinstance(operation, Skip | EndScope)
        return result

    def after_all(self, operation: ChangeGhosts) -> State:
        """The ghosts of all objects change; one that no cube decides is None."""
        result = self.copy()
        for number, numbers in self.objects.items():
            for change in operation.changes:
                true, false = (
                    any(all(numbers.get(o, 0) == value for o, value in cube) for cube in cubes)
                    for cubes in (change.true, change.false)
                )
                assert not (true and false)
                result.objects[number][change.offset] = 1 if true else 0 if false else None
        return result


def values_of(condition: CellCondition, numbers: dict[int, int], state: State) -> dict[Variable, int] | None:
    """The values that a condition is about; None if a variable has none yet."""
    if not condition.outer <= state.variables.keys():
        return None
    members = {v: numbers.get(offset, 0) for v, offset in condition.members.items()}
    return {**members, **{v: state.variables[v] for v in condition.outer}}


def has_true_ghosts(task: Task, state: State) -> bool:
    """Whether the ghosts of a state say what its numbers do."""
    for condition in plain_conditions(task.conditions):
        if condition.variables <= state.variables.keys():
            ghost = state.variables.get(ghost_of(condition), int(condition.holds(state.variables)))
            if ghost != condition.holds(state.variables):
                return False
    for condition, number in cell_conditions(task.conditions).items():
        for numbers in state.objects.values():
            values = values_of(condition, numbers, state)
            known = numbers.get(ghost_offset(condition, number), 0)
            if values is not None and known not in (condition.ghost_value(values), None):
                return False
    return True


def with_true_ghosts(task: Task, state: State) -> State:
    """A new object that is not zeroed has any ghosts: here the right ones."""
    result = state.copy()
    for condition, number in cell_conditions(task.conditions).items():
        for numbers in result.objects.values():
            values = values_of(condition, numbers, result)
            if values is not None:
                numbers[ghost_offset(condition, number)] = condition.ghost_value(values)
    for condition in plain_conditions(task.conditions):
        if condition.variables <= result.variables.keys():
            result.variables[ghost_of(condition)] = int(condition.holds(result.variables))
    return result


def ghostly_successors(task: Task, edge, state: State, rng: random.Random) -> list[State]:
    """The states behind one edge of the program, after all choices of its ghosts."""
    assert task.ghostly is not None
    origins = task.ghostly.origins
    first = next(e for e in task.cfa.edges if origins[id(e)] is edge)
    after = state.after(first.label, rng)
    waiting, results = [(first.target, after)] if after is not None else [], []
    while waiting:
        location, here = waiting.pop()
        if location == edge.target:
            results.append(here)
            continue
        for step in task.cfa.leaving(location):
            change = step.label if isinstance(step.label, ChangeGhosts) else None
            there = here.after(step.label, rng) if change is None else here.after_all(change)
            if there is not None:
                waiting.append((step.target, there))
    return results


@pytest.mark.parametrize("seed", range(12))
def test_every_step_of_a_run_has_its_ghosts(tmp_path, seed):
    """A run of the program is a run with the ghosts that its states have: no assumption about ghosts excludes it."""
    rng = random.Random(seed)
    text = FRAME.replace("STATEMENTS", "\n    ".join(rng.choices(STATEMENTS, k=7)))
    plain = task_of(written(tmp_path, text))
    x, y = (next(v for v in plain.memory.integers if v.name == name) for name in "xy")
    cells = [condition_on(plain, "==", 0), condition_on(plain, "<=", 0), condition_on(plain, "==", rng.choice((1, -1)))]
    assert all(Members(plain.memory).follows(c) for c in cells)
    mixed = [beside(plain, "<=", x), beside(plain, "==", x), beside(plain, "==", y)]
    chosen = [cells[0], condition_of("<=", x, y), *cells[1:]] if seed % 2 else [*mixed, condition_of("==", x, y)]
    task = plain.with_conditions(chosen)
    steps = 0
    for _ in range(5):
        state, location = State(), plain.cfa.entry
        while edges := [e for e in plain.cfa.leaving(location) if not e.target.endswith("exit")]:
            draw = rng.random()
            taken = next(e for e in edges if state.after(e.label, random.Random(draw)) is not None)
            after = ghostly_successors(task, taken, state, random.Random(draw))
            if isinstance(taken.label, Allocate | DeclareLocal):
                after = [with_true_ghosts(task, one) for one in after]
            true = [with_true_ghosts(task, one) for one in after if has_true_ghosts(task, one)]
            assert true, f"{taken.label} excludes the run"
            state, location = true[0], taken.target
            steps += 1
    assert steps > 50

"""Relations of numbers, members and lengths, against runs: what is known at a location holds in every state there."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable
from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State as RunState
from kleene.domains.explicit.values import NotModelled, Pointer, Value
from kleene.passes.calls.inline import inline
from kleene.passes.facts.relations.forms import form_of_constant
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.zones import ZERO, Zone
from kleene.passes.preparation import Prepared

EXAMPLES = Path(__file__).parents[4] / "examples" / "c"
PROGRAMS = sorted((EXAMPLES / "arrays").glob("*.c")) + sorted((EXAMPLES / "data").glob("*.c"))
NUMBERS = (0, 1, 1, 1, 2, 3, 4, 7, 9, -1, 100)
RUNS = 6
STEPS = 600


class _Witness:
    """The values of the symbols of a state at a location, read off a state of a run."""

    def __init__(self, known: State, state: RunState) -> None:
        self.known, self.state = known, state
        self.values: dict[int, Value] = {ZERO: 0}
        self.wrong: list[str] = []

    def check(self, program: CProgram) -> list[str]:
        fixed = {g.variable.name for g in program.globals}
        for key, symbol in self.known.held.items():
            if isinstance(key, Variable) and not key.name.startswith("&"):
                number = self._fixed[key.name] if key.name in fixed else self.state.locals.get(key.name)
                if number is not None and self.state.blocks[number].alive:
                    self._note(symbol, _loaded(self.state.blocks[number], 0, key.type.size), str(key))
        grew = True
        while grew:
            before = len(self.values)
            for key, symbol in self.known.held.items():
                if not isinstance(key, Variable):
                    self._inside(key, symbol)
            grew = len(self.values) > before
        numbers = [(s, v) for s, v in self.values.items() if s in self.known.zone.bounds and isinstance(v, int)]
        for a, x in numbers:
            low, high = self.known.zone.bounds[a]
            if not low <= x <= high:
                self.wrong.append(f"{x} is not in {low}..{high}")
            if a in self.known.nonzero and x == 0:
                self.wrong.append("0 is taken for another number")
            if a in self.known.forms and not self.known.forms[a].covers(form_of_constant(x)):
                self.wrong.append(f"{x} is not a {self.known.forms[a]}")
            for b, y in numbers:
                least = self.known.grown.get((a, b))
                if least is not None and 0 <= x < y + least:
                    self.wrong.append(f"{x} is not {y} and {least} or more, nor less than 0")
            for b, y in numbers:
                if x - y > self.known.zone.upper(a, b):
                    self.wrong.append(f"{x} - {y} > {self.known.zone.upper(a, b)}")
        return self.wrong

    def with_fixed(self, fixed: dict[str, int]) -> _Witness:
        self._fixed = fixed
        return self

    def _note(self, symbol: int, value: Value | None, name: str) -> None:
        if not isinstance(value, int | Pointer):
            return
        if symbol in self.values and self.values[symbol] != value:
            self.wrong.append(f"{name} is {value}, not {self.values[symbol]}")
        self.values[symbol] = value

    def _inside(self, key: Cell | Part, symbol: int) -> None:
        base = self.values.get(key.symbol)
        block = self.state.blocks.get(base.block) if isinstance(base, Pointer) else None
        if block is None or not block.alive or not isinstance(base, Pointer):
            return
        if isinstance(key, Cell):
            self._note(symbol, _loaded(block, base.offset + key.offset, key.size), str(key))
        elif key.kind == "room" and (block.size - base.offset) % key.scale == 0:
            self._note(symbol, (block.size - base.offset) // key.scale, str(key))
        elif key.kind == "behind" and base.offset % key.scale == 0:
            self._note(symbol, base.offset // key.scale, str(key))


def _loaded(block: Block, offset: int, size: int) -> Value | None:
    try:
        return block.load(8 * offset, 8 * size)
    except NotModelled:
        return None


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_what_is_known_holds_in_runs(path: Path) -> None:
    program = inline(read_program([str(path)]))
    if set(program.functions) != {program.entry}:
        pytest.skip("a recursive program")
    relations = Relations(program, program.main.cfa)
    rng, checked = random.Random(0), 0
    for _ in range(RUNS):
        inputs = [rng.choice(NUMBERS) for _ in range(30)]
        trace = run(program, inputs, STEPS, malloc_may_fail=False)
        fixed = trace._machine.fixed
        for state in trace.states():
            if len(state.frames) != 1:
                continue
            parts = relations.at.get(state.frames[-1].location)
            assert parts, f"{state.frames[-1].location} was taken for unreachable"
            wrong = [_Witness(known, state).with_fixed(fixed).check(program) for known in parts.values()]
            assert not all(wrong), f"{state.frames[-1].location} of {path.name}: {wrong[0][0]} (inputs {inputs})"
            checked += 1
    assert checked


def test_all_small_zones() -> None:
    """Closure loses no solution, and a contradiction has none: all solutions of three numbers in -2..2."""
    rng = random.Random(1)
    domain = range(-2, 3)
    for _ in range(300):
        zone = Zone()
        zone.bounds |= dict.fromkeys((1, 2, 3), (-2, 2))
        added = [(rng.randrange(4), rng.randrange(4), rng.randint(-3, 3)) for _ in range(4)]
        possible = True
        for a, b, c in added:
            possible = possible and zone.add(a, b, c)
        points = [(0, x, y, z) for x in domain for y in domain for z in domain]
        points = [p for p in points if all(p[a] - p[b] <= c for a, b, c in added)]
        assert possible == bool(points)
        for i in range(4):
            for j in range(4):
                if points:
                    assert zone.upper(i, j) == max(p[i] - p[j] for p in points)


def test_a_contradiction_is_found_where_bounds_were_widened() -> None:
    """A number of 32..31 went on: the element behind the last index, where a ring goes round."""
    zone = Zone()
    zone.bounds |= {1: (0, 31), 2: (0, 31)}
    zone.gaps[1, 2] = -1
    assert not zone.add(ZERO, 1, -31)
    zone.bounds |= {1: (0, 30), 2: (0, 31)}
    assert zone.add(ZERO, 1, -30)


def test_a_size_that_overflows_makes_a_short_block(tmp_path: Path) -> None:
    """The list of slots of ``malloc(n * sizeof *p)`` had an element for every n > 0, also where the product is 0."""
    text = """
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n == 0) return 0;
    void **blocks = malloc(n * sizeof *blocks);
    if (blocks) blocks[0] = NULL;
    free(blocks);
    return 0;
}
"""
    source = tmp_path / "program.c"
    source.write_text(text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(source)])), malloc_may_fail=True, seconds=20.0)
    assert not result.complete or "out_of_bounds" in {alarm.kind for alarm in result.alarms}


@pytest.mark.parametrize(
    ("size", "model"),
    [
        ("n * 4u", "LP64"),
        ("(size_t)(n * 4)", "LP64"),
        ("(unsigned short)(n * sizeof(int))", "LP64"),
        ("(int)(n * sizeof(int))", "LP64"),
        ("n * sizeof(int)", "ILP32"),
    ],
)
def test_a_product_that_wraps_is_no_number_of_elements(size: str, model: str, tmp_path: Path) -> None:
    """`malloc(n * 4u)` has 4 bytes where n is 2 to the 30 and 1: this was proved."""
    path = tmp_path / "p.c"
    path.write_text(
        "#include <stdlib.h>\nextern unsigned __VERIFIER_nondet_uint(void);\n"
        f"int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); int *a = malloc({size}); if (!a) return 0;\n"
        "  for (unsigned i = 0; i < n && i < 10; i++) a[i] = 0;\n  free(a); return 0; }\n"
    )
    program = read_program([str(path)], ReadOptions(data_model=model))
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=20)
    assert not result.complete or result.alarms


WRAPPING = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int capacity = __VERIFIER_nondet_int();
    if (capacity <= 0)
        return 0;
    int more = EXPRESSION;
    char **block = malloc(more * sizeof *block);
    if (!block)
        return 0;
    free(block);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("expression", "grows"),
    [("capacity * 2", True), ("capacity + capacity / 2", True), ("capacity * 3", False), ("capacity - 1", False)],
)
def test_a_signed_size_that_wraps_makes_no_block(expression: str, grows: bool, tmp_path: Path) -> None:
    """Where the block exists, the size did not wrap; three times a number may wrap twice."""
    source = tmp_path / "program.c"
    source.write_text(WRAPPING.replace("EXPRESSION", expression), encoding="utf-8")
    program = inline(read_program([str(source)]))
    relations = Relations(program, program.main.cfa)
    variables = {n.name: n for n in program.main.locals} | {
        v.name: v for e in program.main.cfa.edges for v in [getattr(e.label, "variable", None)] if v is not None
    }
    there = next(e.source for e in program.main.cfa.edges if str(e.label) == "free(block)")
    assert relations.at_most(variables["capacity"], variables["more"], there) == grows


@pytest.mark.parametrize(
    ("expression", "inside"),
    [
        ("low + (high - low) / 2", True),
        ("(low + high) / 2", True),
        ("low + (high - low)", True),
        ("low + (high - low) + 1", False),
        ("high / 2", False),
    ],
)
def test_the_middle_of_two_numbers_lies_between_them(expression: str, inside: bool, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n"
        "int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();\n"
        "if (low < 3 || low > 100 || high < low || high > 1000) return 0;\n"
        f"int middle = {expression};\nreturn middle;\n}}\n",
        encoding="utf-8",
    )
    program = inline(read_program([str(source)]))
    relations = Relations(program, program.main.cfa)
    edge = next(e for e in program.main.cfa.edges if str(e.label) == "return middle")
    values = {v.name: v for e in program.main.cfa.edges for v in [getattr(e.label, "variable", None)] if v is not None}
    between = relations.at_most(values["low"], values["middle"], edge.source) and relations.at_most(
        values["middle"], values["high"], edge.source
    )
    assert between == inside


@pytest.mark.parametrize("apart", range(8))
@pytest.mark.parametrize(
    ("expression", "middle"),
    [
        ("low + (high - low) / 2", lambda low, high: low + (high - low) // 2),
        ("low + (high - low) / 3", lambda low, high: low + (high - low) // 3),
        ("(low + high) / 2", lambda low, high: int((low + high) / 2)),
    ],
)
@pytest.mark.parametrize("least", [-9, 0])
def test_the_middle_is_as_far_from_both_ends_as_it_may_be(
    expression: str, middle: Callable[[int, int], int], apart: int, least: int, tmp_path: Path
) -> None:
    """The distances that are known hold for all numbers; where sums are not less than 0, they are the greatest."""
    source = tmp_path / "program.c"
    source.write_text(
        f"""extern int __VERIFIER_nondet_int(void);
        int main(void) {{
            int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
            if (low < {least} || low > 30 || high > 30 || low + {apart} > high) return 0;
            int middle = {expression};
            return middle;
        }}""",
        encoding="utf-8",
    )
    program = inline(read_program([str(source)]))
    relations = Relations(program, program.main.cfa)
    edge = next(e for e in program.main.cfa.edges if str(e.label) == "return middle")
    values = {v.name: v for e in program.main.cfa.edges for v in [getattr(e.label, "variable", None)] if v is not None}
    pairs = [(low, high) for low in range(least, 31) for high in range(max(low + apart, least), 31)]
    below = min(middle(low, high) - low for low, high in pairs)
    above = min(high - middle(low, high) for low, high in pairs)

    def is_known(left: str, right: str, distance: int) -> bool:
        return relations.at_most(values[left], values[right], edge.source, more=-distance)

    assert not is_known("low", "middle", below + 1) and not is_known("middle", "high", above + 1)
    if least >= 0 and apart:
        assert is_known("low", "middle", below) and is_known("middle", "high", above)


@pytest.mark.parametrize(
    ("expression", "least", "inside"),
    [
        ("low + (high - low) / 2", -100, True),
        ("low + (high - low) / 3", -100, True),
        ("low + (high - low) / 1", -100, False),
        ("(low + high) / 2", 0, True),
        ("(low + high) / 2", -100, False),  # -3 / 2 is -1
        ("high - (high - low) / 2", -100, False),
    ],
)
def test_the_middle_is_less_than_the_end(expression: str, least: int, inside: bool, tmp_path: Path) -> None:
    """The end was read by a binary search, as far as was known."""
    source = tmp_path / "program.c"
    source.write_text(
        f"""extern int __VERIFIER_nondet_int(void);
        int main(void) {{
            int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
            if (low < {least} || low >= high || high > 8) return 0;
            int middle = {expression};
            return middle;
        }}""",
        encoding="utf-8",
    )
    program = inline(read_program([str(source)]))
    relations = Relations(program, program.main.cfa)
    edge = next(e for e in program.main.cfa.edges if str(e.label) == "return middle")
    values = {v.name: v for e in program.main.cfa.edges for v in [getattr(e.label, "variable", None)] if v is not None}
    assert relations.is_below(values["middle"], values["high"], edge.source) == inside

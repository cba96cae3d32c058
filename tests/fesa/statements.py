"""C statements of several vocabularies, each with its meaning on concrete memories, written by hand.

`LINKS`: two pointers and blocks of two links. `LISTS`: blocks of one link. `OBJECTS`: objects on the stack, pointers to
pointers, whole structs. `NUMBERS_IN_BLOCKS`: small integers in variables and blocks. `THREE`: three pointers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from kleene.c.reader import read_program
from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Operation
from kleene.cfa.program import CProgram
from kleene.passes.facts.memory import Memory

from .concrete import MOVED, NUMBERS, UNSET, Concrete, Place, Run, Value, World


@dataclass(frozen=True)
class Vocabulary:
    """A world, the C text before and after the statements, and the statements."""

    world: World
    head: str
    statements: dict[str, Run]

    def read(self, folder: Path) -> tuple[Memory, list[Statement]]:
        """The statements as the C reader makes them."""
        head = f"#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n{self.head}"
        path = folder / "all.c"
        path.write_text("\n".join([head, *self.statements]) + "\nreturn 0;\n}\n")
        program = read_program([str(path)])
        return Memory(program, program.main.cfa), found(program, self.statements, head.count("\n") + 2)


def found(program: CProgram, statements: dict[str, Run], first: int) -> list[Statement]:
    """The operations of statements in consecutive lines of the main function."""
    by_line: dict[int, list[Operation]] = {}
    for edge in program.main.cfa.edges:
        by_line.setdefault(edge.label.place.line, []).append(edge.label)
    result = []
    for line, (code, run) in enumerate(statements.items(), first):
        kind = EndScope if code == "}" else DeclareLocal if code.startswith("{") else Operation
        result.append(Statement(code, run, tuple(o for o in by_line[line] if isinstance(o, kind))))
    return result


@dataclass(frozen=True)
class Statement:
    """A statement, what it does, and its operations: one, or the two branches of a condition."""

    code: str
    run: Run
    operations: tuple[Operation, ...]

    def possible(self, heap: Concrete) -> bool:
        """Whether the variables that it names exist: s only in its block, and at its end."""
        begins, names = self.code.startswith("{"), re.search(r"\bs\b", self.code) or self.code == "}"
        return "s" not in heap.sizes or not (begins or names) or ("s" in heap.alive) != begins

    def truth(self, operation: Operation) -> bool | None:
        """What the condition is where the operation leads on; None if it is no condition."""
        return operation.truth if isinstance(operation, Assume) else None


def moved(pointer: Value, offset: int) -> Value:
    """The address of a member."""
    if pointer is None:
        return MOVED if offset else None
    if pointer in (UNSET, MOVED):
        return pointer
    assert isinstance(pointer, tuple)
    return pointer[0], pointer[1] + offset


def setting(name: str, value: Callable[[Concrete], Value]) -> Run:
    def run(m: Concrete) -> None:
        m[name] = value(m)

    return run


def _cleared(m: Concrete, place: Place, world: World) -> None:
    for offset, kind in world.block.items():
        m.values[place[0], offset] = 0 if kind == "number" else None


def _moved_block(m: Concrete, pointer: Value, world: World) -> Value:
    """realloc: a new block with the contents of the old one, or NULL."""
    m.copy().free(pointer)
    if m.pick(0, 1):
        return None
    new = m.new(world.block, zeroed=False)
    if isinstance(pointer, tuple):
        m.copy_bytes(new, (pointer[0], 0))
        m.free(pointer)
    return new


def _into(m: Concrete, place: Place, world: World, *, zeroed: bool) -> None:
    """A new block whose address is stored in a place; or NULL."""
    m.values[place] = m.new(world.block, zeroed=zeroed) if m.pick(0, 1) else None


# Two pointers and blocks of two links ---------------------------------------------------------------------------

LINK_WORLD = World({"x": "cell", "y": "cell"}, {}, {0: "cell", 8: "cell"})
A, B = 0, 8


def _simple(x: str, y: str) -> dict[str, Run]:
    """The statements of the paper's language, Fig. 8."""
    return {
        f"{x} = NULL;": setting(x, lambda m: None),
        f"{x} = {y};": setting(x, lambda m: m[y]),
        f"{x} = {y}->a;": setting(x, lambda m: m.load(m[y], A)),
        f"{x} = {x}->b;": setting(x, lambda m: m.load(m[x], B)),
        f"{x}->a = {y};": lambda m: m.store(m[x], A, m[y]),
        f"{x}->b = {x};": lambda m: m.store(m[x], B, m[x]),
        f"free({x});": lambda m: m.free(m[x]),
    }


def _links(x: str, y: str) -> dict[str, Run]:
    block = LINK_WORLD.block
    return _simple(x, y) | {
        f"{x}->a = NULL;": lambda m: m.store(m[x], A, None),
        f"{x}->b = NULL;": lambda m: m.store(m[x], B, None),
        f"{x}->b = {y};": lambda m: m.store(m[x], B, m[y]),
        f"{x} = malloc(16);": setting(x, lambda m: m.new(block, zeroed=False) if m.pick(0, 1) else None),
        f"{x} = calloc(1, 16);": setting(x, lambda m: m.new(block, zeroed=True) if m.pick(0, 1) else None),
        f"{x}->b = calloc(1, 16);": lambda m: _into(m, m.at(m[x], B), LINK_WORLD, zeroed=True),
        f"{x} = realloc({x}, 16);": setting(x, lambda m: _moved_block(m, m[x], LINK_WORLD)),
        f"{x} = realloc({y}, 16);": setting(x, lambda m: _moved_block(m, m[y], LINK_WORLD)),
        f"{x}->a = {y}->b;": lambda m: m.store(m[x], A, m.load(m[y], B)),
        f"{x}->a->b = {y};": lambda m: m.store(m.load(m[x], A), B, m[y]),
        f"{x} = {y}->a->b;": setting(x, lambda m: m.load(m.load(m[y], A), B)),
        f"free({x}->a);": lambda m: m.free(m.load(m[x], A)),
        f"*{x} = *{y};": lambda m: m.copy_bytes(m.at(m[x], 0, 16), m.at(m[y], 0, 16)),
        f"memset({x}, 0, 16);": lambda m: _cleared(m, m.at(m[x], 0, 16), LINK_WORLD),
        f"if ({x} == NULL) ;": lambda m: m.same(m[x], None),
        f"if ({x}) ;": lambda m: not m.same(m[x], None),
        f"if ({x} == {y}) ;": lambda m: m.same(m[x], m[y]),
        f"if ({x}->a == NULL) ;": lambda m: m.same(m.load(m[x], A), None),
        f"if ({x}->a == {y}) ;": lambda m: m.same(m.load(m[x], A), m[y]),
        f"if ({x}->a != {y}->b) ;": lambda m: not m.same(m.load(m[x], A), m.load(m[y], B)),
    }


_NODE = "struct node { struct node *a, *b; };\nint main(void) {\n"
LINKS = Vocabulary(LINK_WORLD, f"{_NODE}struct node *x, *y;", _simple("y", "x") | _links("x", "y"))


def all_links(names: str, prefix: str = "") -> dict[str, Run]:
    """The statements about all pairs of variables; in memories these have longer names."""
    found: dict[str, Run] = {}
    for x, y in permutations(names, 2):
        found |= dict(zip(_links(x, y), _links(prefix + x, prefix + y).values(), strict=True))
    return found


LIST_WORLD = World({"x": "cell", "y": "cell"}, {}, {8: "cell"})
NEXT = 8


def _lists() -> dict[str, Run]:
    block = LIST_WORLD.block
    return {
        "x = NULL;": setting("x", lambda m: None),
        "y = x;": setting("y", lambda m: m["x"]),
        "x = x->a;": setting("x", lambda m: m.load(m["x"], NEXT)),
        "y = x->a;": setting("y", lambda m: m.load(m["x"], NEXT)),
        "x->a = y;": lambda m: m.store(m["x"], NEXT, m["y"]),
        "x->a = NULL;": lambda m: m.store(m["x"], NEXT, None),
        "x->a = x->a->a;": lambda m: m.store(m["x"], NEXT, m.load(m.load(m["x"], NEXT), NEXT)),
        "free(x);": lambda m: m.free(m["x"]),
        "free(x->a);": lambda m: m.free(m.load(m["x"], NEXT)),
        "x = calloc(1, 16);": setting("x", lambda m: m.new(block, zeroed=True) if m.pick(0, 1) else None),
        "if (x == y) ;": lambda m: m.same(m["x"], m["y"]),
        "if (x->a == y) ;": lambda m: m.same(m.load(m["x"], NEXT), m["y"]),
        "if (x->a == y->a) ;": lambda m: m.same(m.load(m["x"], NEXT), m.load(m["y"], NEXT)),
        "if (x->a->a) ;": lambda m: not m.same(m.load(m.load(m["x"], NEXT), NEXT), None),
    }


_CELL = "struct cell { int n; struct cell *a; };\nint main(void) {\n"
LISTS = Vocabulary(LIST_WORLD, f"{_CELL}struct cell *x, *y;", _lists())
"""Blocks of one link, so there may be more of them."""
THREE = Vocabulary(
    World({"x": "cell", "y": "cell", "z": "cell"}, {}, LINK_WORLD.block),
    f"{_NODE}struct node *x, *y, *z;",
    all_links("xyz"),
)
"""For long runs."""

# Objects on the stack, pointers to pointers ---------------------------------------------------------------------

OBJECT_WORLD = World({"x": "cell", "q": "link"}, {"s": {8: "cell"}, "v": {0: "cell"}}, {8: "cell"}, frozenset("s"))


def _began(m: Concrete) -> None:
    """A new object s. Pointers to the one before do not point to it: they are as good as those without a value."""
    m.values = {place: UNSET if _into_s(value) else value for place, value in m.values.items()}
    m.alive.add("s")
    m.values["s", NEXT] = UNSET


def _into_s(value: Value) -> bool:
    return isinstance(value, tuple) and value[0] == "s"


def _objects() -> dict[str, Run]:
    s: Place = ("s", 0)
    world = OBJECT_WORLD
    return {
        "{ struct cell s;": _began,
        "x = &s;": setting("x", lambda m: s),
        "q = &v;": setting("q", lambda m: ("v", 0)),
        "q = &s.a;": setting("q", lambda m: ("s", NEXT)),
        "q = &x->a;": setting("q", lambda m: moved(m["x"], NEXT)),
        "*q = x;": lambda m: m.store(m["q"], 0, m["x"]),
        "x = *q;": setting("x", lambda m: m.load(m["q"])),
        "*q = NULL;": lambda m: m.store(m["q"], 0, None),
        "*q = (*q)->a;": lambda m: m.store(m["q"], 0, m.load(m.load(m["q"]), NEXT)),
        "s.a = x;": lambda m: m.store(s, NEXT, m["x"]),
        "x = s.a;": setting("x", lambda m: m.load(s, NEXT)),
        "v = x;": lambda m: m.store(("v", 0), 0, m["x"]),
        "x = v;": setting("x", lambda m: m.load(("v", 0))),
        "x->a = x;": lambda m: m.store(m["x"], NEXT, m["x"]),
        "x = x->a;": setting("x", lambda m: m.load(m["x"], NEXT)),
        "x->n = 1;": lambda m: m.at(m["x"], 0, 4) and None,
        "s = *x;": lambda m: m.copy_bytes(m.at(s, 0, 16), m.at(m["x"], 0, 16)),
        "*x = s;": lambda m: m.copy_bytes(m.at(m["x"], 0, 16), m.at(s, 0, 16)),
        "memset(&s, 0, sizeof s);": lambda m: _cleared(m, m.at(s, 0, 16), world),
        "memset(q, 0, 8);": lambda m: m.store(m["q"], 0, None),
        "memset(q, 0, 16);": lambda m: _cleared(m, m.at(m["q"], 0, 16), world),
        "memcpy(x, &s, 16);": lambda m: m.copy_bytes(m.at(m["x"], 0, 16), m.at(s, 0, 16)),
        "*q = malloc(16);": lambda m: _into(m, m.at(m["q"]), world, zeroed=False),
        "x = realloc(x, 16);": setting("x", lambda m: _moved_block(m, m["x"], world)),
        "free(x);": lambda m: m.free(m["x"]),
        "free(q);": lambda m: m.free(m["q"]),
        "free(*q);": lambda m: m.free(m.load(m["q"])),
        "if (q == &v) ;": lambda m: m.same(m["q"], ("v", 0)),
        "if (q == &x->a) ;": lambda m: m.same(m["q"], moved(m["x"], NEXT)),
        "if (*q == x) ;": lambda m: m.same(m.load(m["q"]), m["x"]),
        "if (q) ;": lambda m: not m.same(m["q"], None),
        "if (x == &s) ;": lambda m: m.same(m["x"], s),
        "}": lambda m: m.end("s"),
    }


OBJECTS = Vocabulary(
    OBJECT_WORLD,
    f"{_CELL}struct cell *x, **q, *v;",
    _objects(),
)

# Numbers --------------------------------------------------------------------------------------------------------

NUMBER_WORLD = World({"x": "cell", "i": "number"}, {}, {0: "number", 8: "cell"})


def _numbers() -> dict[str, Run]:
    def n(m: Concrete) -> int:
        return _number(m.load(m["x"], 0, 4))

    def i(m: Concrete) -> int:
        return _number(m["i"])

    return {
        "x->n = 0;": lambda m: m.store(m["x"], 0, 0, 4),
        "x->n = 1;": lambda m: m.store(m["x"], 0, 1, 4),
        "x->n = i;": lambda m: m.store(m["x"], 0, i(m), 4),
        "x->n = x->n + 1;": lambda m: m.store(m["x"], 0, n(m) + 1, 4),
        "i = x->n;": setting("i", n),
        "i = 1;": setting("i", lambda m: 1),
        "i = i + 1;": setting("i", lambda m: i(m) + 1),
        "i = i & 1;": setting("i", lambda m: i(m) & 1),
        "i = -i;": setting("i", lambda m: -i(m)),
        "i = x->n == i;": setting("i", lambda m: int(n(m) == i(m))),
        "i = (_Bool) i;": setting("i", lambda m: int(i(m) != 0)),
        "i = __VERIFIER_nondet_int();": setting("i", lambda m: m.pick(*NUMBERS)),
        "x->n = __VERIFIER_nondet_int();": lambda m: m.store(m["x"], 0, m.pick(*NUMBERS), 4),
        "x = x->a;": setting("x", lambda m: m.load(m["x"], NEXT)),
        "x = malloc(16);": setting("x", lambda m: m.new(NUMBER_WORLD.block, zeroed=False) if m.pick(0, 1) else None),
        "x = calloc(1, 16);": setting("x", lambda m: m.new(NUMBER_WORLD.block, zeroed=True) if m.pick(0, 1) else None),
        "x = realloc(x, 16);": setting("x", lambda m: _moved_block(m, m["x"], NUMBER_WORLD)),
        "*x = *x->a;": lambda m: m.copy_bytes(m.at(m["x"], 0, 16), m.at(m.load(m["x"], NEXT), 0, 16)),
        "memset(x, 0, 16);": lambda m: _cleared(m, m.at(m["x"], 0, 16), NUMBER_WORLD),
        "memset(x, 0, 4);": lambda m: m.store(m["x"], 0, 0, 4),
        "memset(x, 1, 4);": lambda m: m.store(m["x"], 0, 0x01010101, 4),
        "free(x);": lambda m: m.free(m["x"]),
        "if (i == 1) ;": lambda m: i(m) == 1,
        "if (i) ;": lambda m: i(m) != 0,
        "if (i < 1) ;": lambda m: i(m) < 1,
        "if (x->n == 0) ;": lambda m: n(m) == 0,
        "if (x->n == i) ;": lambda m: n(m) == i(m),
        "if (x->n >= i) ;": lambda m: n(m) >= i(m),
        "if (x->a->n != 1) ;": lambda m: m.load(m.load(m["x"], NEXT), 0, 4) != 1,
        "if (x->n + 1 == i) ;": lambda m: n(m) + 1 == i(m),
    }


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value


NUMBERS_IN_BLOCKS = Vocabulary(NUMBER_WORLD, f"{_CELL}struct cell *x; int i;", _numbers())

# What is rare ---------------------------------------------------------------------------------------------------


def _filled(m: Concrete, place: Place, size: int, value: Value) -> None:
    """Bytes of a block of links, all of the same value; a pointer partly in them is lost, or had that value."""
    for offset in LINK_WORLD.block:
        if place[1] - 8 < offset < place[1] + size:
            whole = place[1] <= offset <= place[1] + size - 8
            same = m.values[place[0], offset] == value
            m.values[place[0], offset] = value if whole or same else UNSET


def _copied(m: Concrete, to: tuple[str, int], source: tuple[str, int], size: int) -> None:
    target = m.at(m[to[0]], to[1], size)
    m.copy_bytes(target, m.at(m[source[0]], source[1], size), size)


def _parts() -> dict[str, Run]:
    return {
        "memcpy(&x->a, &y->a, 8);": lambda m: _copied(m, ("x", A), ("y", A), 8),
        "memcpy(&x->b, &y->b, 8);": lambda m: _copied(m, ("x", B), ("y", B), 8),
        "memcpy(&x->a, &y->b, 8);": lambda m: _copied(m, ("x", A), ("y", B), 8),
        "memcpy(&x->b, &y->a, 8);": lambda m: _copied(m, ("x", B), ("y", A), 8),
        "memcpy(x, y, 12);": lambda m: _copied(m, ("x", A), ("y", A), 12),
        "memcpy(x, y, 4);": lambda m: _copied(m, ("x", A), ("y", A), 4),
        "memcpy(&x->b, y, 12);": lambda m: _copied(m, ("x", B), ("y", A), 12),
        "memcpy(x, y, 0);": lambda m: None,
        "memset(x, 0, 8);": lambda m: _filled(m, m.at(m["x"], A, 8), 8, None),
        "memset(&x->b, 0, 8);": lambda m: _filled(m, m.at(m["x"], B, 8), 8, None),
        "memset(x, 0, 12);": lambda m: _filled(m, m.at(m["x"], A, 12), 12, None),
        "memset(x, 0, 15);": lambda m: _filled(m, m.at(m["x"], A, 15), 15, None),
        "memset(x, 256, 16);": lambda m: _filled(m, m.at(m["x"], A, 16), 16, None),
        "memset(x, 1, 16);": lambda m: _filled(m, m.at(m["x"], A, 16), 16, UNSET),
        "memset(x, 0, 0);": lambda m: None,
        "free(&x->b);": lambda m: m.free(moved(m["x"], B)),
        "x = y + 1;": setting("x", lambda m: moved(m["y"], 16)),
        "(x + 1)->a = NULL;": lambda m: m.store(moved(m["x"], 16), A, None),
        "(x - 1)->b = NULL;": lambda m: m.store(moved(m["x"], -16), B, None),
        "if (&x->b) ;": lambda m: not m.same(moved(m["x"], B), None),
        "if (&x->b == (struct node **)y) ;": lambda m: m.same(moved(m["x"], B), m["y"]),
        "*x = *x;": lambda m: m.at(m["x"], 0, 16) and None,
        "*x = *x->a;": lambda m: m.copy_bytes(m.at(m["x"], 0, 16), m.at(m.load(m["x"], A), 0, 16)),
        "x->a = (void *) 0;": lambda m: m.store(m["x"], A, None),
        "x->a = (struct node *) 4096;": lambda m: m.store(m["x"], A, UNSET),
    }


PARTS = Vocabulary(LINK_WORLD, f"{_NODE}struct node *x, *y;", _parts() | _links("x", "y"))
"""Parts of blocks, addresses in them and beside them; the other statements say what pointers there are."""


def _expressions() -> dict[str, Run]:
    def n(m: Concrete) -> int:
        return _number(m.load(m["x"], 0, 4))

    def after(m: Concrete) -> int:
        return _number(m.load(m.load(m["x"], NEXT), 0, 4))

    def i(m: Concrete) -> int:
        return _number(m["i"])

    return {
        "i = i / 2;": setting("i", lambda m: i(m) // 2),
        "i = 1 - i;": setting("i", lambda m: 1 - i(m)),
        "i = 4 + x->n;": setting("i", lambda m: 4 + n(m)),
        "i = i + x->n;": setting("i", lambda m: i(m) + n(m)),
        "i = x->n - x->a->n;": setting("i", lambda m: n(m) - after(m)),
        "i = x->a->n / 5;": setting("i", lambda m: after(m) // 5),
        "i = x == NULL;": setting("i", lambda m: int(m.same(m["x"], None))),
        "i = x->a != NULL;": setting("i", lambda m: int(not m.same(m.load(m["x"], NEXT), None))),
        "i = (char) i;": setting("i", i),
        "i = (unsigned char) x->n;": setting("i", n),
        "i = (i == 1) == (x->n == 1);": setting("i", lambda m: int((i(m) == 1) == (n(m) == 1))),
        "x->n = x->a->n;": lambda m: m.store(m["x"], 0, after(m), 4),
        "x->n = -x->n;": lambda m: m.store(m["x"], 0, -n(m), 4),
        "x->n = i == 5;": lambda m: m.store(m["x"], 0, int(i(m) == 5), 4),
        "x->a->n = i;": lambda m: m.store(m.load(m["x"], NEXT), 0, i(m), 4),
        "memcpy(&x->n, &x->a->n, 4);": lambda m: m.store(m["x"], 0, after(m), 4),
        "memset(&x->n, 0, 4);": lambda m: m.store(m["x"], 0, 0, 4),
        "memset(&x->a, 0, 8);": lambda m: m.store(m["x"], NEXT, None),
        "if (i != x->n) ;": lambda m: i(m) != n(m),
        "if (i == x->a->n) ;": lambda m: i(m) == after(m),
        "if (i & 1) ;": lambda m: i(m) & 1 == 1,
        "if (i / 5) ;": lambda m: i(m) // 5 != 0,
        "if ((char) i) ;": lambda m: i(m) != 0,
        "if ((i == 5) != (x->n == 5)) ;": lambda m: (i(m) == 5) != (n(m) == 5),
        "if (x->a) ;": lambda m: not m.same(m.load(m["x"], NEXT), None),
    }


EXPRESSIONS = Vocabulary(NUMBER_WORLD, f"{_CELL}struct cell *x; int i;", _expressions() | _numbers())
"""Numbers that are computed; the other statements say what pointers and numbers there are."""

VOCABULARIES = {
    "links": LINKS,
    "lists": LISTS,
    "objects": OBJECTS,
    "numbers": NUMBERS_IN_BLOCKS,
    "three": THREE,
    "parts": PARTS,
    "expressions": EXPRESSIONS,
}

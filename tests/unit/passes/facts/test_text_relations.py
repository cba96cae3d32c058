"""Texts and their terminators, against runs: what is known of them at a location holds in every state there.

The runs execute the bodies of the library functions, the relations use their summaries. So a summary that leaves out
something that the body does is detected where the function returns.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.coverage.inputs import PlannedInputs, named_numbers, plans
from kleene.coverage.views import Program, Stack, View
from kleene.domains.explicit.entry import HIDDEN
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.operations import Ended
from kleene.domains.explicit.state import State as RunState
from kleene.domains.explicit.values import NotModelled, Pointer, Value, Violation
from kleene.passes.calls.recursive_functions import with_one_automaton
from kleene.passes.entry_parameters import with_entry_values
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.texts import NEWEST, OLDEST
from kleene.passes.facts.relations.zones import ZERO
from kleene.passes.literals import with_literals

EXAMPLES = Path(__file__).parents[4] / "examples" / "c" / "text"
PROGRAMS = sorted(EXAMPLES.glob("*.c"))
STEPS = 500
POINTER_BYTES = 8
RUNS = 12


class _Witness:
    """The values of the symbols of a state of the relations, read off a state of a run."""

    def __init__(self, known: State, view: View) -> None:
        self.known, self.state, self.view = known, view.state, view
        self.values: dict[int, Value] = {ZERO: 0}
        self.wrong: list[str] = []
        self.moved = 0

    def check(self) -> list[str]:
        for key, symbol in self.known.held.items():
            if not isinstance(key, Cell | Part) and key.name.startswith("&"):
                number = self.view.variables.get(key.name[1:])
                if number is not None:
                    self._note(symbol, Pointer(number, 0), str(key))
            elif not isinstance(key, Cell | Part):
                number = self.view.variables.get(key.name)
                if number is not None and self.state.blocks[number].alive:
                    self._note(symbol, _load(self.state.blocks[number], 0, key.type.size), str(key))
        before = -1
        while before != len(self.values):
            before = len(self.values)
            for key, symbol in self.known.held.items():
                if isinstance(key, Cell | Part):
                    self._follow(key, symbol)
        numbers = [(s, v) for s, v in self.values.items() if s in self.known.zone.bounds and isinstance(v, int)]
        for a, x in numbers:
            low, high = self.known.zone.bounds[a]
            if not low <= x <= high:
                self.wrong.append(f"{x} is not in {low}..{high}")
            if a in self.known.nonzero and x == 0:
                self.wrong.append(f"symbol {a} is 0")
            for b, y in numbers:
                if x - y > self.known.zone.upper(a, b):
                    self.wrong.append(f"{x} - {y} > {self.known.zone.upper(a, b)}")
        for key, symbol in self.known.held.items():
            if isinstance(key, Part) and key.kind in (OLDEST, NEWEST) and key.scale == 1:
                self._check_terminator(key, symbol)
        return self.wrong

    def _note(self, symbol: int, value: Value | None, name: str) -> None:
        if not isinstance(value, int | Pointer):
            return
        if symbol in self.values and self.values[symbol] != value:
            self.wrong.append(f"{name} is {value}, not {self.values[symbol]}")
        self.values[symbol] = value

    def _block(self, symbol: int) -> tuple[Block, int] | None:
        base = self.values.get(symbol)
        block = self.state.blocks.get(base.block) if isinstance(base, Pointer) else None
        if block is None or not block.alive or block.kind in HIDDEN or not isinstance(base, Pointer):
            return None  # HIDDEN: the arguments are made when they are first looked at
        return block, base.offset

    def _follow(self, key: Cell | Part, symbol: int) -> None:
        found = self._block(key.symbol)
        base = self.values.get(key.symbol)
        if found is None or not isinstance(base, Pointer):
            return
        block, offset = found
        if isinstance(key, Cell):
            self._note(symbol, _load(block, offset + key.offset, key.size), str(key))
        elif key.kind == "block":
            self._note(symbol, Pointer(base.block, 0), str(key))
        elif key.kind == "member":
            self._note(symbol, Pointer(base.block, offset + key.scale), str(key))
        elif key.kind == "room" and not self._is_member(key.symbol) and (block.size - offset) % key.scale == 0:
            self._note(symbol, (block.size - offset) // key.scale, str(key))
        elif key.kind == "behind" and not self._is_member(key.symbol) and offset % key.scale == 0:
            self._note(symbol, offset // key.scale, str(key))
        elif key.kind in ("element", "last moved"):
            by = self.values.get(self.known.held[Part(f"{key.kind} by", key.symbol, key.scale)])
            if isinstance(by, int):
                moved = key.scale * by if key.kind == "last moved" else key.scale + POINTER_BYTES * by
                self._note(symbol, Pointer(base.block, offset + moved), str(key))
                self.moved += 1

    def _is_member(self, symbol: int) -> bool:
        return Part("text", symbol, 1) in self.known.held

    def _check_terminator(self, key: Part, symbol: int) -> None:
        """There is a 0 in the block at a position that the zone allows, and at the known one if it is known."""
        found = self._block(key.symbol)
        if found is None:
            return
        block, offset = found
        position = self.values.get(symbol)
        low, high = self.known.zone.bounds[symbol]
        places = [position] if isinstance(position, int) else range(max(low, 0), min(high, block.size - offset - 1) + 1)
        contents = [_load(block, offset + p, 1) for p in places if isinstance(p, int)]
        if all(isinstance(c, int) and c != 0 for c in contents):
            self.wrong.append(f"{block.label} has no terminator at {low}..{high}")


def _load(block: Block, offset: int, size: int) -> Value | None:
    try:
        return block.load(8 * offset, 8 * size)
    except NotModelled:
        return None


def _look(relations: Relations, view: View, name: str) -> bool:
    parts = relations.at.get(view.location)
    if parts is None and view.location not in {e.source for e in relations.cfa.edges}:
        return False  # inside of a library function that has a summary
    assert parts, f"{name}: {view.location} was taken for unreachable"
    wrong = [_Witness(known, view).check() for known in parts.values()]
    assert not all(wrong), f"{view.location} of {name}: {wrong[0][0]}"
    return True


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_what_is_known_of_texts_holds_in_runs(path: Path) -> None:
    source = read_program([str(path)])
    program = Program(source, malloc_may_fail=True)
    whole = with_one_automaton(with_literals(with_entry_values(program.inlined)))
    relations = Relations(whole, whole.main.cfa)
    named, looked = named_numbers(source), 0
    for count, plan in enumerate(plans(malloc_may_fail=True)):
        if count >= RUNS:
            break
        state: RunState = program.machine.start(PlannedInputs(plan, named))
        stack = Stack(program, state)
        for _ in range(STEPS):
            view = stack.view()
            looked += view is not None and _look(relations, view, path.name)
            try:
                if program.machine.step(state) is None:
                    break
            except (Violation, Ended, NotModelled):
                break
    assert looked


def test_elements_of_a_variable_index_are_compared_with_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pointers to them that relations remember are where the index says."""
    checked: list[int] = []
    check = _Witness.check

    def counted(witness: _Witness) -> list[str]:
        wrong = check(witness)
        checked.append(witness.moved)
        return wrong

    monkeypatch.setattr(_Witness, "check", counted)
    test_what_is_known_of_texts_holds_in_runs(EXAMPLES / "names_in_array.c")
    assert any(checked)

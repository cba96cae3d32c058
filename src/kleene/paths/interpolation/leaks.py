"""Leaks in the vocabulary of interpolants: a block is not lost because this chain of pointers leads to it.

Reachability is not expressible, but on one path each block that lives has a shortest chain from a variable. That the
chain leads elsewhere is weaker than that the block is lost, so a path that contradicts it has no leak.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import z3

from kleene.domains.explicit.interpreter import roots
from kleene.domains.explicit.liveness import Liveness
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer, Split
from kleene.paths.interpolation.facts import Unfit
from kleene.paths.interpolation.relation import Relation, named_block
from kleene.paths.interpolation.vocabulary import FREED, POINTER, Cell


def block_cell(step: int) -> Cell:
    """A name for the block that a step allocated."""
    return Cell(POINTER, f"<block of step {step}>", 0, 64)


def leak_condition(relation: Relation, machine: Machine, state: State, blocks: dict[int, int]) -> Any:
    """Some block of the path is not freed, and the chain that leads to it does not; `blocks` has their steps.

    The state is the one before the last step, which has its relation already.
    """
    after = state.clone()
    ended = False
    try:
        machine.step(after)
    except Ended:
        ended = True
    except Split:
        raise Unfit("what the last step does depends on an input") from None
    chains = {} if ended else _chains(relation, machine, after)
    parts = []
    for number, step in blocks.items():
        block = relation.get(block_cell(step))
        lives = z3.Not(z3.Select(relation.get(FREED), block))
        parts.append(z3.And(lives, chains[number] != block) if number in chains else lives)
    if not parts:
        raise Unfit("no block is allocated on the path")
    return z3.Or(*parts)


def _chains(relation: Relation, machine: Machine, state: State) -> dict[int, Any]:
    """For each block that pointers lead to, a term for a shortest chain of them."""
    owners = {number: name for name, number in (*machine.fixed.items(), *state.locals.items())}
    waiting: deque[tuple[int, str, Any]] = deque()
    for number in roots(machine, state, Liveness(machine.program).dead_temporaries):
        if number in owners:
            name = owners[number]
            waiting.append((number, "" if name in relation.exposed else name, named_block(number)))
    chains: dict[int, Any] = {}
    while waiting:
        number, owner, term = waiting.popleft()
        block = state.blocks.get(number)
        for bit, (width, value) in sorted(block.cells.items()) if block is not None else ():
            if not isinstance(value, Pointer) or value.block in chains or value.block in owners:
                continue
            cell = relation.get(Cell(POINTER, owner, bit, width))
            chains[value.block] = cell if owner else z3.Select(cell, term)
            waiting.append((value.block, "", chains[value.block]))
    return chains

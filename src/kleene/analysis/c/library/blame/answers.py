"""Runs in which a function of the client gives two answers to one question: a comparison does not do that.

The client's functions return any number at each call. A search that compares one pair twice, and relies on the first
answer, is right, and has errors in such runs only. All data of a trial may be equal, so a question is told by the
places from which the library reads the data.
"""

from __future__ import annotations

from kleene.cfa.expressions import Deref, Expression, Field, Variable, without_casts
from kleene.cfa.operations import Assign, Call, Return
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer

_LEAST_ARGUMENTS = 2
"""Arguments of a comparison: a predicate of one datum may count its calls."""
_BYTE_BITS, _POINTER_BITS, _ANSWER_BITS = 8, 64, 32
"""Bits of a byte, of a pointer, and of the answer of a comparison, which is an int."""

_Origin = tuple[str, int, object]
"""Where an argument comes from: a parameter or a block, an offset, and the value."""


def contradicts_itself(run: Confirmed) -> bool:
    """Whether a function of the client answers the same question in two ways during one operation."""
    answers: dict[tuple[object, ...], int] = {}
    asked: tuple[object, ...] | None = None
    for step, state in zip(run.trace.steps, run.trace.states(), strict=False):
        if len(state.frames) == 1:
            answers.clear()
        match step.operation:
            case Call(function=function, arguments=arguments) if not isinstance(function, str):
                caller = state.frames[-1].function
                origins = [_origin(a, state, run.trace.program, caller) for a in arguments]
                known = None not in origins and len(origins) >= _LEAST_ARGUMENTS
                asked = (str(function), caller, len(state.frames), *origins) if known else None
            case Return(value=Variable(name=name)) if asked is not None and name in state.locals:
                answer = state.blocks[state.locals[name]].load(0, _ANSWER_BITS)
                if isinstance(answer, int) and answers.setdefault(asked, _sign(answer)) != _sign(answer):
                    return True
                asked = None
    return False


def _sign(answer: int) -> int:
    """Whether an answer is greater than 0, 0, or less: all that the sign of a comparison says."""
    return 0 if answer == 0 else 1 if 0 < answer < 1 << (_ANSWER_BITS - 1) else -1


def _origin(argument: Expression, state: State, program: CProgram, caller: str) -> _Origin | None:
    """The place that an argument is read from: a member of a block, or a parameter that is never changed."""
    place = without_casts(argument)
    if isinstance(place, Variable):
        labels = (edge.label for edge in program.functions[caller].cfa.edges)
        changes = any(isinstance(label, Assign) and label.target == place for label in labels)
        is_fixed = place in program.functions[caller].parameters and not changes
        return (place.name, 0, _value(place, state)) if is_fixed else None
    found = _address(place, state)
    return None if found is None else (str(found.block), found.offset, _value(place, state))


def _address(place: Expression, state: State) -> Pointer | None:
    """Where a member or what a pointer leads to is in memory; None for all others."""
    match place:
        case Field(base=base, offset=offset):
            found = _address(base, state)
            return None if found is None else Pointer(found.block, found.offset + offset)
        case Deref(pointer=pointer):
            value = _value(without_casts(pointer), state)
            return value if isinstance(value, Pointer) else None
    return None


def _value(place: Expression, state: State) -> object:
    """The pointer that a variable or a member holds."""
    if isinstance(place, Variable):
        number, offset = state.locals.get(place.name), 0
    else:
        found = _address(place, state)
        number, offset = (None, 0) if found is None else (found.block, found.offset)
    block = state.blocks.get(number) if number is not None else None
    return None if block is None else block.load(offset * _BYTE_BITS, _POINTER_BITS)

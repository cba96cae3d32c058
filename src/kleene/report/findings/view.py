"""Findings with everything that a report shows of them: the run step by step, the block's history, a fingerprint.

The formats for other tools (SARIF, witnesses, the terminal) are written from these plain values.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from kleene.cfa.operations import READ_BYTE, READ_OR_END, Call, EndScope, Error, Place
from kleene.cfa.program import CProgram
from kleene.core.verdict import Finding
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.memory import STREAM
from kleene.domains.explicit.outside.world import MALLOC, standard_input
from kleene.report.findings.source_lines import source_line

if TYPE_CHECKING:
    from kleene.domains.explicit.heap import Heap
    from kleene.domains.explicit.interpreter import TraceStep
    from kleene.domains.explicit.state import State

MOST_STEPS = 400
"""Steps of a run that are listed: viewers become slow beyond it. The last ones are kept."""
_MOST_HEAP_WORDS = 2_000
"""Characters of a heap in words: about 40 blocks, more than a person reads at one step."""
_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_WORDS = frozenset(
    ("NULL", "return", "struct", "unsigned", "int", "long", "char", "u", "end", "malloc", "calloc", "free")
)
"""Words of a statement that its source line may write in another way."""
_OURS = "__kleene"
"""How the names of our own functions begin."""
_INVOKED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_KEYWORDS = frozenset(("if", "while", "for", "switch", "return", "sizeof"))
"""Words before a parenthesis that are no macros."""
_NUMBER = re.compile(r"\d+")
_BEGIN = {"heap": "the block is allocated here", STREAM: "the stream is opened here"}
_DEPTH_OF_CLIENT = 2
"""Activations on the stack in a function that the entry calls: `calls` names these functions."""
MOST_OUTSIDE_NOTES = 3
"""Functions of unknown code that notes name: more would hide the other notes."""
_END = {"heap": "it is freed here", STREAM: "it is closed here"}
MOST_FAILING_NOTES = 2
"""Failing allocations that notes name: the last ones, as a run rarely needs more."""
_MOST_READ = 200
"""Characters of the standard input that a note shows."""
_READS = (READ_BYTE, READ_OR_END)


@dataclass(frozen=True)
class FlowStep:
    """One statement of a run, and the heap after it in words (empty where it did not change)."""

    place: Place
    depth: int
    text: str
    heap: str


@dataclass(frozen=True)
class Note:
    """A place that explains a finding, such as where its block was allocated."""

    place: Place
    text: str


@dataclass(frozen=True)
class FindingView:
    """A finding, its run, its notes, and a name that survives changes elsewhere in the file."""

    finding: Finding
    flow: tuple[FlowStep, ...]
    notes: tuple[Note, ...]
    fingerprint: str
    suppressed: str | None = None
    """The reason that a comment in the source gives for ignoring it."""
    is_known: bool = False
    """Whether the baseline has it."""
    calls: tuple[str, ...] = ()
    """The functions that the entry calls in the run, in their order."""
    statement: str = ""
    """The statement that fails, where the source line does not show it: it is in a macro."""

    @property
    def counts(self) -> bool:
        """Whether it is a confirmed error that nobody has put aside."""
        return self.finding.confirmed and self.suppressed is None and not self.is_known


def finding_views(
    findings: Sequence[Finding], runs: Sequence[Confirmed], *, with_flow: bool = True
) -> list[FindingView]:
    """The findings without repetitions; `runs` are those of the first findings, in their order.

    With `with_flow`, the runs are included step by step, which takes longer than the check of a small program.
    """
    views: dict[str, FindingView] = {}
    for number, finding in enumerate(findings):
        if str(finding) in views:
            continue
        confirmed = runs[number] if number < len(runs) else None
        flow: tuple[FlowStep, ...] = ()
        if with_flow:
            flow = _flow(confirmed) if confirmed else _suspected_path(finding)
        notes: tuple[Note, ...] = ()
        if confirmed:
            notes = (*block_notes(confirmed), *outside_notes(confirmed), *input_notes(confirmed))
        calls = calls_of(confirmed) if confirmed else ()
        statement = hidden_statement(confirmed) if confirmed else ""
        views[str(finding)] = FindingView(finding, flow, notes, fingerprint(finding), calls=calls, statement=statement)
    return _number(list(views.values()))


def _number(views: Sequence[FindingView]) -> list[FindingView]:
    """Findings that look the same get a number behind their fingerprint."""
    counts: Counter[str] = Counter()
    numbered = []
    for view in views:
        counts[view.fingerprint] += 1
        numbered.append(replace(view, fingerprint=f"{view.fingerprint}:{counts[view.fingerprint]}"))
    return numbered


def fingerprint(finding: Finding) -> str:
    """Depends on the kind, the function and the text of the line, not on its number or on other lines."""
    text = " ".join(source_line(finding.file, finding.line).split())
    message = _NUMBER.sub("N", finding.message)
    parts = (finding.kind, finding.function, text, message)
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="replace")).hexdigest()[:32]


def heap_words(heap: Heap) -> str:
    """A heap in one line."""
    from kleene.semantics.contracts.programs import without_contract

    words = without_contract(str(heap)).replace("\n", "; ")
    return words if len(words) <= _MOST_HEAP_WORDS else words[:_MOST_HEAP_WORDS] + " ..."


def _flow(confirmed: Confirmed) -> tuple[FlowStep, ...]:
    from kleene.report.check.trace import lines_of

    lines = lines_of(confirmed)[-MOST_STEPS:]
    heaps = confirmed.trace.heaps(line.last + 1 for line in lines)
    steps = []
    before = ""
    for line in lines:
        words = heap_words(heaps[line.last + 1])
        text = f"{line.text} ({line.note})" if line.note else line.text
        steps.append(FlowStep(line.place, line.depth - 1, text, words if words != before else ""))
        before = words
    return tuple(steps)


def _suspected_path(finding: Finding) -> tuple[FlowStep, ...]:
    """The path that the analysis could not exclude."""
    return tuple(FlowStep(Place(s.file, s.line, s.column, s.function), 0, s.text, "") for s in finding.trace)[
        -MOST_STEPS:
    ]


def calls_of(confirmed: Confirmed) -> tuple[str, ...]:
    """The functions of the program that its entry calls in a run, in their order: what a client does."""
    from kleene.report.check.trace import lines_of

    program, steps = confirmed.trace.program, confirmed.trace.steps
    names: list[str] = []
    for line in lines_of(confirmed):
        for step in steps[line.first : line.last + 1]:
            if step.depth == 1 and isinstance(step.operation, Call):
                name = _called(step.operation, steps[step.number + 1 :])
                callee = program.functions.get(name)
                if callee is not None and callee.place.file not in program.library:
                    names.append(name.partition("@")[0])
    return tuple(names)


def _called(call: Call, following: Sequence[TraceStep]) -> str:
    """The function that a call reaches; through a pointer, the one in which the run goes on."""
    if isinstance(call.function, str):
        return call.function
    return following[0].operation.place.function if following and following[0].depth > 1 else ""


def hidden_statement(confirmed: Confirmed) -> str:
    """The statement that fails, if a macro has it: the source line begins with the macro, or lacks names.

    A brace says what ends there: a block may be lost with the last pointer to it.
    """
    from kleene.report.check.trace import lines_of

    place = confirmed.fault.place
    lines = [line for line in lines_of(confirmed) if line.place == place]
    operation = confirmed.trace.steps[lines[-1].last].operation if lines else None
    if operation is None or isinstance(operation, Error):  # its message says it
        return ""
    if isinstance(operation, EndScope):
        names = [str(v) for v in operation.variables if not v.is_temporary]
        return f"the scope of {', '.join(names)} ends" if names else ""
    return _hidden(place, lines[-1].text)


def _hidden(place: Place, text: str) -> str:
    """A statement that its source line does not show; if a macro has the whole function, with the function."""
    line = source_line(place.file, place.line)
    names = [name for name in _NAME.findall(text) if name not in _WORDS]
    if any(name.startswith(_OURS) for name in names):  # what a call of the library becomes says less than the call
        return ""
    macro = _INVOKED.match(line, place.column - 1)
    is_macro = macro is not None and macro[1] not in _KEYWORDS and macro[1] not in text
    if not is_macro and all(name in line for name in names):
        return ""
    defines = is_macro and place.column == 1  # statements are indented
    return f"{text} (in {place.function.partition('@')[0]})" if defines else text


def outside_notes(confirmed: Confirmed) -> tuple[Note, ...]:
    """Notes on calls of unknown code before the error, one for each function: another one may not return."""
    outside = confirmed.trace.program.outside_calls
    called: dict[str, Place] = {}
    for step in confirmed.trace.steps:
        if step.location in outside:
            called.setdefault(outside[step.location], step.operation.place)
    does = "has no body: in this run it returns and changes no pointer; if this is wrong, give its file"
    first = [*called.items()][:MOST_OUTSIDE_NOTES]
    return tuple(Note(place, f"{name} {does}, --extern {name}=noreturn or --models FILE.c") for name, place in first)


def input_notes(confirmed: Confirmed) -> tuple[Note, ...]:
    """Notes on inputs that are hard to see in a row of numbers: allocations that fail, and the text that is read."""
    from kleene.report.check.trace import lines_of

    trace = confirmed.trace
    ends = [step.input for step in trace.steps[1:]] + [len(trace.inputs)]
    failing: list[int] = []
    reads: list[int] = []
    for step, end in zip(trace.steps, ends, strict=True):
        taken = list(zip(trace.inputs[step.input : end], trace.reasons[step.input : end], strict=True))
        failing += [step.number] if (0, MALLOC) in taken else []
        reads += [step.number] if any(why in _READS for _, why in taken) else []
    if not failing and not reads:
        return ()
    last = max(line.last for line in lines_of(confirmed))
    failing = [number for number in failing if number <= last]
    texts = dict.fromkeys(failing[-MOST_FAILING_NOTES:], "this allocation fails in the run")
    if reads:
        read = standard_input(zip(trace.inputs, trace.reasons, strict=True))
        shown = read[:_MOST_READ].decode("latin-1").encode("unicode_escape").decode()
        texts[reads[0]] = f'the run reads "{shown}"' + (" and more" if len(read) > _MOST_READ else "")
    library = trace.program.library
    return tuple(
        Note(state.call_from(trace.steps[number].operation.place, library), texts[number])
        for number, state in enumerate(islice(trace.states(), len(trace.steps)))
        if number in texts
    )


def block_notes(confirmed: Confirmed) -> tuple[Note, ...]:
    """Notes on the places where the block of the error was allocated, freed, or left its scope."""
    from kleene.report.check.trace import lines_of

    number, trace = confirmed.fault.block, confirmed.trace
    if number is None:
        return ()
    lines = lines_of(confirmed)

    def note(place: Place, step: int, text: str) -> Note:
        """With the statement of the step, if a macro hides it."""
        made = next((line.text for line in lines if line.first < step <= line.last + 1 and line.place == place), "")
        hidden = _hidden(place, made) if made else ""
        return Note(place, f"{text}: {hidden}" if hidden else text)

    notes: list[Note] = []
    was_alive = False
    for step, state in enumerate(trace.states()):
        block = state.blocks.get(number)
        if block is None:
            continue
        place = trace.steps[step - 1].operation.place if step else None
        if not was_alive and block.alive and block.place is not None:
            notes.append(note(block.place, step, _BEGIN.get(block.kind, f"'{block.label}' is declared here")))
            notes += _callers(state, trace.program) if block.kind in _BEGIN else []
        if was_alive and not block.alive and place is not None:
            shown = state.call_from(place, trace.program.library)
            notes.append(note(shown, step, _END.get(block.kind, "its scope ends here")))
            notes += _callers(state, trace.program) if block.kind in _END else []
        was_alive = block.alive
    return tuple(notes)


def _callers(state: State, program: CProgram) -> list[Note]:
    """The call of the function in which a block begins or ends, where another one than the entry makes it.

    Many blocks of a program come from one allocator, and go to one destructor.
    """
    own = [frame for frame in state.frames if program.functions[frame.function].place.file not in program.library]
    if len(own) <= _DEPTH_OF_CLIENT or (call := own[-1].call) is None:
        return []
    return [Note(call.place, f"{own[-1].function.partition('@')[0]} is called here")]

"""Confirmed findings replayed by the machine's compiler: an opinion that owes nothing to our reader or our semantics.

The program is compiled with gcc's or clang's address and undefined-behaviour sanitizers and linked with `replay.c`,
which gives it the inputs of the run and counts its blocks. What the sanitizers say is compared with the finding.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kleene.cfa.operations import FORMAT_BYTE, FORMAT_LENGTH, READ_SOURCES
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.domains.explicit.entry import UNWRITTEN
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.outside.world import standard_input
from kleene.results.replay import Replay

_HERE = Path(__file__).parent / "replay"
_FLAGS = ("-g", "-O0", "-x", "c", "-finstrument-functions", "-fno-omit-frame-pointer")
_SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_COMPILE_SECONDS = 60
_RUN_SECONDS = 20
_SAID = (
    re.compile(r"ERROR: (AddressSanitizer): (?:attempting )?([\w-]+(?: on unknown address| free)?)"),
    re.compile(r"(runtime error): (.*)"),
    re.compile(r"(Assertion) (.*)"),
    re.compile(r"(replay): (.*)"),
)
_FRAME = re.compile(r"#\d+ \S+ in \S+ (\S+?):(\d+)")
_LINE = re.compile(r"(?:^|\s)(\S+?):(\d+):(?:\d+: runtime error| .*Assertion)", re.MULTILINE)
_FED = ("__VERIFIER_nondet_", "malloc succeeds", "rand", "random")
"""The purposes of the inputs that `replay.c` gives to the program."""
_TEXTS = ("parameter ", "character ", "length of argument ", "stdin", "stdout", "stderr", *READ_SOURCES)
"""The purposes of those that are arguments, streams, or bytes of the standard input."""
_FORMATS = (FORMAT_LENGTH, FORMAT_BYTE)
"""The purposes of texts that the compiled program makes itself."""
_MOST_TEXTS = 1 << 13
"""Largest number of texts on a command line in a replay."""
_ARGUMENT = re.compile(r"character \d+ of argument (\d+)")


@dataclass(frozen=True)
class Run:
    """The end of a compiled run: its exit code, its standard error and its standard output."""

    code: int
    errors: str
    output: str = ""

    @property
    def error(self) -> bool:
        """Whether a sanitizer, an assertion or an error call spoke."""
        return any(pattern.search(self.errors) for pattern in _SAID)

    def says(self, files: Sequence[str]) -> str:
        """The first error, in words, with its line in one of the files."""
        for pattern in _SAID:
            match = pattern.search(self.errors)
            if match is None:
                continue
            who, what = match[1], match[2].strip()
            if who == "replay":
                return what
            line = self._line(files)
            name = {"runtime error": "UndefinedBehaviorSanitizer", "Assertion": "the assertion fails"}.get(who, who)
            text = name if who == "Assertion" else f"{name} reports {what}"
            return f"{text} at line {line}" if line else text
        return ""

    def _line(self, files: Sequence[str]) -> str:
        names = {Path(file).name for file in files}
        for pattern in (_FRAME, _LINE):
            for match in pattern.finditer(self.errors):
                if Path(match[1]).name in names:
                    return match[2]
        return ""


@cache
def compiler() -> str | None:
    """The compiler of this machine that has the sanitizers, if there is one."""
    return shutil.which("gcc") or shutil.which("clang")


def build(files: Sequence[str], folder: Path, flags: Sequence[str] = ()) -> Path:
    """The executable of a program. Raises CalledProcessError, with what the compiler says, if it does not compile."""
    binary = folder / "replayed"
    objects = []
    for number, file in enumerate([*files, str(_HERE / "replay.c")]):
        target = folder / f"{number}.o"
        ours = number == len(files)
        given = ["-g"] if ours else [*_FLAGS, *flags, "-include", str(_HERE / "replay.h"), *_SANITIZE]
        _call([str(compiler()), *given, "-c", file, "-o", str(target)])
        objects.append(str(target))
    _call([str(compiler()), *_SANITIZE, *objects, "-lm", "-o", str(binary)])
    return binary


def _call(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=_COMPILE_SECONDS)


def execute(
    binary: Path,
    *,
    inputs: Sequence[int] | None = None,
    seed: int = 0,
    malloc_may_fail: bool,
    arguments: Sequence[bytes] = (),
    name: bytes = b"",
    stdin: bytes = b"",
    error_calls: bool = True,
) -> Run:
    """One run, on given inputs or on random ones; `name` is what the program gets as its own, if it is not empty."""
    environment = os.environ | {"KLEENE_SEED": str(seed)}
    environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=1"
    environment |= {"KLEENE_MALLOC": "1"} if malloc_may_fail else {}
    environment |= {"KLEENE_ERRORS": "1"} if error_calls else {}
    if inputs is not None:
        file = binary.with_suffix(".inputs")
        file.write_text(" ".join(map(str, inputs)))
        environment["KLEENE_INPUTS"] = str(file)
    command: list[str | bytes] = [name or str(binary), *arguments]
    done = subprocess.run(
        command, executable=binary, env=environment, input=stdin, capture_output=True, timeout=_RUN_SECONDS
    )
    return Run(done.returncode, done.stderr.decode(errors="replace"), done.stdout.decode("latin-1"))


def replay_findings(
    program: CProgram, findings: Sequence[Confirmed], flags: Sequence[str], *, error_calls: bool
) -> list[Replay]:
    """Each finding replayed in a compiled run with its inputs."""
    if compiler() is None:
        return [Replay("not replayed", "there is no C compiler (gcc or clang) on this machine") for _ in findings]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers: list[Replay] = []
        binaries: dict[tuple[str, ...], Path | Replay] = {}
        for number, finding in enumerate(findings):
            files = _files(program, finding, folder / f"driver{number}.c")
            if files not in binaries:
                inner = folder / str(number)
                inner.mkdir()
                binaries[files] = _build(files, inner, flags)
            answers.append(_replay(program, finding, binaries[files], error_calls=error_calls))
        return answers


def _build(files: Sequence[str], folder: Path, flags: Sequence[str]) -> Path | Replay:
    try:
        return build(files, folder, ("-w", *flags))
    except subprocess.TimeoutExpired:
        return Replay("not replayed", f"the compiler takes longer than {_COMPILE_SECONDS} s")
    except subprocess.CalledProcessError as failed:
        lines = [line for line in failed.stderr.splitlines() if "error:" in line or "undefined reference" in line]
        return Replay("not replayed", f"it does not compile or link: {(lines or ['?'])[0].strip()}")


def _replay(program: CProgram, shown: Confirmed, binary: Path | Replay, *, error_calls: bool) -> Replay:
    if isinstance(binary, Replay):
        return binary
    trace = shown.trace
    given = list(zip(trace.inputs, trace.reasons, strict=True))
    other = [why for _, why in given if not why.startswith((*_FED, *_TEXTS, *_FORMATS, UNWRITTEN))]
    if other:
        return Replay("not replayed", f"its inputs cannot be given to a compiled program: {other[0]}")
    fed = [value for value, why in given if why.startswith(_FED)]
    name, *arguments = _arguments(program, given)
    try:
        run = execute(
            binary,
            inputs=fed,
            malloc_may_fail=trace.malloc_may_fail,
            arguments=arguments,
            name=name,
            stdin=standard_input(given),
            error_calls=error_calls,
        )
    except subprocess.TimeoutExpired:
        return Replay("not reproduced", f"the compiled program runs longer than {_RUN_SECONDS} s")
    said = run.says(program.files)
    leaks = shown.fault.kind == "memory_leak"
    if said and ("not freed" in said) <= leaks:
        return Replay("reproduced", said)
    if UNWRITTEN in trace.reasons:
        return Replay("not replayed", f"its inputs cannot be given to a compiled program: {UNWRITTEN}")
    return Replay("not reproduced", "the compiled run shows no error")


def _arguments(program: CProgram, given: Sequence[tuple[int, str]]) -> list[bytes]:
    """The texts of the command line, the name of the program first."""
    counts = [f"parameter {p}" for p in program.main.parameters[:1] if program.entry == "main"]
    count = next((value for value, why in given if why in counts), 1)
    texts = [bytearray() for _ in range(min(max(count, 1), _MOST_TEXTS))]
    for value, why in given:
        match = _ARGUMENT.fullmatch(why)
        if match is not None and int(match[1]) < len(texts):
            texts[int(match[1])].append(value & 255)
    return [bytes(text).partition(b"\0")[0] for text in texts]


def _files(program: CProgram, shown: Confirmed, driver: Path) -> tuple[str, ...]:
    """The files to compile; where the entry is not main, the first with a main that calls it on the run's inputs."""
    if program.entry == "main":
        return program.files
    values = iter(
        [v for v, why in zip(shown.trace.inputs, shown.trace.reasons, strict=True) if why.startswith("parameter ")]
    )
    integers = [isinstance(p.type, IntegerType) for p in program.main.parameters]
    arguments = ", ".join(f"{next(values, 0)}LL" if integer else "0" for integer in integers)
    first = Path(program.files[0]).resolve()
    driver.write_text(
        f'#define main kleene_other_main\n#include "{first}"\n#undef main\n'
        f"int main(void) {{ {program.entry}({arguments}); return 0; }}\n"
    )
    return (str(driver), *program.files[1:])

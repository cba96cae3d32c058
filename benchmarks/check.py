"""`make bench`, second part: `kleene check` on the C examples, beside the analysers that are installed, in one run.

For each program: seconds of the processor (those of the clock depend on what else runs), structures, peak memory and
verdicts. The others (gcc -fanalyzer, and cppcheck, cbmc and
frama-c where installed) raise an alarm or not; beside the truth that the marks state, this is right, missed (an error
and no alarm) or a false alarm.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "corpus"))

from marks import PROPERTIES, Program, programs  # noqa: E402

from kleene.report.run.table import align_table  # noqa: E402

_START = "from kleene.cli import main; main()"


@dataclass
class Result:
    """What Kleene and the others said about one program."""

    name: str
    buggy: bool
    lines: int
    verdicts: dict[str, str] = field(default_factory=dict)
    judged: str = ""
    seconds: float = 0.0
    structures: int = 0
    memory: int = 0
    others: dict[str, tuple[str, float]] = field(default_factory=dict)


def main() -> None:
    options = _options()
    chosen = [p for p in programs() if options.examples in p.name]
    if not chosen:
        sys.exit(f"no example matches '{options.examples}'")
    tools = {name: run for name, run in OTHERS.items() if shutil.which(name.split()[0])}
    results = []
    for number, program in enumerate(chosen, 1):
        if sys.stderr.isatty():
            print(f"\r{number}/{len(chosen)} {program.name}\x1b[K", end="", file=sys.stderr)
        result = _kleene(program, options.timeout)
        for name, tool in tools.items():
            result.others[name] = _other(program, tool, options.timeout)
        results.append(result)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    _print(results, list(tools))
    if options.json:
        text = json.dumps([asdict(result) for result in results], indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", default="", metavar="TEXT", help="only programs whose name contains this")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each program and tool (default 60)")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    return parser.parse_args()


# Kleene -----------------------------------------------------------------------------------------------------------


def _kleene(program: Program, timeout: float) -> Result:
    lines = sum(Path(file).read_text(encoding="utf-8").count("\n") for file in program.files)
    result = Result(program.name, program.buggy, lines)
    asked = [word for p in PROPERTIES if program.expected[p] != "ANY" for word in ("--property", p)]
    options = [w for w in program.options if not w.startswith("--timeout") and not re.fullmatch(r"\d+", w)]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, "-c", _START, "check", *program.files, *options, *asked]
        command += ["--quiet", "--timeout", str(timeout), "--json", file.name]
        result.seconds, result.memory = _measured(command)
        text = Path(file.name).read_text(encoding="utf-8")
    if not text:
        result.judged = "crash"
        return result
    document: dict[str, Any] = json.loads(text)
    result.verdicts = document["properties"]
    result.structures = document["statistics"]["structures"]
    result.judged = _judged(program, result.verdicts)
    return result


def _measured(command: list[str]) -> tuple[float, int]:
    """The seconds of the processor that a process needs, and its peak memory in bytes."""
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def _judged(program: Program, verdicts: dict[str, str]) -> str:
    pairs = [(program.expected[name], verdict) for name, verdict in verdicts.items()]
    if any({expected, got} == {"TRUE", "FALSE"} for expected, got in pairs):
        return "WRONG"
    decided = sum(got != "UNKNOWN" for _, got in pairs)
    return "right" if decided == len(pairs) else f"{decided}/{len(pairs)}"


# The others -------------------------------------------------------------------------------------------------------


def _other(program: Program, tool: Callable[[Program, str], list[str]], timeout: float) -> tuple[str, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def spent() -> float:
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime

    with tempfile.TemporaryDirectory() as folder:
        command = tool(program, folder)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return "time", spent()
    said = done.stdout + done.stderr
    alarm = bool(re.search(r"-Wanalyzer|error:|VERIFICATION FAILED|\[alarm\]|FAILURE", said))
    verdict = ("right" if alarm else "missed") if program.buggy else ("FALSE ALARM" if alarm else "right")
    return verdict, spent()


def _gcc(program: Program, folder: str) -> list[str]:
    return ["gcc", "-fanalyzer", "-O0", "-c", program.files[0], "-o", f"{folder}/x.o"]


def _cppcheck(program: Program, _: str) -> list[str]:
    return ["cppcheck", "--quiet", "--template={file}:{line}: {severity}: {id}", *program.files]


def _cbmc(program: Program, _: str) -> list[str]:
    return ["cbmc", "--pointer-check", "--memory-leak-check", "--unwind", "6", "--malloc-may-fail", *program.files]


def _frama_c(program: Program, _: str) -> list[str]:
    return ["frama-c", "-eva", "-eva-precision", "2", *program.files]


OTHERS = {"gcc -fanalyzer": _gcc, "cppcheck": _cppcheck, "cbmc": _cbmc, "frama-c": _frama_c}


# The tables -------------------------------------------------------------------------------------------------------


def _print(results: list[Result], tools: list[str]) -> None:
    head = ["program", "truth", "lines", *PROPERTIES, "kleene", "CPU s", "structures", "MiB"]
    for tool in tools:
        head += [tool, "CPU s"]
    rows = [head]
    for r in results:
        row = [r.name, "error" if r.buggy else "safe", str(r.lines)]
        row += [r.verdicts.get(p, "-").replace("UNKNOWN", "?") for p in PROPERTIES]
        row += [r.judged, f"{r.seconds:.2f}", f"{r.structures:,}", f"{r.memory / 2**20:.0f}"]
        for tool in tools:
            row += [r.others[tool][0], f"{r.others[tool][1]:.2f}"]
        rows.append(row)
    print(_aligned(rows))
    print()
    print(_aligned([["", "right", "not decided", "wrong", "seconds in all"], *_totals(results, tools)]))
    missing = [name for name in OTHERS if name not in tools]
    if missing:
        print(f"not installed here: {', '.join(missing)}")


def _totals(results: list[Result], tools: list[str]) -> list[list[str]]:
    seconds = sum(r.seconds for r in results)
    right = sum(r.judged == "right" for r in results)
    wrong = sum(r.judged in ("WRONG", "crash") for r in results)
    rows = [["kleene check", str(right), str(len(results) - right - wrong), str(wrong), f"{seconds:.1f}"]]
    for tool in tools:
        said = [r.others[tool] for r in results]
        right = sum(verdict == "right" for verdict, _ in said)
        late = sum(verdict == "time" for verdict, _ in said)
        times = f"{sum(s for _, s in said):.1f}"
        rows.append([tool, str(right), str(late), str(len(results) - right - late), times])
    return rows


def _aligned(rows: list[list[str]]) -> str:
    return align_table(rows[0], rows[1:])


if __name__ == "__main__":
    main()

"""Shared by `kleene assume`, `alpha`, `meet` and `transform`: options, loading, outputs and exit codes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from kleene.analysis.limits import process_age, within
from kleene.cli.files import input_file, macros_of, write_output
from kleene.cli.numbers import Seconds
from kleene.diagnostics import UsageError
from kleene.logic.formula import Formula
from kleene.report.show import show_svg
from kleene.report.symbolic_report import SymbolicReport, Violation, symbolic_html, symbolic_json, symbolic_text
from kleene.smt import BACKENDS, Limits
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import read_tvs
from kleene.structures.tvs_writer import structures_tvs
from kleene.symbolic import SymbolicOptions, SymbolicResult, Theory
from kleene.symbolic.result import without_interruption
from kleene.tvp.program import Program, load_program, parse_formula

Command = TypeVar("Command", bound=Callable[..., Any])
SETTINGS = {"help_option_names": ["-h", "--help"]}

_OPTIONS = (
    click.option(
        "--backend", type=click.Choice(BACKENDS), default="auto", help="auto (default: z3 and cvc5), or one of them."
    ),
    click.option("--timeout", type=Seconds(), help="Stop deciding after this many seconds."),
    click.option("--query-timeout", type=Seconds(), default=2.0, help="For one query."),
    click.option("--dump-smt", metavar="FOLDER", help="Write every query as SMT-LIB."),
    click.option("--minimal", is_flag=True, help="Leave out structures that are embedded in others."),
    click.option("--allow-no-rules", is_flag=True, help="Accept a vocabulary without integrity rules."),
    click.option("--tvs", "tvs_file", metavar="FILE", help="Write the structures as TVS ('-': standard output)."),
    click.option("--svg", "svg_folder", metavar="FOLDER", help="Write one SVG for each structure."),
    click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page."),
    click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON ('-': standard output)."),
    click.option("--include", multiple=True, metavar="FOLDER", help="Where to look for included files."),
    click.option("--define", "definitions", multiple=True, metavar="NAME[=VALUE]", help="Define a macro."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
)


def symbolic_options(command: Command) -> Command:
    """The options that all four commands have."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Clock:
    """The time that the user waits, from the start of the process, and what is kept of it for the end."""

    def __init__(self, began: float | None) -> None:
        self._began = time.perf_counter() - process_age() if began is None else began
        self._reserved = 0.0

    def reserve(self, end: Callable[[], object]) -> None:
        """Keep as much time as a rehearsal of the end takes."""
        start = time.perf_counter()
        end()
        self._reserved = time.perf_counter() - start

    def left(self, limit: float) -> float:
        """What is left of a limit for anything but the end."""
        return max(0.0, limit - self._reserved - (time.perf_counter() - self._began))


@dataclass(frozen=True)
class Specification:
    """A TVP program read for its vocabulary, rules and actions, and the settings of a symbolic command."""

    program: Program
    theory: Theory
    settings: SymbolicOptions
    given: Mapping[str, Any]
    include: tuple[str, ...]
    macros: dict[str, str]
    clock: Clock

    @property
    def options(self) -> SymbolicOptions:
        """The settings, with the time that is left for deciding."""
        if self.settings.limits.total_seconds is None:
            return self.settings
        return self.with_share(1)

    def with_share(self, share: float) -> SymbolicOptions:
        """The settings, with a share of the time that is left for deciding."""
        limits = self.settings.limits
        if limits.total_seconds is None:
            return self.settings
        left = share * self.clock.left(limits.total_seconds)
        return replace(self.settings, limits=replace(limits, total_seconds=left))

    def structures(self, name: str) -> list[Structure]:
        path = input_file(name, ".tvs", self.include)
        read = read_tvs(path, self.program.vocabulary, include=self.include, macros=self.macros)
        items = [*read.structures, *(s for group in read.locations.values() for s in group)]
        structures = [item.structure for item in items]
        if self.settings.limits.total_seconds is not None:
            self.clock.reserve(partial(self._end, structures))
        return structures

    def _end(self, structures: Sequence[Structure]) -> None:
        """What is done when the time is over: the input is sharpened and written."""
        sharper = tuple(s for s in map(self.theory.coercer.coerce, structures) if s is not None)
        statistics = self.settings.solver().statistics
        result = SymbolicResult(sharper, (None,) * len(sharper), False, "time limit reached", 0, 0.0, statistics)
        for _ in _texts(_report(self, "end", result), self.given):
            pass

    def formula(self, text: str, what: str = "--formula") -> Formula:
        vocabulary = self.program.vocabulary
        return parse_formula(text, vocabulary, file=what, free=(), sets=self.program.sets)


def specification(name: str, given: Mapping[str, Any]) -> Specification:
    """Read the program and settle the options."""
    path = input_file(name, ".tvp", given["include"])
    macros = macros_of(given["definitions"])
    include = (*given["include"], str(path.parent))
    program = load_program(path, include=include, macros=macros, edges_optional=True)
    theory = Theory(program.vocabulary, program.rules)
    if not given["allow_no_rules"]:
        theory.check_rules()
    if given["dump_smt"] and Path(given["dump_smt"]).is_file():
        raise UsageError(f"--dump-smt needs a folder, and '{given['dump_smt']}' is a file")
    settings = SymbolicOptions(
        backend=given["backend"],
        limits=Limits(query_seconds=given["query_timeout"], total_seconds=given["timeout"]),
        minimal=given["minimal"],
        dump=Path(given["dump_smt"]) if given["dump_smt"] else None,
        within=within if given["timeout"] else without_interruption,
    )
    clock = Clock(click.get_current_context().find_root().obj)
    return Specification(program, theory, settings, given, include, macros, clock)


def finish(
    spec: Specification,
    operation: str,
    result: SymbolicResult,
    *,
    formula: str | None = None,
    actions: Sequence[str] = (),
    violations: Sequence[Violation] = (),
    body_of: str | None = None,
) -> int:
    """Write all outputs; 1 if a condition may fail, 3 if something was not decided, otherwise 0."""
    report = _report(spec, operation, result)
    report = replace(report, formula=formula, actions=tuple(actions), violations=tuple(violations), body_of=body_of)
    for target, text in _texts(report, spec.given):
        if target is None:
            click.echo(text, nl=False)
        else:
            write_output(target, text)
    if report.violations:
        return 1
    return 0 if report.most_precise else 3


def _report(spec: Specification, operation: str, result: SymbolicResult) -> SymbolicReport:
    return SymbolicReport(
        operation=operation,
        program=spec.program.name,
        structures=result.structures,
        stores=result.stores,
        most_precise=result.most_precise,
        reason=result.reason,
        solver_calls=result.solver_calls,
        seconds=result.seconds,
        backend=spec.settings.backend,
        statistics=dict(result.statistics.by_backend),
        minimal=result.minimal,
    )


def _texts(report: SymbolicReport, given: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
    """The outputs: the file and its text; no file: what the command prints."""
    if given["json_file"]:
        yield given["json_file"], symbolic_json(report)
    if given["tvs_file"]:
        yield given["tvs_file"], structures_tvs(report.structures)
    if given["html_file"]:
        yield given["html_file"], symbolic_html(report)
    if given["svg_folder"]:
        folder = Path(given["svg_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        for number, svg in enumerate(show_svg(report.structures), 1):
            yield str(folder / f"{report.program}-{report.operation}-{number}.svg"), svg
    if not given["quiet"] and "-" not in (given["json_file"], given["tvs_file"], given["html_file"]):
        written = given["tvs_file"] or given["svg_folder"] or given["html_file"] or given["json_file"]
        yield None, symbolic_text(report, structures=not written)

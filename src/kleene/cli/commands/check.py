"""`kleene check FILE.c...` and `kleene check TASK.yml`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kleene.cli.check_request import CheckRequest, request_of
from kleene.cli.files import check_writable, print_problems, write_output
from kleene.cli.format_options import (
    FORMAT_FILES,
    Reported,
    aside_lines,
    exit_code,
    format_options,
    given_baseline,
    new_views,
    report_findings,
    write_sarif,
    write_witness,
)
from kleene.cli.machine_options import machine_options
from kleene.cli.numbers import Seconds
from kleene.cli.progress import Spinner
from kleene.cli.refine_options import refine_options, write_certificate
from kleene.cli.task_files import Task
from kleene.core.verdict import Verdict, together
from kleene.diagnostics import UsageError, did_you_mean

if TYPE_CHECKING:
    from kleene.report.check.fesa_words import FesaInvariant
    from kleene.report.check.shape_words import Invariant
    from kleene.report.check.text_and_json import Expected
    from kleene.results.check import CheckReport


def _explain_strategy(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from kleene.analysis.c.strategy import strategy_lines

        click.echo("\n".join(strategy_lines()))
        context.exit(0)


class _CheckCommand(click.Command):
    """Takes the options of a C compiler as they are, among its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from kleene.c.input.compiler_options import split_options

        split = split_options(args, keep=("-p", "-h"))
        ctx.meta["notes"] = split.notes
        return super().parse_args(ctx, [*(f"--compiler-option={flag}" for flag in split.flags), *split.others])


@click.command("check", cls=_CheckCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="memsafety, memcleanup, unreach, assert (default: all), valid-deref, valid-free, valid-memtrack, or an "
    "SV-COMP property file (.prp).",
)
@click.option("--include", multiple=True, metavar="FOLDER", help="Where to look for included files (also -I).")
@click.option("--define", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro (also -D).")
@click.option(
    "--compiler-option",
    "flags",
    multiple=True,
    metavar="FLAG",
    help="An option of a C compiler; -I -D -U -std= -include -isystem -f -m -W -O -g may also be given as they are.",
)
@click.option("-p", "--database", default="", metavar="FOLDER", help="Take options from its compile_commands.json.")
@click.option(
    "--extern",
    multiple=True,
    metavar="NAME=MODEL",
    help="What a function without a body does: pure, nondet, noreturn, alloc, free or error.",
)
@click.option(
    "--models", multiple=True, metavar="FILE.c", help="Bodies for functions that the program does not define."
)
@click.option("--entry", metavar="FUNCTION", help="Where the program starts (default: main).")
@click.option("--32", "bits32", is_flag=True, help="Sizes of a 32-bit machine (ILP32).")
@click.option("--64", "bits64", is_flag=True, help="Sizes of a 64-bit machine (LP64), also with --svcomp.")
@click.option("--malloc-never-fails", is_flag=True, help="malloc always returns a block.")
@click.option("--svcomp", is_flag=True, help="The conventions of SV-COMP: 32 bits, malloc never fails.")
@click.option(
    "--domain",
    type=click.Choice(["all", "fesa", "explicit"]),
    default="all",
    help="Which analyses to use; fesa: one graph and one Boolean function.",
)
@click.option("--no-instrumentation", is_flag=True, help="With --domain fesa: count no edges.")
@click.option("--shape-class", metavar="NAME", help="Use only this shape class, such as 'acyclic'.")
@machine_options()
@click.option("--timeout", type=Seconds(), default=60.0, help="Seconds (default 60).")
@click.option("--max-structures", type=click.IntRange(1), help="Stop an attempt after this many structures.")
@click.option(
    "--self-check",
    type=Seconds(zero=True),
    metavar="SECONDS",
    help="How long runs are looked up in the invariant of each proof "
    "(default: a tenth of the analysis, at most 0.3; 0: not at all).",
)
@click.option(
    "--library", is_flag=True, help="Check each exported function of FILE on every object that they can make."
)
@click.option("--function", "only", metavar="NAME", help="As --library, and report on this function alone.")
@click.option(
    "--contracts-out",
    metavar="FILE",
    help="With --library: write the inferred contracts ('-': print them; .json: for checks of clients).",
)
@click.option("--client-out", metavar="FILE", help="With --library: write the client that was analysed, as C.")
@click.option("--readings", metavar="FILE", help="With --library: readings of an earlier check (--json), not inferred.")
@click.option(
    "--proved-library",
    "proofs",
    multiple=True,
    metavar="FILE",
    help="Check a client of a library by the contracts that were proved of it (FILE: --library --json).",
)
@click.option("--contracts", is_flag=True, help="Check functions against the contracts above them, calls by them.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON ('-': standard output).")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page with the heaps drawn.")
@click.option("--trace", is_flag=True, help="Print the steps of each confirmed error.")
@click.option("--replay", is_flag=True, help="Run each confirmed error in the compiled program, with its inputs.")
@click.option("--invariants", is_flag=True, help="Print the shapes found at each loop head and return, in words.")
@click.option(
    "--explain-strategy",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_explain_strategy,
    help="Print the phases, attempts and tactics, in order, with their shares of the time; then exit.",
)
@refine_options
@format_options
@click.option("--profile", is_flag=True, help="Print where structures multiplied, and what tells them apart.")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code is the verdict.")
def command(files: tuple[str, ...], **given: Any) -> int:
    """Prove a C program memory safe, or show a run that is not.

    FILES are the .c or .i files of one program, or one SV-COMP task file (.yml). Exit codes: 0 TRUE (proved), 1 FALSE
    (a confirmed error), 2 bad input, 3 UNKNOWN, 4 an internal check failed: a run refutes a proof.
    """
    outputs = ("json_file", "html_file", "certificate_file", "contracts_out", "client_out", *FORMAT_FILES)
    check_writable([given[name] for name in outputs])
    request = request_of({"files": files, **given})
    for note in () if given["quiet"] else click.get_current_context().meta["notes"]:
        click.echo(f"kleene: note: {note}", err=True)
    if given["library"] or given["only"]:
        from kleene.cli.library import check_libraries

        return check_libraries(request, given)
    if given["contracts_out"] or given["client_out"] or given["readings"]:
        raise UsageError("--contracts-out, --client-out and --readings need --library")
    if given["proofs"] and (given["contracts"] or given["certificate_file"]):
        raise UsageError("--proved-library excludes --contracts and --certificate")
    baseline = given_baseline(given)
    if given["contracts"]:
        from kleene.analysis.c.contracts import check_contracts as check
    elif given["proofs"]:
        from kleene.analysis.c.library.models.clients import check_client

        check = partial(check_client, proofs=given["proofs"])
    else:
        from kleene.analysis.c.check import check

    with Spinner(enabled=not given["quiet"]) as spinner:
        name = Path(request.files[0]).name

        def tell(stage: str) -> None:
            spinner.say(f"{name}: {stage}")

        report = check(request.files, replace(request.options, tell=tell))
    print_problems(report.unread)
    _note_unused_models(report, given["extern"])
    if given["replay"]:
        _replay(report, request, contracts=given["contracts"])
    told = report_findings(report, baseline, with_flow=bool(given["json_file"] or given["sarif_file"]))
    _write(report, request, given, told)
    return exit_code(report, told)


def _note_unused_models(report: CheckReport, extern: Sequence[str]) -> None:
    """Say which models of `--extern` are for no function of the program: such a name may be mistyped."""
    used = [assumption.name for assumption in report.assumptions]
    for name in dict.fromkeys(word.partition("=")[0] for word in extern):
        if name not in used:
            hint = did_you_mean(name, used)
            click.echo(f"kleene: note: --extern {name}: no such function without a body is used{hint}", err=True)


def _replay(report: CheckReport, request: CheckRequest, *, contracts: bool) -> None:
    """Ask the machine's compiler about the findings that a run shows."""
    from kleene.analysis.c.compiled_runs import replay_findings
    from kleene.results.replay import Replay

    if not report.traces:
        return
    if contracts:
        by_contract = Replay("not replayed", "runs by contracts are not runs of the program")
        report.replays = [by_contract for _ in report.traces]
        return
    read = request.options.read
    flags = list(read.compiler_flags)
    asked = "unreach" in request.options.properties
    report.replays = replay_findings(report.traces[0].trace.program, report.traces, flags, error_calls=asked)


def request_of_arguments(arguments: Sequence[str]) -> CheckRequest:
    """The request of a command line, or of a RUN line."""
    return request_of(command.make_context("check", list(arguments)).params)


def _write(report: CheckReport, request: CheckRequest, given: dict[str, Any], told: Reported) -> None:
    from kleene.report.check.text_and_json import check_json, check_text

    if given["certificate_file"]:
        write_certificate(report.refinement, request.options, given["certificate_file"])
    expected = _expected_verdicts(report, request.task)
    asked = given["invariants"]
    invariants: list[Invariant] = []
    states: list[FesaInvariant] = []
    if asked or given["witness_file"]:  # this loads the code of pages, which takes a while
        from kleene.analysis.c.shapes_shown import fesa_states, loop_shapes

        invariants, states = loop_shapes(report), fesa_states(report)
    if not given["quiet"] and "-" not in [given[name] for name in ("json_file", "html_file", *FORMAT_FILES)]:
        if given["trace_refinement"]:
            from kleene.report.check.refinement_text import refinement_lines

            click.echo("\n".join(refinement_lines(report.refinement, report.fallback)))
        words: list[str] = []
        if asked:
            from kleene.report.check.shape_words import invariant_lines

            words = invariant_lines(invariants, complete=report.shape is None or report.shape.complete)
            words += _check_shapes(report) if invariants else []
            if given["domain"] == "fesa":
                from kleene.report.check.fesa_words import fesa_lines

                words = fesa_lines(states)
        if given["profile"]:
            words += _crowded_locations(report)
        words += aside_lines(told)
        views = new_views(told.views)
        click.echo(check_text(report, views, traces=given["trace"], expected=expected, invariants=words), nl=False)
    if given["json_file"]:
        text = check_json(report, told.views, expected=expected, invariants=[*invariants, *states] if asked else None)
        write_output(given["json_file"], text)
    if given["html_file"]:
        from kleene.analysis.c.shapes_shown import check_page

        write_output(given["html_file"], check_page(report))
    if given["witness_file"]:
        loops = invariants if report.verdict is Verdict.TRUE else []
        write_witness(report, request.options, loops, given["witness_file"])
    if given["sarif_file"]:
        write_sarif(report, told, given["sarif_file"])


def _check_shapes(report: CheckReport) -> list[str]:
    """The independent check of the shapes."""
    from kleene.analysis.c.shape.run import check_again
    from kleene.results.shape import ShapeResult

    if isinstance(report.shape, ShapeResult) and (_needs_certificate(report) or check_again(report.shape)):
        return ["checked again: no step of the program leads out of these shapes"]
    return []


def _needs_certificate(report: CheckReport) -> bool:
    """Whether the shapes come from a proof by refinement, which counts only after its independent check."""
    shape = report.shape
    return shape is not None and shape.partial and shape.complete


def _crowded_locations(report: CheckReport) -> list[str]:
    """The locations where structures multiplied."""
    from kleene.report.check.crowding import crowding_table
    from kleene.results.shape import ShapeResult

    if not isinstance(report.shape, ShapeResult):
        return ["no structures: the shape analysis did not run"]
    return crowding_table(report.shape).splitlines()


def _expected_verdicts(report: CheckReport, task: Task | None) -> list[Expected]:
    from kleene.report.check.text_and_json import Expected

    expected = []
    for entry in task.expectations if task else ():
        names = tuple(n for n in entry.file.properties if n in report.properties)
        if names:
            wanted = None if entry.expected is None else Verdict.TRUE if entry.expected else Verdict.FALSE
            verdict = together([report.properties[n] for n in names])
            expected.append(Expected(Path(entry.file.path).name, names, wanted, verdict))
    return expected

"""`kleene run PROGRAM [INPUT]`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from kleene.analysis.limits import Watchdog
from kleene.analysis.tvp.run import Analysis, prepare, run
from kleene.cli.files import check_writable, input_file, macros_of, write_output
from kleene.cli.machine_options import machine_options
from kleene.cli.numbers import Count, Seconds
from kleene.cli.outputs import FILES, report_tvs, write_report
from kleene.cli.progress import Progress
from kleene.cli.settings import options_of_run, properties_for
from kleene.diagnostics import Diagnostic, UsageError, did_you_mean
from kleene.report.run.result import INCOMPLETE, MESSAGES, VERIFIED
from kleene.structures.tvs_reader import TvsStructure, read_tvs
from kleene.transformers.differencing import explain_updates
from kleene.transformers.rule_dependencies import dependency_lines
from kleene.tvp.program import Program, load_program

_EXIT = {VERIFIED: 0, MESSAGES: 1, INCOMPLETE: 3}


@click.command("run", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("program")
@click.argument("input_name", metavar="[INPUT]", required=False)
@click.option("--join", metavar="KIND", help="rel, part (default), part_embedding, ind or conc.")
@click.option("--order", metavar="ORDER", help="inner-first (default) or tvla, which reproduces TVLA 3's results.")
@click.option("--action", "stages", metavar="ORDER", help="Stages of an action: [f][c]pu[c][b], default fcpucb.")
@click.option("--post-order", is_flag=True, default=None, help="Explore in post order.")
@click.option("--backward", is_flag=True, default=None, help="Turn all edges round.")
@click.option("--save", metavar="WHERE", help="Where structures are kept: all (default), ext or back.")
@click.option("--definite-names", is_flag=True, default=None, help="Blur: 1/2 does not distinguish nodes (-b2).")
@click.option("--no-automatic-rules", is_flag=True, default=None, help="Only the rules of the program.")
@click.option("--no-differencing", is_flag=True, default=None, help="Do not derive missing updates.")
@click.option("--freeze", is_flag=True, default=None, help="Structures with a message are not propagated.")
@click.option("--significant", is_flag=True, help="Keep meaningful node names.")
@click.option("--decompose", is_flag=True, help="Take heaps apart: actions work on the parts that they touch.")
@click.option("--skip-infinite-focus", is_flag=True, default=None, help="Leave what focus cannot decide indefinite.")
@click.option("--complete-input", is_flag=True, help="Compute instrumentation predicates that the input lacks.")
@click.option("--max-structures", type=Count(0), help="Stop after this many structures (-ms).")
@click.option("--max-messages", type=Count(0), help="Stop after this many messages (-mm).")
@machine_options()
@click.option("--timeout", type=Seconds(), help="Stop after this many seconds.")
@click.option("--memory", type=Count(1), help="Stop above this many MiB.")
@click.option("--self-check", is_flag=True, help="Check independently that the result is a fixpoint.")
@click.option("--explain", multiple=True, metavar="LOCATION", help="Show how its structures came about.")
@click.option("--best", multiple=True, metavar="ACTION", help="Use the best transformer of an action ('all').")
@click.option("--query", "queries", multiple=True, metavar="QUESTION", help="Ask about all runs, e.g. 'never F'.")
@click.option("--show-updates", is_flag=True, help="Print the derived updates and stop.")
@click.option("--show-rules", is_flag=True, help="Print the consistency rules and stop.")
@click.option("--include", multiple=True, metavar="FOLDER", help="Where to look for included files.")
@click.option("--define", "definitions", multiple=True, metavar="NAME[=VALUE]", help="Define a macro (-D).")
@click.option("--properties", multiple=True, metavar="FILE", help="A TVLA properties file (-props).")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON ('-': standard output).")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page.")
@click.option("--tvs", "tvs_file", metavar="FILE", help="Write the structures of every location.")
@click.option("--dot", "dot_file", metavar="FILE", help="Write the control-flow graph and structures as DOT.")
@click.option("--transitions-tvs", metavar="FILE", help="Write which structure leads to which (-tr:tvs).")
@click.option("--transitions-dot", metavar="FILE", help="The same as a graph in DOT (-tr:dot).")
@click.option("--svg", "svg_folder", metavar="FOLDER", help="Write one SVG for each structure.")
@click.option("--dump", type=Count(1), help="Write PROGRAM.dump.tvs whenever this many structures were added.")
@click.option("--log", "log_file", metavar="FILE", help="Write the summary to a file instead of the terminal.")
@click.option("--rotate", is_flag=True, help="Draw from left to right in DOT and SVG files.")
@click.option("--debug", is_flag=True, help="Print the rules with dependencies, explain every location (-d).")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--verbose", is_flag=True, help="Print every structure as text.")
@click.option("--profile", is_flag=True, help="Show the time of each phase.")
@click.option("--termination", is_flag=True, hidden=True)
def command(program: str, input_name: str | None, **given: Any) -> int:
    """Run the analysis of PROGRAM (TVP) on the structures of INPUT (TVS; default: the program's name).

    The extensions may be left out. TVLA's own options (-ms, -join, -action, -props, ...) are accepted too.
    """
    start = time.perf_counter()
    check_writable([given[name] for name in FILES], folder=given["svg_folder"])
    with Watchdog(given["timeout"], None):
        analysis, structures = _load(program, input_name, given)
    if given["show_rules"] or given["show_updates"]:
        return _show(analysis, rules=given["show_rules"], updates=given["show_updates"])
    progress = Progress(enabled=not given["quiet"], timeout=given["timeout"])
    report = run(
        analysis,
        structures,
        load_seconds=time.perf_counter() - start,
        listeners=[progress],
        on_dump=lambda so_far: write_output(f"{so_far.program}.dump.tvs", report_tvs(so_far)),
    )
    progress.stop()
    if given["debug"]:
        report = replace(report, rules=tuple(dependency_lines(analysis.domain.coercer.rules)))
    write_report(report, given)
    return _EXIT[report.verdict]


def _load(program: str, input_name: str | None, given: Mapping[str, Any]) -> tuple[Analysis, tuple[TvsStructure, ...]]:
    """The prepared analysis and its input structures (none if only rules or updates are shown)."""
    path = input_file(program, ".tvp", given["include"])
    properties = properties_for(path, given["properties"], ())
    macros = macros_of((*properties.macros, *given["definitions"]))
    folders = (*given["include"], *properties.include, str(path.parent))
    as_tvla = options_of_run(given, properties).as_tvla
    loaded = load_program(path, include=folders, macros=macros, arguments_one_by_one=as_tvla)
    if loaded.properties_files:
        properties = properties_for(path, given["properties"], loaded.properties_files)
    explain = loaded.cfa.locations if given["debug"] else _check_locations(given["explain"], loaded.cfa.locations)
    options = replace(options_of_run(given, properties), explain=explain, best=_known_actions(given["best"], loaded))
    analysis = prepare(loaded, options)
    analysis.warnings += properties.warnings
    if given["termination"]:
        text = "-td has no effect: termination is not analysed; the structures are the same"
        analysis.warnings.append(Diagnostic(text, None, "warning"))
    if given["show_rules"] or given["show_updates"]:
        return analysis, ()
    name = input_name or str(path.with_suffix("") if path.suffix == ".tvp" else path) + ".tvs"
    source = input_file(name, ".tvs", folders)
    read = read_tvs(source, loaded.vocabulary, include=folders, macros=macros)
    if read.locations:
        raise UsageError(f"'{source}' is a result (%location blocks), not a file of input structures")
    analysis.warnings += read.warnings
    return analysis, read.structures


def _check_locations(wanted: Sequence[str], locations: Sequence[str]) -> tuple[str, ...]:
    for name in wanted:
        if name not in locations:
            raise UsageError(f"there is no location '{name}'{did_you_mean(name, locations)}")
    return tuple(wanted)


def _known_actions(wanted: Sequence[str], program: Program) -> tuple[str, ...]:
    names = {edge.label.name for edge in program.cfa.edges}
    names |= {name.partition("(")[0] for name in names} | {"all"}
    for name in wanted:
        if name not in names:
            raise UsageError(f"there is no action '{name}' on an edge{did_you_mean(name, names)}")
    return tuple(wanted)


def _show(analysis: Analysis, *, rules: bool, updates: bool) -> int:
    """Print the generated rules or updates, instead of running."""
    if rules:
        for rule in analysis.domain.coercer.rules:
            click.echo(f"{rule}    // {rule.origin}")
    if updates:
        for derivation in analysis.derivations:
            click.echo(explain_updates(derivation), nl=False)
    return 0

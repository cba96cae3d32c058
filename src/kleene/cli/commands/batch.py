"""`kleene batch PATHS`: many programs, in processes of this machine or on a Dask cluster."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kleene.batch.engines import ClusterEngine, Engine, ProcessEngine
from kleene.batch.jobs import Job, find_jobs
from kleene.batch.run import run_batch
from kleene.batch.shipping import MakeTask, local_task, shared_task, shipped_task
from kleene.batch.store import ResultStore
from kleene.batch.task import Limits
from kleene.cli.files import check_writable, write_output
from kleene.cli.machine_options import machine_options
from kleene.cli.numbers import Seconds
from kleene.cli.progress import CountProgress
from kleene.diagnostics import UsageError

if TYPE_CHECKING:
    from kleene.report.batch_report import BatchRow

_OURS = ("--json", "--html", "--quiet", "--timeout", "--certificate", "--sarif", "--witness", "--baseline")
_OURS_IN_RUNS = ("--json", "--html", "--quiet", "--timeout", "--tvs", "--dot", "--svg", "--log", "--dump")
_INCONCLUSIVE = 3
_FILES = ("json_file", "html_file", "sarif_file", "junit_file")


@click.command("batch", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True)
@click.option("--output", metavar="FOLDER", help="Keep results there; an interrupted batch resumes.")
@click.option("--jobs", type=click.IntRange(1), help="Checks at a time (default: the number of cores).")
@click.option("--cluster", metavar="ADDRESS|local:N", help="Run on a Dask cluster, or start one with N workers.")
@click.option("--shared", metavar="FOLDER", help="The workers see this folder: do not send the sources.")
@machine_options(threads=1)
@click.option("--timeout", type=Seconds(), default=60.0, help="Seconds for each (default 60).")
@click.option("--memory", type=click.IntRange(256), metavar="MIB", help="Memory for each.")
@click.option("--check", "options", default="", metavar="OPTIONS", help="Options of 'kleene check', in one word.")
@click.option("--run", "run_options", default="", metavar="OPTIONS", help="Options of 'kleene run' for TVP programs.")
@click.option("--json", "json_file", metavar="FILE", help="Write the results as JSON ('-': standard output).")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page.")
@click.option("--sarif", "sarif_file", metavar="FILE", help="Write all findings as SARIF 2.1.0.")
@click.option("--junit", "junit_file", metavar="FILE", help="Write the results as JUnit XML.")
@click.option("--allow-unknown", is_flag=True, help="Exit with 0 where programs are UNKNOWN and nothing is wrong.")
@click.option("--quiet", is_flag=True, help="Print the summary only.")
def command(paths: tuple[str, ...], options: str, run_options: str, **given: Any) -> int:
    """Check many programs, each in a process of its own.

    PATHS are C files, SV-COMP task files (.yml), TVP programs with an input of the same name, and folders with such
    files. Exit codes: 0 every program is TRUE or as expected, 1 an error or a wrong verdict, 2 bad input, 3 something
    is UNKNOWN or was not checked.
    """
    check_writable([given[name] for name in _FILES], folder=given["output"])
    jobs = find_jobs(paths, _words("--check", options, _OURS), _words("--run", run_options, _OURS_IN_RUNS))
    with tempfile.TemporaryDirectory(prefix="kleene-batch-") as own, ResultStore(Path(given["output"] or own)) as store:
        results = _run(jobs, store, given)
    rows, missing = [row for row, _ in results], len(jobs) - len(results)
    _write(results, missing, given)
    codes = {row.exit_code for row in rows} | ({_INCONCLUSIVE} if missing else set())
    allowed = {0, _INCONCLUSIVE} if given["allow_unknown"] and not missing else {0}
    return min(codes - allowed, default=0)


def _words(option: str, text: str, ours: tuple[str, ...]) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    taken = [word for word in words if word.split("=")[0] in ours]
    if taken:
        raise UsageError(f"{option}: '{taken[0]}' is set by batch itself")
    return words


def _engine(given: dict[str, Any], limits: Limits) -> tuple[Engine, MakeTask]:
    """Where the checks run, and how a program gets there."""
    if given["cluster"] is None:
        if given["shared"] is not None:
            raise UsageError("--shared is for a cluster: give --cluster too")
        return ProcessEngine(given["jobs"] or os.cpu_count() or 1), partial(local_task, limits=limits)
    if given["jobs"] is not None:
        raise UsageError("--jobs is for this machine; on a cluster the workers say how many checks they take")
    if given["shared"] is None:
        return ClusterEngine(given["cluster"]), partial(shipped_task, limits=limits)
    if not Path(given["shared"]).is_dir():
        raise UsageError(f"there is no folder '{given['shared']}'")
    return ClusterEngine(given["cluster"]), partial(shared_task, limits=limits, shared=Path(given["shared"]))


def _run(jobs: list[Job], store: ResultStore, given: dict[str, Any]) -> list[tuple[BatchRow, dict[str, Any]]]:
    """The rows with their documents, in the order of the programs; less of them after Ctrl-C."""
    from kleene.report.batch_report import batch_line, batch_row

    limits = Limits(given["timeout"], given["memory"])
    engine, make_task = _engine(given, limits)
    talks = not given["quiet"] and _talks(given)
    results: dict[Path, tuple[BatchRow, dict[str, Any]]] = {}
    with CountProgress(len(jobs), enabled=True) as progress:

        def report_job(job: Job, document: dict[str, Any]) -> None:
            row = batch_row(str(job.path), dict(job.expected), document)
            results[job.path] = (row, document)
            if talks:
                click.echo(batch_line(row))
            progress.advance()

        try:
            run_batch(jobs, store, limits, engine, make_task, report_job)
        except KeyboardInterrupt:
            sys.stderr.write("interrupted; what is finished is written\n")
    return [results[job.path] for job in jobs if job.path in results]


def _talks(given: dict[str, Any]) -> bool:
    return "-" not in [given[name] for name in _FILES]


def _write(results: list[tuple[BatchRow, dict[str, Any]]], missing: int, given: dict[str, Any]) -> None:
    from kleene.report.batch_report import batch_html, batch_json, batch_summary

    rows = [row for row, _ in results]
    if given["json_file"]:
        write_output(given["json_file"], batch_json(rows, missing=missing))
    if given["html_file"]:
        write_output(given["html_file"], batch_html(rows, missing=missing))
    if given["sarif_file"]:
        from kleene.report.formats.batch_sarif import batch_sarif

        write_output(given["sarif_file"], batch_sarif(results))
    if given["junit_file"]:
        from kleene.report.formats.junit import batch_junit

        write_output(given["junit_file"], batch_junit(rows, missing=missing))
    if _talks(given):
        click.echo(batch_summary(rows, missing=missing), nl=False)

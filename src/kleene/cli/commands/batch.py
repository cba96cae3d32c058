"""`kleene batch FOLDER...`: many programs, on one machine or on several that share a folder."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from kleene.batch.jobs import Job, find_jobs
from kleene.batch.pool import Pool, PoolOptions
from kleene.batch.shared_folder import SharedFolder
from kleene.cli.files import check_writable, write_output
from kleene.diagnostics import UsageError
from kleene.report.batch_report import BatchRow, batch_html, batch_json, batch_line, batch_row, batch_summary

_OURS = ("--json", "--html", "--quiet", "--timeout", "--certificate")
_INCONCLUSIVE = 3


@click.command("batch", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True)
@click.option("--jobs", type=click.IntRange(1), help="Checks at a time (default: the number of cores).")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=60.0, help="Seconds for each (default 60).")
@click.option("--memory", type=click.IntRange(256), metavar="MIB", help="Memory for each.")
@click.option("--check", "options", default="", metavar="OPTIONS", help="Options of 'kleene check', in one word.")
@click.option(
    "--share",
    metavar="FOLDER",
    help="Share the work with processes that name the same folder; resume an interrupted batch.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the results as JSON ('-': standard output).")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page.")
@click.option("--quiet", is_flag=True, help="Print the summary only.")
def command(paths: tuple[str, ...], options: str, share: str | None, **given: Any) -> int:
    """Check many C programs, each in a process of its own.

    PATHS are C files, SV-COMP task files (.yml), and folders with such files. Exit codes: 0 every program is TRUE or as
    expected, 1 an error or a wrong verdict, 2 bad input, 3 something is UNKNOWN or was not checked.
    """
    check_writable([given["json_file"], given["html_file"]], folder=share)
    jobs = find_jobs(paths, _words(options))
    pool = PoolOptions(given["jobs"] or os.cpu_count() or 1, given["timeout"], given["memory"])
    with tempfile.TemporaryDirectory(prefix="kleene-batch-") as own:
        rows, missing = _run(jobs, SharedFolder(Path(share or own)), pool, talks=_talks(given))
    if given["json_file"]:
        write_output(given["json_file"], batch_json(rows, missing=missing))
    if given["html_file"]:
        write_output(given["html_file"], batch_html(rows, missing=missing))
    if "-" not in (given["json_file"], given["html_file"]):
        click.echo(batch_summary(rows, missing=missing), nl=False)
    codes = {row.exit_code for row in rows} | ({_INCONCLUSIVE} if missing else set())
    return min(codes - {0}, default=0)


def _talks(given: dict[str, Any]) -> bool:
    return not given["quiet"] and "-" not in (given["json_file"], given["html_file"])


def _words(options: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(options))
    except ValueError as error:
        raise UsageError(f"--check: {error}") from error
    taken = [word for word in words if word.split("=")[0] in _OURS]
    if taken:
        raise UsageError(f"--check: '{taken[0]}' is set by batch itself")
    return words


def _run(jobs: list[Job], shared: SharedFolder, settings: PoolOptions, *, talks: bool) -> tuple[list[BatchRow], int]:
    """The rows in the order of the programs, and how many are missing because of Ctrl-C."""
    found: dict[Path, BatchRow] = {}
    counts = sys.stderr.isatty()

    def done(job: Job, document: dict[str, Any]) -> None:
        row = found[job.path] = batch_row(str(job.path), dict(job.expected), document)
        if counts:
            sys.stderr.write("\r\x1b[K")
        if talks:
            click.echo(batch_line(row))
        if counts:
            sys.stderr.write(f"{len(found)}/{len(jobs)}")
            sys.stderr.flush()

    try:
        Pool(shared, settings, done).run(jobs)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what is finished is written\n")
    finally:
        if counts:
            sys.stderr.write("\r\x1b[K")
    return [found[job.path] for job in jobs if job.path in found], len(jobs) - len(found)

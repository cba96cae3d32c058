"""Running the shipped examples through the library, and asking what the result says."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.properties import interpret_settings, read_properties
from kleene.analysis.tvp.run import prepare, run
from kleene.logic.kleene import Kleene
from kleene.report.run.result import RunReport
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import Program, load_program, parse_formula

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "tvp"
ORDERS = ("inner-first", "tvla")


@dataclass(frozen=True)
class Run:
    """A program that was analysed and the report of it."""

    program: Program
    report: RunReport

    @property
    def messages(self) -> set[tuple[str, str]]:
        return {(m.location, m.text) for m in self.report.messages}

    def structures(self, location: str) -> tuple[Structure, ...]:
        return next(found.structures for found in self.report.locations if found.name == location)

    def counts(self) -> dict[str, int]:
        return {found.name: len(found.structures) for found in self.report.locations}

    def values(self, location: str, formula: str) -> list[Kleene]:
        """The value of a closed formula on each structure of a location."""
        parsed = parse_formula(formula, self.program.vocabulary, free=(), sets=self.program.sets)
        return [evaluate(structure, parsed) for structure in self.structures(location)]

    def proves(self, location: str, formula: str) -> bool:
        """Whether the formula is 1 on every structure of a location; a location without structures proves nothing."""
        values = self.values(location, formula)
        return bool(values) and all(value is Kleene.TRUE for value in values)


def analyse(program: Path, given: Path | None = None, *, macros: dict[str, str] | None = None, **options: Any) -> Run:
    """Analyse a program with its own properties file, the options given, and the check of the fixpoint."""
    loaded = load_program(program, macros=macros)
    settings = program.with_suffix(".properties")
    chosen = RunOptions(self_check=True)
    if settings.is_file():
        chosen = interpret_settings(read_properties(settings)).apply(chosen)
    analysis = prepare(loaded, replace(chosen, **options))
    structures = read_tvs(given or program.with_suffix(".tvs"), loaded.vocabulary, macros=macros).structures
    return Run(loaded, run(analysis, structures))


@cache
def example(name: str, given: str | None = None, order: str = "inner-first") -> Run:
    """The run of a shipped example, for example 'sll/reverse'; shared by the tests."""
    return analyse(EXAMPLES / f"{name}.tvp", given and EXAMPLES / f"{given}.tvs", order=order)


def mutant(folder: Path, name: str, changes: Iterable[tuple[str, str, str]], **options: Any) -> Run:
    """The run of a copy of an example in which one text of a file is replaced by another."""
    copy = folder / "tvp"
    shutil.copytree(EXAMPLES, copy)
    for file, old, new in changes:
        path = copy / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    return analyse(copy / f"{name}.tvp", **options)

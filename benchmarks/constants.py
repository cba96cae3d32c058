"""The constants of the strategies: each is halved and doubled on a few programs; prints verdicts and CPU seconds.

A row justifies a constant if another value loses a verdict or costs time. A row without a difference says that the
programs of its group do not depend on the constant within this range. `--markdown` prints the table of
docs/reference/constants.md. The units and reasons are the docstrings of the constants.

A child process runs one program. A loader replaces the assignment of the constant before the module is compiled, so
that rows and defaults that use the constant also change.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "shape": (("dll/remove",), ("data/values",), ("skip/two_levels",)),
    "errors": (("data/limit_wrong",), ("sll/delete_leaks",)),
    "refine": (("sll/reverse", "--refine"), ("sll/append", "--refine")),
    "fesa": (("fesa/sll", "--domain", "fesa"), ("fesa/dll", "--domain", "fesa")),
    "recursion": (("recursion/reverse",), ("recursion/tree_delete",)),
    "parts": (("programs/five_lists",),),
    "slices": (("nested/header_of_lists",),),
    "choices": (("arrays/queues_in_an_array",),),
    "cursors": (("sll/cursors",),),
    "members": (("nested/stations",),),
    "optional nodes": (("nested/archive",),),
    "counts": (("arrays/counted_list",),),
    "long texts": (("text/long_argument",),),
    "parts of calls": (("programs/four_lists_recursive",),),
    "FESA after shape": (("fesa/sll", "--max-structures", "10"),),
    "crowded": (("circular/notes",),),
    "tags": (("data/expressions",),),
    "loose": (("nested/managers",),),
    "moves": (("trees/splay",), ("trees/avl_remove",)),
    "assertions after shape": (("refine/equal_bits",),),
    "crowded FESA": (("fesa/grown_tree", "--domain", "fesa"), ("trees/build_and_free", "--domain", "fesa")),
    "cases of FESA": (("fesa/ring_of_rings", "--domain", "fesa"), ("fesa/merge", "--domain", "fesa")),
    "deep errors": (("data/fiftieth",),),
    "samples": (("sll/reverse", "--refine"),),
    "rounds": (("refine/cancel_list_link", "--property", "assert", "--refine"),),
    "coverage": (("dll/remove",),),
}
"""For each group, programs of `examples/c` or of `benchmarks` with their options; a check takes a few seconds."""

CONSTANTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "kleene.analysis.c.strategy": (
        ("GLANCE_STEPS", ("errors",)),
        ("FIRST_LOOK_SECONDS", ("errors",)),
        ("HEAD_START_SECONDS", ("shape",)),
        ("KEYS_HEAD_START_SECONDS", ("shape",)),
        ("LARGE_EDGES", ("errors",)),
        ("LARGE_LOOK_SECONDS", ("errors",)),
        ("LEAST_SECONDS", ("errors",)),
        ("AFTER_ERROR_SECONDS", ("errors",)),
        ("ANALYSIS_AFTER_ERROR_SECONDS", ("errors",)),
        ("REFINEMENT_SHARE", ("refine",)),
        ("ANALYSIS_SHARE", ("errors",)),
        ("PATHS_SHARE", ("errors",)),
        ("PATHS_SECONDS", ("errors",)),
        ("ASSERTIONS_SHARE", ("assertions after shape",)),
        ("ASSERTIONS_SECONDS", ("assertions after shape",)),
        ("FESA_SHARE", ("FESA after shape",)),
        ("FESA_SECONDS", ("FESA after shape",)),
        ("LENGTHS_LOOK_SECONDS", ("long texts",)),
        ("LENGTHS_SECONDS", ("long texts",)),
        ("LONG_LOOK_SECONDS", ("errors",)),
    ),
    "kleene.analysis.c.shape.attempts": (
        ("OWNED_SHARE", ("arrays",)),
        ("CHOICES_SHARE", ("choices",)),
        ("CURSORS_SHARE", ("cursors",)),
        ("MEMBERS_SHARE", ("members",)),
        ("SLICES_SHARE", ("slices",)),
        ("NUMBERS_SHARE", ("shape",)),
        ("CALLS_SHARE", ("parts",)),
        ("PARTS_SHARE", ("parts",)),
        ("NODES_SHARE", ("optional nodes",)),
        ("COUNTS_SHARE", ("counts",)),
        ("LOADS_SHARE", ("shape",)),
        ("OUTCOMES_AND_LOADS_SHARE", ("shape",)),
        ("FIRST_ROUNDS_SHARE", ("shape",)),
        ("COMPARISONS_SHARE", ("shape",)),
        ("UNREAD_SHARE", ("shape",)),
        ("LOCAL_SHARE", ("shape",)),
        ("LOOSE_SHARE", ("loose",)),
        ("TAGS_SHARE", ("tags",)),
        ("MOVES_SHARE", ("moves",)),
    ),
    "kleene.analysis.c.shape.analyse": (
        ("PATIENT_SHARE", ("crowded",)),
        ("CROWDED_FACTOR", ("crowded",)),
        ("APART_SHARE", ("parts",)),
        ("MANY_SLICES", ("slices",)),
    ),
    "kleene.analysis.c.shape.plan": (
        ("WITHOUT_LANES_FACTOR", ("shape",)),
        ("LANES_SHARE", ("shape",)),
        ("FEW_MARKERS", ("recursion",)),
        ("MANY_MARKERS", ("recursion",)),
        ("EARLY_SLICES", ("slices",)),
    ),
    "kleene.analysis.c.shape.slices": (
        ("MOST_WIDENINGS", ("slices",)),
        ("LARGEST_SHARE", ("slices",)),
        ("GLANCE_SHARE", ("slices",)),
    ),
    "kleene.passes.attempts.slices.slicing": (("MOST_SLICES", ("slices",)),),
    "kleene.passes.attempts.choices": (("MOST_LOCATIONS", ("choices",)),),
    "kleene.passes.attempts.cursors": (("FEWEST_CURSORS", ("cursors",)),),
    "kleene.passes.elements.owners": (("LEAST_POINTERS", ("members",)),),
    "kleene.analysis.c.shape.run": (
        ("STRUCTURES_AFTER_DOUBT", ("shape",)),
        ("STRUCTURES_BEFORE_LANES", ("shape",)),
        ("LANES_FACTOR", ("shape",)),
        ("STRUCTURES_BEFORE_SLICES", ("slices",)),
        ("STRUCTURES_BEFORE_PARTS", ("parts",)),
        ("STRUCTURES_BEFORE_PARTS_OF_CALLS", ("parts of calls",)),
        ("STRUCTURES_BEFORE_MANY_SLICES", ("slices",)),
        ("STRUCTURES_BEFORE_NODES", ("optional nodes",)),
        ("STRUCTURES_BEFORE_NODES_OF_CALLS", ("optional nodes",)),
    ),
    "kleene.analysis.c.shape.apart": (
        ("SAMPLED_STRUCTURES", ("parts",)),
        ("LEAST_STRUCTURES", ("parts",)),
        ("GAIN_FACTOR", ("parts",)),
        ("LEAST_VALUES", ("parts",)),
    ),
    "kleene.analysis.c.shape.probe": (("PROBED_STRUCTURES", ("parts",)),),
    "kleene.analysis.c.shape.optional_nodes": (
        ("SAMPLED_STRUCTURES", ("optional nodes",)),
        ("GAIN_FACTOR", ("optional nodes",)),
    ),
    "kleene.analysis.c.shape.tags": (
        ("RUNS", ("tags",)),
        ("MOST_STEPS", ("tags",)),
        ("MOST_STATES", ("tags",)),
        ("SECONDS", ("tags",)),
        ("MOST_VALUES", ("tags",)),
        ("MOST_NODES", ("tags",)),
    ),
    "kleene.analysis.c.shape.last_reads": (
        ("RUNS", ("moves",)),
        ("LEAST_RUNS", ("moves",)),
        ("STEPS_BETWEEN_LOOKS", ("moves",)),
        ("MOST_STEPS", ("moves",)),
        ("SECONDS", ("moves",)),
    ),
    "kleene.analysis.c.shape.copies": (("COPIES_FACTOR", ("shape",)),),
    "kleene.analysis.c.shape.crowded": (
        ("SAMPLED_STRUCTURES", ("shape", "loose")),
        ("CROWDED_FACTOR", ("shape", "loose")),
    ),
    "kleene.analysis.c.fesa": (
        ("MANY_NODES", ("fesa",)),
        ("MANY_NODES_OF_CASES", ("cases of FESA",)),
        ("FORGETTING_PART", ("cases of FESA",)),
        ("FEW_NODES", ("crowded FESA",)),
        ("FIRST_SHARE", ("fesa",)),
        ("ROW_SHARE", ("fesa",)),
        ("SUMMARISING_SHARE", ("crowded FESA",)),
        ("RETRIES_SHARE", ("fesa",)),
    ),
    "kleene.analysis.c.coverage": (
        ("RUNS_SHARE", ("shape",)),
        ("RUNS_SECONDS", ("shape",)),
    ),
    "kleene.analysis.c.confirm": (
        ("MOST_PATHS", ("errors",)),
        ("OWN_PATHS_SHARE", ("errors",)),
    ),
    "kleene.analysis.c.error_paths": (("MOST_STRUCTURES", ("deep errors",)),),
    "kleene.analysis.c.refinement": (("WITHOUT_IMAGES_SHARE", ("rounds",)), ("STEPS_BETWEEN_LOOKS", ("rounds",))),
    "kleene.refine.loop": (
        ("MOST_ROUNDS", ("rounds",)),
        ("PATHS_OF_ROUND", ("refine",)),
        ("CONDITIONS_OF_ROUND", ("refine",)),
        ("GENERATORS_FOR_ONE_PROCESS", ("rounds",)),
        ("LARGER_SIMULATIONS", ("refine",)),
        ("LONGEST_EXPLICIT_PATH", ("refine",)),
    ),
    "kleene.refine.tactics": (("GENERATORS_PER_ROUND", ("refine",)), ("MORE_STRUCTURES", ("refine",))),
    "kleene.refine.model": (("REMEMBERED_STEPS", ("rounds",)),),
    "kleene.refine.tree.reachability_tree": (("NODES_AFTER_ERROR", ("refine",)),),
    "kleene.refine.tree.growth": (("STRUCTURES_BEFORE_COMPARISON", ("rounds",)), ("COMPARISON_FACTOR", ("rounds",))),
    "kleene.refine.heaps.samples": (
        ("SAMPLES", ("samples",)),
        ("SAMPLE_NODES", ("samples",)),
        ("SAMPLE_SECONDS", ("samples",)),
        ("_MOST_STEPS", ("samples",)),
        ("_MOST_RUNS", ("samples",)),
        ("_MOST_UNTRIED", ("samples",)),
        ("_LIKELIHOODS", ("samples",)),
        ("_LARGEST_SAMPLE", ("samples",)),
        ("_LARGEST_HEAP", ("samples",)),
        ("_LARGEST_INPUT", ("samples",)),
    ),
    "kleene.refine.heaps.explicit": (("_DEEPEST", ("samples",)),),
    "kleene.refine.classes.generators": (("_DECLARATIONS_OF_OBLIGATION", ("samples",)),),
    "kleene.refine.classes.finetune": (
        ("SIMULATION_STRUCTURES", ("samples",)),
        ("ADDITIONAL_STRUCTURES", ("samples",)),
        ("FAILED_GENERATORS", ("samples",)),
    ),
    "kleene.refine.tracking.explain": (("SHORT_PATH", ("samples",)), ("PATH_QUERY_STEPS", ("samples",))),
    "kleene.paths.search.directed": (
        ("_STEPS_OF_TURN", ("errors",)),
        ("_STEPS_BETWEEN_LOOKS", ("deep errors",)),
        ("_LARGE_STATE", ("deep errors",)),
        ("_VISITS_BETWEEN_COMPARISONS", ("deep errors",)),
        ("_MOST_PATHS", ("deep errors",)),
        ("_REPLAYS_OF_SITE", ("deep errors",)),
        ("_SECONDS_AFTER_ERROR", ("errors",)),
    ),
    "kleene.coverage.runs": (
        ("MOST_RUNS", ("coverage",)),
        ("MOST_STEPS", ("coverage",)),
        ("_STATES_AT_LOCATION", ("coverage",)),
        ("_STATES_AT_HEAD", ("coverage",)),
        ("_RUNS_SHARE", ("coverage",)),
        ("_RUNS_WITHOUT_NEWS", ("coverage",)),
    ),
    "kleene.coverage.inputs": (
        ("_FAILING_ALLOCATIONS", ("coverage",)),
        ("_RANDOM_DISTANCE", ("coverage",)),
        ("_LONGEST_TEXT", ("coverage",)),
        ("_MOST_TEXTS", ("coverage",)),
    ),
    "kleene.coverage.invariants": (
        ("MOST_STRUCTURES", ("coverage",)),
        ("MOST_NODES", ("coverage",)),
        ("_MOST_NODES_DEFINED", ("coverage",)),
    ),
    "kleene.coverage.matching": (("_MOST_STEPS", ("coverage",)),),
    "kleene.coverage.numbers": (("MAX_BOUNDS", ("coverage",)),),
    "kleene.domains.explicit.explore": (
        ("_STEPS_OF_TURN", ("deep errors",)),
        ("_ROUNDS_APART", ("deep errors",)),
        ("_REPLAYS_OF_SITE", ("errors",)),
        ("_REPLAYS_OF_PATH", ("deep errors",)),
        ("_CONSTANTS_TRIED", ("deep errors",)),
    ),
}
"""The constants of each module, with the groups of programs that may depend on them; a test compares the names."""


@dataclass(frozen=True)
class Constant:
    """A number at the top of a module, with the docstring below it."""

    module: str
    name: str
    value: float
    about: str

    def scaled(self, factor: float) -> float:
        """Another value; a count stays a whole number, and at least 1."""
        if isinstance(self.value, int):
            return max(1, round(self.value * factor))
        return min(1.0, self.value * factor) if "share" in self.name.lower() else self.value * factor


@dataclass
class Outcome:
    """The verdicts of some programs, and the CPU seconds of their checks."""

    verdicts: dict[tuple[str, str], str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def decided(self) -> int:
        return sum(verdict in ("TRUE", "FALSE") for verdict in self.verdicts.values())


def path_of(module: str) -> Path:
    return (SOURCE / module.replace(".", "/")).with_suffix(".py")


def constants_of(path: Path) -> list[tuple[str, float, str]]:
    """The numbers at the top of a module with their docstrings; '' where there is none."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    numbers = []
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Tuple):
            targets = statement.targets[0]
            names = [targets] if isinstance(targets, ast.Name) else targets.elts
            values = [statement.value] if isinstance(targets, ast.Name) else getattr(statement.value, "elts", [])
            about = following.value.value if _is_text(following) else ""  # type: ignore[union-attr]
            numbers += [
                (name.id, number, about)
                for name, value in zip(names, values, strict=False)
                if isinstance(name, ast.Name) and (number := _number(value)) is not None
            ]
    return numbers


def _is_text(statement: ast.stmt | None) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def _number(value: ast.expr) -> float | None:
    """The value of an arithmetic expression of numbers; None for anything else."""
    if not all(isinstance(n, ast.Constant | ast.BinOp | ast.operator) for n in ast.walk(value)):
        return None
    number = eval(compile(ast.Expression(value), "<constant>", "eval"))
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None


def table(pattern: str = "") -> list[tuple[Constant, tuple[str, ...]]]:
    rows = []
    for module, entries in CONSTANTS.items():
        known = {name: (value, about) for name, value, about in constants_of(path_of(module))}
        for name, groups in entries:
            if pattern in f"{module}.{name}":
                rows.append((Constant(module, name, *known[name]), groups))
    return rows


# One run ----------------------------------------------------------------------------------------------------------


class _Patched(SourceFileLoader):
    """Loads a module with another value of one constant."""

    name_of_constant = ""
    new_value = 0.0

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                _replace(statement, self.name_of_constant, self.new_value)
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def _replace(statement: ast.Assign, name: str, value: float) -> None:
    target = statement.targets[0]
    if isinstance(target, ast.Name) and target.id == name:
        statement.value = ast.Constant(value)
    elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
        for place, element in enumerate(target.elts):
            if isinstance(element, ast.Name) and element.id == name:
                statement.value.elts[place] = ast.Constant(value)


class _Finder(MetaPathFinder):
    def __init__(self, module: str, name: str, value: float) -> None:
        self.module, self.name, self.value = module, name, value

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        loader = _Patched(fullname, str(path_of(fullname)))
        loader.name_of_constant, loader.new_value = self.name, self.value
        return spec_from_file_location(fullname, path_of(fullname), loader=loader)


def _child(module: str, name: str, value: str, arguments: list[str]) -> None:
    if name:
        sys.meta_path.insert(0, _Finder(module, name, ast.literal_eval(value)))
    from kleene.cli import main

    sys.argv = ["kleene", *arguments]
    main()


def measured(constant: Constant | None, factor: float, groups: Sequence[str], timeout: float) -> Outcome:
    """Check the programs of the groups, with a constant multiplied by a factor."""
    changed = ("", "", "0") if constant is None else (constant.module, constant.name, repr(constant.scaled(factor)))
    outcome = Outcome()
    for program in dict.fromkeys(p for group in groups for p in PROGRAMS[group]):
        verdicts, seconds = _checked(changed, program, timeout)
        outcome.seconds += seconds
        outcome.verdicts |= {(program[0], name): verdict for name, verdict in verdicts.items()}
    return outcome


def _checked(changed: tuple[str, str, str], program: tuple[str, ...], timeout: float) -> tuple[dict[str, str], float]:
    name, *options = program
    folder = ROOT / ("benchmarks" if name.startswith("programs/") else "examples/c")
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, __file__, "--child", *changed, "check", str(folder / f"{name}.c")]
        command += [*options, "--quiet", "--timeout", str(timeout), "--json", file.name]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        text = Path(file.name).read_text(encoding="utf-8")
    verdicts: dict[str, str] = json.loads(text)["properties"] if text else {"crash": "CRASH"}
    return verdicts, usage.ru_utime + usage.ru_stime


# The table --------------------------------------------------------------------------------------------------------


def compared(given: Outcome, other: Outcome) -> str:
    """Verdicts that another value wins and loses, and its CPU time as a multiple."""
    won = sum(given.verdicts.get(k) == "UNKNOWN" and v in ("TRUE", "FALSE") for k, v in other.verdicts.items())
    lost = sum(v in ("TRUE", "FALSE") and other.verdicts.get(k) != v for k, v in given.verdicts.items())
    words = ([f"wins {won}"] if won else []) + ([f"loses {lost}"] if lost else [])
    return f"{', '.join(words) or 'same'}, {other.seconds / given.seconds:.2f}"


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        _child(*sys.argv[2:5], sys.argv[5:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--constants", default="", metavar="TEXT", help="only constants with this text in their names")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each check (default 20)")
    parser.add_argument("--markdown", action="store_true", help="print the rows of docs/reference/constants.md")
    options = parser.parse_args()

    @cache
    def unchanged(groups: tuple[str, ...]) -> Outcome:
        return measured(None, 1.0, groups, options.timeout)

    rows = table(options.constants)
    if not rows:
        sys.exit(f"no constant matches '{options.constants}'")
    form = (
        "| `{}` | {} | {}/{} | {:.1f} | {} | {} |"
        if options.markdown
        else "{:<58} {:>9}  {}/{}  {:6.1f} s  half: {:<18} double: {}"
    )
    for constant, groups in rows:
        given = unchanged(groups)
        half, double = (compared(given, measured(constant, factor, groups, options.timeout)) for factor in (0.5, 2.0))
        name = f"{constant.module.removeprefix('kleene.')}.{constant.name}"
        print(
            form.format(name, f"{constant.value:g}", given.decided, len(given.verdicts), given.seconds, half, double),
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Options of a run from properties files and the command line, in TVLA's precedence.

PROGRAM.properties < -props files < files named in comments of the program < command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.properties import Properties, interpret_settings, read_properties
from kleene.cli.files import input_file
from kleene.diagnostics import UsageError, did_you_mean
from kleene.domains.shape.stores import JOINS
from kleene.transformers.transformer import Stages

_CHOICES = {"order": ("inner-first", "tvla"), "save": ("all", "ext", "back"), "join": (*JOINS, "j3")}
_PLAIN = (
    "join",
    "order",
    "stages",
    "post_order",
    "backward",
    "save",
    "definite_names",
    "freeze",
    "skip_infinite_focus",
    "max_structures",
    "max_messages",
    "timeout",
    "dump",
)


def properties_for(program: Path, named: Sequence[str], in_program: Sequence[str]) -> Properties:
    """The settings of PROGRAM.properties and of the files named, later ones winning."""
    own = program.with_suffix(".properties")
    files = [own] if own.is_file() else []
    files += [input_file(name, ".properties", (str(program.parent),)) for name in (*named, *in_program)]
    return interpret_settings([setting for file in files for setting in read_properties(file)])


def options_of_run(given: Mapping[str, Any], properties: Properties) -> RunOptions:
    """The options of a run; the command line overrides properties files."""
    for name, allowed in _CHOICES.items():
        value = given.get(name)
        if value is not None and value not in allowed:
            hint = did_you_mean(value, allowed)
            raise UsageError(f"--{name} is one of {', '.join(c for c in allowed if c != 'j3')}, not '{value}'{hint}")
    options = properties.apply(RunOptions())
    changes = {name: given[name] for name in _PLAIN if given.get(name) is not None}
    options = replace(options, **changes)
    Stages.parse(options.stages)
    if given.get("no_automatic_rules"):
        options = replace(options, automatic_rules=False)
    if given.get("no_differencing"):
        options = options.without_differencing()
    if given.get("memory") is not None:
        options = replace(options, memory=given["memory"] << 20)
    return replace(
        options,
        significant=bool(given.get("significant")),
        complete_input=bool(given.get("complete_input")),
        self_check=bool(given.get("self_check")),
        profile=bool(given.get("profile")),
        queries=tuple(given.get("queries") or ()),
        decompose=bool(given.get("decompose")),
        transitions=bool(given.get("transitions_tvs") or given.get("transitions_dot")),
    )

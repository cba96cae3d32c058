"""TVLA properties files, mapped to Kleene's options (docs/manual/running.md).

A property that changes results and that Kleene does not have is an error; properties that only concern TVLA's own
output files and console are accepted and have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kleene.analysis.tvp.options import RunOptions
from kleene.diagnostics import Diagnostic, InputError, Position, UsageError, did_you_mean
from kleene.domains.shape.stores import JOINS
from kleene.transformers.transformer import Stages


@dataclass(frozen=True, slots=True)
class Setting:
    """One line ``key = value`` of a properties file."""

    key: str
    value: str
    position: Position


def read_properties(path: Path) -> list[Setting]:
    """The settings of a Java properties file: comments with # or !, keys up to =, : or blank, lines joined by \\."""
    settings = []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    number = 0
    while number < len(lines):
        first, text = number, lines[number]
        number += 1
        while text.rstrip().endswith("\\") and number < len(lines):
            text = text.rstrip()[:-1] + lines[number].lstrip()
            number += 1
        stripped = text.strip()
        if not stripped or stripped[0] in "#!":
            continue
        key = _key(stripped)
        value = stripped[len(key) :].lstrip()
        value = value[1:].strip() if value[:1] in ("=", ":") else value.strip()
        column = len(lines[first]) - len(lines[first].lstrip()) + 1
        settings.append(Setting(key, value, Position(str(path), first + 1, column, lines[first])))
    return settings


def _key(text: str) -> str:
    for i, character in enumerate(text):
        if character in "=:" or character.isspace():
            return text[:i]
    return text


class _BadValue(Exception):
    pass


def _boolean(value: str) -> bool:
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise _BadValue("expected true or false")


def _limit(value: str) -> int | None:
    try:
        number = int(value)
    except ValueError:
        raise _BadValue("expected a number") from None
    return None if number < 0 else number


def _join(value: str) -> str:
    if value in JOINS or value == "j3":
        return value
    raise _BadValue(f"expected one of {', '.join(JOINS)}")


def _stages(value: str) -> str:
    try:
        Stages.parse(value)
    except UsageError as problem:
        raise _BadValue(str(problem)) from None
    return value


def _choice(*allowed: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value in allowed:
            return value
        raise _BadValue(f"expected one of {', '.join(allowed)}")

    return check


# property -> (option, how to read the value)
_OPTIONS: dict[str, tuple[str, Callable[[str], object]]] = {
    "tvla.joinType": ("join", _join),
    "tvla.engine.actionOrder": ("stages", _stages),
    "tvla.engine.freezeStructuresWithMessages": ("freeze", _boolean),
    "tvla.generateAutomaticConstraints": ("automatic_rules", _boolean),
    "tvla.blur.threeWay": ("definite_names", lambda value: not _boolean(value)),
    "tvla.cfg.saveLocations": ("save", _choice("all", "ext", "back")),
    "tvla.cfg.postOrder": ("post_order", _boolean),
    "tvla.cfg.backwardAnalysis": ("backward", _boolean),
    "tvla.engine.maxStructures": ("max_structures", _limit),
    "tvla.engine.maxMessages": ("max_messages", _limit),
    "tvla.emitWarnings": ("skip_infinite_focus", lambda value: not _boolean(value)),
    "tvla.engine.checkMessagesAtFixpoint": ("messages_at_fixpoint", _boolean),
    "tvla.focus.coerceDuringFocus": ("coerce_during_focus", _boolean),
    "tvla.focus.filterDuringFocus": ("filter_during_focus", _boolean),
}
_DIFFERENCING: dict[str, tuple[str, Callable[[str], object]]] = {
    "tvla.differencing.difference": ("difference", _boolean),
    "tvla.differencing.differenceNonIdForms": ("difference_given", _boolean),
    "tvla.differencing.tight": ("tight", _boolean),
    "tvla.differencing.substituteDeltas": ("substitute_deltas", _boolean),
    "tvla.differencing.messageForCloseCycle": ("cycle_message", _boolean),
    "kleene.differencing.universeChanges": ("universe_changes", _boolean),
}
# property -> values for which Kleene behaves as TVLA does with that setting
_FIXED: dict[str, tuple[str, ...]] = {
    "tvla.engine.type": ("tvla", "dtvla"),
    "tvla.cfg.removeSkipChains": ("false",),
    "tvla.differencing.differenceIdForms": ("true",),
    "tvla.differencing.implementation": ("expandedFuture",),
    "tvla.differencing.expandPredicateFormulaFuture": ("false",),
    "tvla.formulae.alphaRenamingEquals": ("true",),
    "tvla.simplify.nonEmptyStructs": ("false",),
    "tvla.stableSuffixAnalysis": ("",),
}
# Switches of TVLA that Kleene does not have, and what that means for the result when one is turned on.
_IGNORED_SWITCHES = {
    "tvla.td.enabled": "termination is not analysed; the structures are the same",
    "tvla.differencing.strongSimplification": "derived updates are simplified in Kleene's own way",
    "tvla.differencing.minimizeUpdateFormulae": "derived updates are simplified in Kleene's own way",
}
# These have no effect on results, or Kleene's own behaviour covers every value of them.
_WITHOUT_EFFECT = frozenset(
    (
        "tvla.engine.autoResolveType",
        "tvla.engine.breakIfCoerceAfterUpdateFailed",
        "tvla.differencing.simplify",
        "tvla.differencing.simplifyUpdate",
        "tvla.differencing.warnAboutNonUnitChanges",
        "tvla.differencing.warnAboutUniverseChange",
        "tvla.implementation",
        "tvla.terse",
        "tvla.debug",
        "tvla.beanshell",
        "tvla.predicateDisplay",
        "tvla.printExceptionStackTrace",
        "tvla.skipFilter.enable",
        "tvla.pasta.maxEvents",
        "tvla.coerce.debug",
        "tvla.dumpPreprocessedTvp",
        "tvla.dumpPreprocessedTvs",
        "tvla.engine.statisticsEvery",
        "tvla.engine.autoGC",
    )
)
_WITHOUT_EFFECT_PREFIXES = (
    "tvla.dot.",
    "tvla.tvs.",
    "tvla.xml.",
    "tvla.tr.",
    "tvla.td.",
    "tvla.log.",
    "tvla.output.",
    "tvla.spaceStatistics.",
    "tvla.decompose.",
    "tvla.framer.",
    "tvla.flik.",
    "tvla.engine.incremental.",
    "tvla.multithreading.",
)


@dataclass(frozen=True)
class Properties:
    """The settings of properties files: options, include folders and macros."""

    changes: Mapping[str, object]
    differencing: Mapping[str, object]
    include: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def apply(self, options: RunOptions) -> RunOptions:
        difference = replace(options.differencing, **self.differencing)  # type: ignore[arg-type]
        return replace(options, differencing=difference, **self.changes)  # type: ignore[arg-type]


def interpret_settings(settings: list[Setting]) -> Properties:
    """The meaning of settings, later ones first in precedence; unknown or unsupported ones are errors."""
    changes: dict[str, object] = {}
    differencing: dict[str, object] = {}
    include: list[str] = []
    macros: list[str] = []
    problems, warnings = [], []
    for setting in settings:
        try:
            if setting.key in _IGNORED_SWITCHES:
                if _boolean(setting.value):
                    text = f"'{setting.key}' has no effect: {_IGNORED_SWITCHES[setting.key]}"
                    warnings.append(Diagnostic(text, setting.position, "warning"))
                continue
            if setting.key == "tvla.parser.searchPath":
                include += [folder for folder in setting.value.split(";") if folder]
            elif setting.key == "tvla.parser.externalMacros":
                macros += setting.value.split()
            elif not _apply(setting, changes, differencing):
                problems.append(Diagnostic(_unknown(setting.key), setting.position))
        except _BadValue as bad:
            text = f"property '{setting.key}' cannot be '{setting.value}': {bad}"
            problems.append(Diagnostic(text, setting.position))
    if problems:
        raise InputError(problems)
    return Properties(changes, differencing, tuple(include), tuple(macros), tuple(warnings))


def _apply(setting: Setting, changes: dict[str, object], differencing: dict[str, object]) -> bool:
    """Apply one setting; false for an unknown property."""
    if setting.key in _OPTIONS:
        name, read = _OPTIONS[setting.key]
        changes[name] = read(setting.value)
    elif setting.key in _DIFFERENCING:
        name, read = _DIFFERENCING[setting.key]
        differencing[name] = read(setting.value)
    elif setting.key in _FIXED:
        if setting.value not in _FIXED[setting.key]:
            known = " or ".join(f"'{value}'" for value in _FIXED[setting.key])
            raise _BadValue(f"Kleene has only {known}")
    elif setting.key.startswith("tvla.absRef."):
        if setting.value.lower() not in ("", "false", "off", "none"):
            raise _BadValue("Kleene has no abstraction refinement of TVP programs")
    else:
        return setting.key in _WITHOUT_EFFECT or setting.key.startswith(_WITHOUT_EFFECT_PREFIXES)
    return True


def _unknown(key: str) -> str:
    known = [*_OPTIONS, *_DIFFERENCING, *_FIXED, *_IGNORED_SWITCHES, *_WITHOUT_EFFECT]
    return f"Kleene has no property '{key}'{did_you_mean(key, known)}"

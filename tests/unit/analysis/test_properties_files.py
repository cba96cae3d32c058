"""TVLA properties files: how they are read, and what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.properties import Properties, interpret_settings, read_properties
from kleene.diagnostics import InputError


@pytest.fixture
def meaning(tmp_path: Path):  # type: ignore[no-untyped-def]
    """What a properties text means."""

    def read(text: str) -> Properties:
        file = tmp_path / "p.properties"
        file.write_text(text, encoding="utf-8")
        return interpret_settings(read_properties(file))

    return read


def pairs(path: Path, text: str) -> list[tuple[str, str]]:
    file = path / "p.properties"
    file.write_text(text, encoding="utf-8")
    return [(setting.key, setting.value) for setting in read_properties(file)]


@pytest.mark.parametrize(
    "text",
    [
        "a.b = c d",
        "a.b=c d",
        "a.b: c d",
        "a.b   c d",
        "  a.b =c d  ",
        "\ta.b\tc d",
        "a.b = \\\n   c d",
        "a.b = c \\\n\td",
    ],
)
def test_forms_of_a_line(tmp_path: Path, text: str) -> None:
    assert pairs(tmp_path, text + "\n") == [("a.b", "c d")]


def test_comments_blank_lines_and_empty_values(tmp_path: Path) -> None:
    text = "# a = 1\n! b = 2\n\n   # c = 3\nd =\ne\nf = 1 = 2\r\n"
    assert pairs(tmp_path, text) == [("d", ""), ("e", ""), ("f", "1 = 2")]


def test_a_line_that_goes_on_at_the_end_of_the_file(tmp_path: Path) -> None:
    assert pairs(tmp_path, "a = b \\") == [("a", "b \\")]


def test_positions(tmp_path: Path) -> None:
    file = tmp_path / "p.properties"
    file.write_text("# one\n  a = \\\n b\nc = d\n")
    places = [(s.position.line, s.position.column) for s in read_properties(file)]
    assert places == [(2, 3), (4, 1)]


@given(st.text(alphabet="ab.=:#! \\\n\té", max_size=60))
def test_any_text_can_be_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.properties"
    file.write_text(text, encoding="utf-8")
    for setting in read_properties(file):
        assert setting.position.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("tvla.joinType = ind", {"join": "ind"}),
        ("tvla.engine.actionOrder = fpucb", {"stages": "fpucb"}),
        ("tvla.engine.freezeStructuresWithMessages = TRUE", {"freeze": True}),
        ("tvla.generateAutomaticConstraints = false", {"automatic_rules": False}),
        ("tvla.blur.threeWay = false", {"definite_names": True}),
        ("tvla.cfg.saveLocations = back", {"save": "back"}),
        ("tvla.cfg.postOrder = true", {"post_order": True}),
        ("tvla.cfg.backwardAnalysis = true", {"backward": True}),
        ("tvla.engine.maxStructures = 10", {"max_structures": 10}),
        ("tvla.engine.maxStructures = -1", {"max_structures": None}),
        ("tvla.engine.maxMessages = 0", {"max_messages": 0}),
        ("tvla.emitWarnings = false", {"skip_infinite_focus": True}),
        ("tvla.engine.checkMessagesAtFixpoint = true", {"messages_at_fixpoint": True}),
        ("tvla.focus.coerceDuringFocus = true", {"coerce_during_focus": True}),
        ("tvla.focus.filterDuringFocus = true", {"filter_during_focus": True}),
    ],
)
def test_options(meaning, line: str, changed: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
    options = meaning(line + "\n").apply(RunOptions())
    for name, value in changed.items():
        assert getattr(options, name) == value
    defaults = RunOptions()
    others = set(vars(defaults)) - set(changed)
    assert all(getattr(options, name) == getattr(defaults, name) for name in others)


def test_differencing_options(meaning) -> None:  # type: ignore[no-untyped-def]
    text = "tvla.differencing.difference = false\ntvla.differencing.tight = false\n"
    options = meaning(text).apply(RunOptions())
    assert not options.differencing.difference
    assert not options.differencing.tight


def test_paths_and_macros(meaning) -> None:  # type: ignore[no-untyped-def]
    found = meaning("tvla.parser.searchPath = a;b;;c\ntvla.parser.externalMacros = X Y(2)\n")
    assert found.include == ("a", "b", "c")
    assert found.macros == ("X", "Y(2)")


def test_the_last_one_wins(meaning) -> None:  # type: ignore[no-untyped-def]
    assert meaning("tvla.joinType = rel\ntvla.joinType = ind\n").changes["join"] == "ind"


def test_shipped_defaults_are_kleenes_defaults(meaning) -> None:  # type: ignore[no-untyped-def]
    """The settings of TVLA's own tvla.properties (docs/manual/running.md)."""
    shipped = """
    tvla.joinType = part
    tvla.engine.actionOrder = fcpucb
    tvla.engine.breakIfCoerceAfterUpdateFailed = true
    tvla.engine.freezeStructuresWithMessages = false
    tvla.engine.checkMessagesAtFixpoint = false
    tvla.generateAutomaticConstraints = true
    tvla.blur.threeWay = true
    tvla.cfg.saveLocations = all
    tvla.cfg.postOrder = false
    tvla.cfg.backwardAnalysis = false
    tvla.engine.maxStructures = -1
    tvla.engine.maxMessages = -1
    tvla.emitWarnings = true
    tvla.differencing.difference = true
    tvla.differencing.differenceIdForms = true
    tvla.differencing.differenceNonIdForms = false
    tvla.differencing.implementation = expandedFuture
    tvla.differencing.expandPredicateFormulaFuture = false
    tvla.differencing.tight = true
    tvla.differencing.simplify = true
    tvla.differencing.substituteDeltas = true
    tvla.formulae.alphaRenamingEquals = true
    tvla.simplify.nonEmptyStructs = false
    tvla.engine.incremental.enable = true
    tvla.implementation = base
    tvla.dot.enabled = true
    tvla.tvs.tvla091BackwardCompatibility = true
    tvla.engine.statisticsEvery = 1000
    tvla.td.enabled = false
    tvla.predicateDisplay = x:{pointer}
    tvla.log.logFileName =
    """
    found = meaning(shipped)
    assert found.apply(RunOptions()) == RunOptions()
    assert found.warnings == ()


def test_every_problem_is_told_with_its_place(meaning) -> None:  # type: ignore[no-untyped-def]
    text = "tvla.joinTypes = rel\ntvla.joinType = relational\nother = 1\ntvla.cfg.postOrder = 1\n"
    with pytest.raises(InputError) as caught:
        meaning(text)
    lines = [d.position.line for d in caught.value.diagnostics if d.position]
    assert lines == [1, 2, 3, 4]
    assert "did you mean 'tvla.joinType'?" in caught.value.diagnostics[0].message


def test_switches_without_effect_are_told(meaning) -> None:  # type: ignore[no-untyped-def]
    (warning,) = meaning("tvla.td.enabled = true\n").warnings
    assert "has no effect" in warning.message
    assert warning.severity == "warning"

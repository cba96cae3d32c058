"""What the commands write: clean standard output, valid JSON, TVS that is read back to the same set."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from cli_samples import LISTS, WALK, Kleene, tvp

from kleene.report.run.json import schema
from kleene.structures.machine import native_is_built

JOINS = ["rel", "part", "part_embedding", "ind"]


@pytest.mark.parametrize("name", ["walk", "deref"])
@pytest.mark.parametrize("options", [[], ["--explain", "l2"], ["--profile"], ["-single"], ["-ms", "3"]])
def test_json_on_standard_output_is_valid(kleene: Kleene, name: str, options: list[str]) -> None:
    done = kleene("run", name, "--json", "-", *options)
    document = json.loads(done.out)
    jsonschema.validate(document, schema())
    assert document["program"] == name
    verdict = {0: "verified", 1: "messages", 3: "incomplete"}[done.code]
    assert document["verdict"] == verdict
    assert document["totals"]["stored"] == sum(x["structures"] for x in document["locations"].values())


def test_json_tells_messages(kleene: Kleene) -> None:
    document = json.loads(kleene("run", "deref", "--json", "-").out)
    (message,) = document["locations"]["l1"]["messages"]
    assert (message["text"], message["count"]) == ("NULL dereference of x", 1)
    assert document["totals"]["messages"] == 1


@pytest.mark.parametrize("option", ["--tvs", "--dot", "--html", "--log"])
def test_nothing_else_on_standard_output(kleene: Kleene, folder: Path, option: str) -> None:
    to_file = kleene("run", "walk", "--quiet", option, "file")
    assert to_file.out == ""
    done = kleene("run", "walk", option, "-")
    assert done.err == ""
    if option == "--log":
        assert done.out.startswith("walk: verified")
    elif option == "--html":
        assert done.out.startswith("<!DOCTYPE html>")
        assert done.out.rstrip().endswith("</html>")
    else:
        assert done.out == (folder / "file").read_text()


def test_the_print_list_holds_in_every_output(kleene: Kleene, folder: Path) -> None:
    """The TVS file had the structures with messages of locations that the list leaves out."""
    (folder / "listed.tvp").write_text(tvp("l1 next(y, x) l2\nl2 copy(x, y) l3\n%%\nl3\n"))
    done = kleene("run", "listed", "walk", "--verbose", "--tvs", "out.tvs", "--dot", "out.dot")
    assert [line for line in done.out.splitlines() if line.startswith(("l1 ", "l2 ", "l1,", "l2,"))] == []
    assert "NULL dereference of x: 1 time at l1" in done.out, "texts of messages are no structures"
    written = (folder / "out.tvs").read_text()
    assert written.count("%location") == written.count("%location l3") == 1
    assert "%message" not in written


@pytest.mark.parametrize("join", JOINS)
def test_tvs_is_read_back_to_the_same_set(kleene: Kleene, join: str) -> None:
    kleene("run", "walk", "--quiet", "--join", join, "--tvs", "a.tvs")
    kleene("run", "walk", "--quiet", "--join", join, "--significant", "--tvs", "b.tvs")
    for pair in (("a", "a"), ("a", "b")):
        done = kleene("diff", "walk", *pair)
        assert (done.code, done.out) == (0, "the results are the same\n")


def test_concrete_results_are_compared_unblurred(kleene: Kleene, folder: Path) -> None:
    """Lists of three and of four elements have the same canonical abstraction, but are not the same result."""
    for k in (3, 4):
        nodes = ", ".join(f"u{i}" for i in range(k))
        edges = ", ".join(f"u{i} -> u{i + 1}" for i in range(k - 1))
        text = f"%n = {{{nodes}}} %p = {{ x = {{u0}} n = {{{edges}}} r[n, x] = {{{nodes}}} }}\n"
        (folder / "list.tvs").write_text(text)
        assert kleene("run", "walk", "list", "--join", "conc", "--quiet", "--tvs", f"{k}.tvs").code == 0
    assert kleene("diff", "walk", "3.tvs", "3.tvs").code == 0
    assert kleene("diff", "walk", "3.tvs", "4.tvs").code == 1


def test_different_results(kleene: Kleene, folder: Path) -> None:
    (folder / "one.tvs").write_text("%n = {u0}\n%p = { x = {u0} r[n, x] = {u0} }\n")
    kleene("run", "walk", "--quiet", "--tvs", "all.tvs")
    kleene("run", "walk", "one", "--quiet", "--tvs", "few.tvs")
    done = kleene("diff", "walk", "few", "all", "--dot", "d.dot")
    assert done.code == 1
    assert "l1: the first is more precise" in done.out
    assert "only in all:" in done.out
    assert (folder / "d.dot").read_text().startswith("digraph")
    assert "l1: the second is more precise" in kleene("diff", "walk", "all", "few").out
    assert kleene("diff", "walk", "few", "all", "--quiet").out == ""


def test_different_messages(kleene: Kleene, folder: Path) -> None:
    kleene("run", "deref", "--quiet", "--tvs", "a.tvs")
    (folder / "b.tvs").write_text((folder / "a.tvs").read_text().replace("NULL dereference", "NULL access"))
    done = kleene("diff", "deref", "a", "b")
    assert done.code == 1
    assert "l1: the structures are the same, the messages are not" in done.out
    assert 'only in b: message "NULL access of x"' in done.out


def test_verbose_prints_every_structure(kleene: Kleene) -> None:
    done = kleene("run", "walk", "--verbose")
    assert done.out.count(", structure ") == 21


def test_explain_shows_each_stage(kleene: Kleene) -> None:
    done = kleene("run", "walk", "--explain", "l2")
    assert "\nl2: from l1 by 'y = x'\n" in done.out
    assert "\nl2: from l3 by 'y = y->n'\n" in done.out
    for stage in ("focused", "coerced", "updated", "blurred"):
        assert f"  {stage}: " in done.out
    assert "discarded: " in done.out
    document = json.loads(kleene("run", "walk", "--explain", "l2", "--json", "-").out)
    assert {e["source"] for e in document["explanations"]} == {"l1", "l3"}


def test_debug_explains_every_location(kleene: Kleene) -> None:
    document = json.loads(kleene("run", "walk", "-d", "--json", "-").out)
    assert {e["location"] for e in document["explanations"]} == {"l2", "l3", "l4"}


def test_show_rules_and_updates(kleene: Kleene) -> None:
    rules = kleene("run", "walk", "--show-rules")
    assert rules.code == 0
    assert "// x is unique" in rules.out
    assert "// definition of r[n,x]" in rules.out
    updates = kleene("run", "walk", "--show-updates")
    assert updates.code == 0
    assert 'action copy(y, x) "y = x"' in updates.out
    assert "r[n,y](v)" in updates.out
    assert "definition" not in kleene("run", "walk", "--show-rules", "--no-automatic-rules").out


def test_significant_names(kleene: Kleene) -> None:
    text = kleene("run", "walk", "--significant", "--tvs", "-").out
    assert "%n = {u0, u}" in text
    assert "u.0" in text
    assert "u.0" not in kleene("run", "walk", "--tvs", "-").out


def test_profile_prints_one_line_of_phases(kleene: Kleene) -> None:
    last = kleene("run", "walk", "--profile").out.splitlines()[-1]
    for phase in ("compile", "focus", "coerce", "precondition", "update", "blur", "join", "rest"):
        assert f"{phase} 0." in last
    seconds = json.loads(kleene("run", "walk", "--profile", "--json", "-").out)["seconds"]
    phases = {"load", "analysis", "compile", "focus", "coerce", "precondition", "update", "blur", "join"}
    assert set(seconds) - {"step"} == phases  # on the native machine, `step` is the rest of a step


def test_profile_divides_the_steps_of_the_native_machine(kleene: Kleene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile of the native machine showed whole steps only."""
    if not native_is_built():
        pytest.skip("the native machine is not built")
    monkeypatch.setenv("KLEENE_MACHINE", "native")
    seconds = json.loads(kleene("run", "walk", "--profile", "--json", "-").out)["seconds"]
    assert all(seconds[stage] > 0 for stage in ("focus", "coerce", "update", "blur"))
    assert sum(time for phase, time in seconds.items() if phase not in ("load", "analysis")) <= seconds["analysis"]


def test_svg_files(kleene: Kleene, folder: Path) -> None:
    assert kleene("run", "walk", "--svg", "drawn/here", "--quiet").code == 0
    names = sorted(path.name for path in (folder / "drawn" / "here").iterdir())
    assert len(names) == 21
    assert names[0] == "l1-1.svg"


def test_svg_files_of_locations_with_similar_names(kleene: Kleene, folder: Path) -> None:
    (folder / "two.tvp").write_text(tvp('"a b" copy(y, x) "a/b"\n'))
    assert kleene("run", "two", "walk", "--svg", "drawn", "--quiet").code == 0
    assert len(list((folder / "drawn").iterdir())) == 6


# Choices that change what is computed or kept -------------------------------------------------------------------


def counts(kleene: Kleene, *options: str) -> dict[str, int]:
    document = json.loads(kleene("run", *options, "--json", "-").out)
    return {name: location["structures"] for name, location in document["locations"].items()}


def test_save_with_a_print_list(kleene: Kleene, folder: Path) -> None:
    (folder / "some.tvp").write_text(tvp(WALK + "%%\nl4\n"))
    assert counts(kleene, "some", "walk") == {"l1": 3, "l2": 9, "l3": 6, "l4": 3}
    assert counts(kleene, "some", "walk", "--save", "back") == {"l1": 0, "l2": 9, "l3": 0, "l4": 3}
    assert counts(kleene, "some", "walk", "--save", "ext") == {"l1": 0, "l2": 9, "l3": 0, "l4": 3}
    text = kleene("run", "some", "walk", "--tvs", "-").out
    assert "%location l4" in text
    assert text.count("%n =") == 3


def test_save_without_a_print_list_says_that_it_has_no_effect(kleene: Kleene) -> None:
    assert counts(kleene, "walk", "--save", "back") == {"l1": 3, "l2": 9, "l3": 6, "l4": 3}
    assert "--save back has no effect" in kleene("run", "walk", "--save", "back").out


def test_backward(kleene: Kleene) -> None:
    """The entry is then the target of the first edge."""
    assert counts(kleene, "walk", "--backward")["l1"] > 0
    assert kleene("run", "walk", "-backward").code in (0, 1)


def test_freeze(kleene: Kleene) -> None:
    assert counts(kleene, "deref")["l2"] == counts(kleene, "deref", "--freeze")["l2"] + 1


# Properties -----------------------------------------------------------------------------------------------------


def option(kleene: Kleene, name: str, *words: str) -> str:
    text: str = json.loads(kleene("run", *words, "--json", "-").out)["options"][name]
    return text


def test_precedence_of_properties(kleene: Kleene, folder: Path) -> None:
    assert option(kleene, "join", "walk") == "part"
    (folder / "walk.properties").write_text("tvla.joinType = rel\n")
    assert option(kleene, "join", "walk") == "rel"
    (folder / "first.properties").write_text("tvla.joinType = ind\n")
    (folder / "second.properties").write_text("tvla.joinType part_embedding\n")
    assert option(kleene, "join", "walk", "-props", "first") == "ind"
    both = ("-props", "first.properties", "-props", "second.properties")
    assert option(kleene, "join", "walk", *both) == "part_embedding"
    assert option(kleene, "join", "walk", *both, "-join", "part") == "part"


def test_properties_named_in_the_program(kleene: Kleene, folder: Path) -> None:
    (folder / "mine.properties").write_text("tvla.joinType = rel\n")
    (folder / "own.tvp").write_text('// @properties "mine.properties"\n' + tvp(WALK))
    assert option(kleene, "join", "own", "walk") == "rel"
    assert option(kleene, "join", "own", "walk", "--join", "part") == "part"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "tvla.joinTyp = rel",
            "walk.properties:1:1: Kleene has no property 'tvla.joinTyp'; did you mean 'tvla.joinType'?",
        ),
        ("tvla.joinType = all", "property 'tvla.joinType' cannot be 'all': expected one of rel, part"),
        ("tvla.cfg.postOrder = yes", "property 'tvla.cfg.postOrder' cannot be 'yes': expected true or false"),
        ("tvla.engine.maxStructures = many", "expected a number"),
        ("tvla.engine.actionOrder = pf", "the order of an action is [f][c]pu[c][b], not 'pf'"),
        ("tvla.engine.type = tvmc", "Kleene has only 'tvla' or 'dtvla'"),
        ("tvla.joinType = j3", "part_embedding"),
    ],
)
def test_bad_properties(kleene: Kleene, folder: Path, line: str, expected: str) -> None:
    (folder / "walk.properties").write_text(line + "\n")
    done = kleene("run", "walk")
    assert done.code == 2
    assert expected in done.err


# show -----------------------------------------------------------------------------------------------------------


def test_show_with_and_without_a_program(kleene: Kleene, folder: Path) -> None:
    alone = kleene("show", "walk.tvs")
    assert alone.code == 0
    assert "u0" in alone.out
    with_program = kleene("show", "walk", "--program", "walk")
    assert with_program.code == 0
    assert "x -> u0" in with_program.out
    assert kleene("show", "walk", "--html", "s.html", "--dot", "s.dot", "--svg", "s").out == ""
    assert (folder / "s.html").read_text().startswith("<!DOCTYPE html>")
    assert len(list((folder / "s").iterdir())) == 3


def test_show_a_result(kleene: Kleene) -> None:
    kleene("run", "walk", "--quiet", "--tvs", "out.tvs")
    assert kleene("show", "out").code == 0
    assert kleene("show", "out", "--program", "walk", "--hide", "r[n,x]").code == 0


def test_show_reports_what_does_not_fit_the_program(kleene: Kleene, folder: Path) -> None:
    (folder / "odd.tvs").write_text(LISTS.replace("x =", "z ="))
    done = kleene("show", "odd", "--program", "walk")
    assert done.code == 2
    assert done.err.startswith("odd.tvs:4:3: undeclared predicate 'z'")


def test_the_print_list_holds_everywhere(kleene: Kleene, folder: Path) -> None:
    """Table, TVS and verbose output showed locations that the program does not ask to print."""
    (folder / "listed.tvp").write_text(
        "%p x(v) unique\n%%\n%action a() { }\n%%\nfirst a() middle\nmiddle a() last\n%% last\n"
    )
    (folder / "listed.tvs").write_text("%n = {u} %p = { x = {u} }\n")
    done = kleene("run", "listed", "--verbose", "--tvs", "out.tvs")
    assert done.code == 0
    assert "last, structure 1" in done.out
    assert "first" not in done.out and "middle" not in done.out
    text = (folder / "out.tvs").read_text()
    assert "%location last" in text and "middle" not in text and "first" not in text


def test_debug_prints_the_rules_with_their_dependencies(kleene: Kleene, folder: Path) -> None:
    """Thesis Appendix C.7, -d."""
    (folder / "ruled.tvp").write_text(
        "%p x(v) %p y(v) %r x(v) ==> y(v) %r y(v) ==> x(v)\n%%\n%action a() { }\n%%\nL a() M\n"
    )
    (folder / "ruled.tvs").write_text("%n = {}\n%p = { }\n")
    done = kleene("run", "ruled", "-d")
    assert "Rules and their dependencies\n(1) " in done.out
    assert "x(v) ==> y(v)    // %r -> " in done.out

"""Every option of thesis Appendix C.7 and of TVLA 3 (docs/manual/running.md) is accepted, or refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_samples import GROW, WALK, Kleene, tvp

from kleene.cli.legacy import translate_arguments
from kleene.diagnostics import UsageError

ACCEPTED = [
    # thesis Appendix C.7
    ["-ms", "50"],
    ["-mm", "1000"],
    ["-tr:tvs", "transitions.tvs"],
    ["-tr:dot", "transitions.dot"],
    ["-d"],
    ["-post"],
    ["-join", "all"],
    ["-join", "ext"],
    ["-b2"],
    ["-action", "fpucb"],
    ["-action", "fcpucb"],
    ["-action", "fpub"],
    ["-significant"],
    ["-single"],
    ["-log", "out.log"],
    ["-dump", "10"],
    ["-noautomatic"],
    ["-rotate"],
    # TVLA 3
    ["-join", "rel"],
    ["-join", "part"],
    ["-join", "part_embedding"],
    ["-join", "ind"],
    ["-join", "conc"],
    ["-save", "back"],
    ["-save", "ext"],
    ["-save", "all"],
    ["-props", "own.properties"],
    ["-tvs", "out.tvs"],
    ["-dot", "out.dt"],
    ["-DNAME"],
    ["-DNAME(7)"],
    ["-D", "NAME=7"],
    ["-path", ".;.."],
    ["-terse"],
    ["-nowarnings"],
    ["-backward"],
    ["-td"],
    ["-td.dot", "graphs"],
    ["-td.summarizationOff"],
    ["-td.verbose"],
]


@pytest.mark.parametrize("options", ACCEPTED, ids=" ".join)
def test_accepted(kleene: Kleene, folder: Path, options: list[str]) -> None:
    (folder / "own.properties").write_text("tvla.joinType = rel\n")
    done = kleene("run", "walk", "walk", *options, "-ms", "60")
    assert done.err == ""
    ends = {3} if "conc" in options else {0, 1}  # without blur, the lists in a summary node never end
    assert done.code in ends, done.out


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        (["-mode", "tvmc"], "--join"),
        (["-xml", "f"], "--json"),
        (["-join", "j3"], "part_embedding"),
    ],
)
def test_refused_with_the_nearest_thing(kleene: Kleene, options: list[str], nearest: str) -> None:
    done = kleene("run", "walk", *options)
    assert done.code == 2
    assert options[0] in done.err or options[1] in done.err
    assert nearest in done.err


def test_translation() -> None:
    assert translate_arguments(["run", "p", "-ms", "5", "-DX", "-path", "a;b"]) == [
        *("run", "p", "--max-structures", "5", "--define", "X", "--include", "a", "--include", "b"),
    ]
    assert translate_arguments(["run", "-diff", "p", "a", "b"]) == ["diff", "p", "a", "b"]
    assert translate_arguments(["-diff", "p", "a", "b", "-dot", "f"]) == ["diff", "p", "a", "b", "--dot", "f"]
    assert translate_arguments(["run", "p", "--json", "-"]) == ["run", "p", "--json", "-"]
    for word in ("-join", "-ms", "-path", "-props"):
        with pytest.raises(UsageError, match=f"option '{word}' needs a value"):
            translate_arguments(["run", "p", word])


def test_diff_in_tvlas_spelling(kleene: Kleene) -> None:
    assert kleene("run", "walk", "-terse", "-tvs", "a.tvs").code == 0
    assert kleene("-diff", "walk", "a", "a").out == "the results are the same\n"
    assert kleene("run", "-diff", "walk.tvp", "a.tvs", "a.tvs", "-dot", "d.dot").code == 0


def test_the_log_file_takes_the_summary(kleene: Kleene, folder: Path) -> None:
    done = kleene("run", "walk", "-log", "walk.log", "--explain", "l2")
    assert (done.code, done.out) == (0, "")
    text = (folder / "walk.log").read_text()
    assert text.startswith("walk: verified")
    assert "l2: from l1 by 'y = x'" in text


def test_dump_writes_results_on_the_way(kleene: Kleene, folder: Path) -> None:
    assert kleene("run", "walk", "-dump", "5", "--quiet").code == 0
    assert (folder / "walk.dump.tvs").read_text().startswith("%location l1 = {")
    assert kleene("show", "walk.dump.tvs").code == 0


def test_the_extension_may_be_left_out_even_if_a_file_without_it_exists(kleene: Kleene, folder: Path) -> None:
    (folder / "walk").write_text("not a program")
    assert kleene("run", "walk").code == 0
    assert kleene("run", "walk.tvp").code == 0
    (folder / "plain").write_text(tvp(WALK))
    (folder / "plain.tvs").write_text((folder / "walk.tvs").read_text())
    assert kleene("run", "plain").code == 0


def test_macros_and_include_folders(kleene: Kleene, folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "rest.tvp").write_text(GROW)
    (folder / "main.tvp").write_text(
        '#ifdef WHOLE\n#include "rest.tvp"\n#endif\n#if N == 3\n#else\n#error no N\n#endif\n'
    )
    (folder / "main.tvs").write_text("%n = {} %p = {}\n")
    assert kleene("run", "main").code == 2
    assert kleene("run", "main", "-DWHOLE", "-DN(3)", "-ms", "4").code == 2
    for option in (["-path", "other;parts"], ["--include", "parts"]):
        assert kleene("run", "main", "-DWHOLE", "-DN(3)", "-ms", "4", *option).code in (0, 3), option
    done = kleene("run", "main", "--define", "WHOLE", "--define", "N=3", "--include", "parts")
    assert done.code == 0, done.err

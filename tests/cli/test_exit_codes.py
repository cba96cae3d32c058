"""What each situation ends with: 0 done, 1 reported, 2 bad usage or input, 3 inconclusive, 4 a check failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_samples import DEREF, LISTS, WALK, Kleene, tvp

from kleene.analysis.tvp import run as analysis_run

TOOL = str(Path(sys.executable).parent / "kleene")


# 0 and 1 --------------------------------------------------------------------------------------------------------


def test_verified(kleene: Kleene) -> None:
    done = kleene("run", "walk")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("walk: verified\n")


def test_a_message(kleene: Kleene) -> None:
    done = kleene("run", "deref.tvp", "deref.tvs")
    assert done.code == 1
    assert "NULL dereference of x: 1 time at l1\n    deref.tvp:8:9" in done.out
    assert "1 message\n" in done.out


def test_quiet_says_it_with_the_code_alone(kleene: Kleene) -> None:
    done = kleene("run", "deref", "--quiet")
    assert (done.code, done.out, done.err) == (1, "", "")


def test_help_and_version(kleene: Kleene) -> None:
    for words in (["--help"], ["-h"], ["-help"], ["?"], ["/?"], ["--version"], ["run", "-help"], ["run", "--help"]):
        assert kleene(*words).code == 0, words


# 2: usage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rnu walk", "there is no command 'rnu'; did you mean 'run'?"),
        ("walk", "there is no command 'walk'; did you mean 'kleene run walk'?"),
        ("run", "missing argument 'PROGRAM'"),
        ("run walk walk extra", "got unexpected extra argument (extra)"),
        ("run walk --jion part", "there is no option '--jion'; did you mean '--join'?"),
        ("run walk --selfcheck", "there is no option '--selfcheck'; did you mean '--self-check'?"),
        ("run walk -nowarning", "there is no option '-nowarning'; did you mean '-nowarnings'?"),
        ("run walk -singel", "there is no option '-singel'; did you mean '-single'?"),
        ("run nothing", "there is no file 'nothing' or 'nothing.tvp'"),
        ("run nothing.tvp", "there is no file 'nothing.tvp'"),
        ("run walk nothing", "there is no file 'nothing' or 'nothing.tvs'"),
        ("run .", "'.' is a folder, not a file"),
        ("run look --join prat", "--join is one of rel, part, part_embedding, pointed, ind, conc, not 'prat'; did you"),
        ("run walk --join j3", "join 'j3' is not supported"),
        ("run walk -join j3", "the nearest is 'part_embedding'"),
        ("run walk --order tlva", "--order is one of inner-first, tvla, not 'tlva'; did you mean 'tvla'?"),
        ("run walk --save none", "--save is one of all, ext, back, not 'none'"),
        ("run walk --action fup", "the order of an action is [f][c]pu[c][b], not 'fup'"),
        ("run walk -action bcp", "the order of an action is [f][c]pu[c][b], not 'bcp'"),
        ("run walk -ms many", "expected a whole number from 0 up, not 'many'"),
        ("run walk -ms -1", "expected a whole number from 0 up, not '-1'"),
        ("run walk -ms", "option '-ms' needs a value"),
        ("run walk --dump 0", "expected a whole number from 1 up, not '0'"),
        ("run walk --timeout 0", "expected a positive number of seconds, not '0'"),
        ("run walk --timeout nan", "expected a positive number of seconds, not 'nan'"),
        ("run walk --memory x", "expected a whole number from 1 up, not 'x'"),
        ("run walk --explain l33", "there is no location 'l33'; did you mean 'l3'?"),
        ("run walk -D1", "a macro is NAME, NAME=value or NAME(value), not '1'"),
        ("run walk -props no.properties", "there is no file 'no.properties'"),
        ("run walk --json -  --tvs -", "only one output can go to standard output ('-')"),
        ("run walk --json no/folder.json", "there is no folder 'no' to write 'no/folder.json' to"),
        ("run walk --html .", "'.' is a folder, not a file to write to"),
        ("run walk --svg walk.tvp", "'walk.tvp' is a file, so the folder 'walk.tvp' cannot be made"),
        ("run walk --svg walk.tvp/in", "'walk.tvp' is a file, so the folder 'walk.tvp/in' cannot be made"),
        ("show nothing", "there is no file 'nothing' or 'nothing.tvs'"),
        ("show walk --dot no/x.dot", "there is no folder 'no'"),
        ("run walk --json=", "the name of an output is empty"),
        ("run walk.tvs", "'walk.tvs' is a file of structures (TVS), where a program (TVP) is expected"),
        ("run walk walk.tvp", "'walk.tvp' is a program (TVP), where a file of structures (TVS) is expected"),
        ("show walk --only r[n,z]", "there is no predicate 'r[n,z]'; did you mean 'r[n,x]'?"),
        ("diff walk walk", "missing argument 'SECOND'"),
        ("diff walk nothing walk", "there is no file 'nothing' or 'nothing.tvs'"),
    ],
)
def test_bad_usage_is_one_clear_line(kleene: Kleene, line: str, expected: str) -> None:
    done = kleene(*line.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("kleene: ")
    assert expected in done.err
    assert done.err.count("\n") == 1


def test_no_arguments_show_the_help(kleene: Kleene) -> None:
    done = kleene()
    assert done.code == 2
    assert done.err.startswith("Usage: kleene")


def test_outputs_are_checked_before_the_analysis(kleene: Kleene) -> None:
    start = time.monotonic()
    assert kleene("run", "grow", "--join", "conc", "--json", "no/x.json").code == 2
    assert time.monotonic() - start < 5


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write and read everything")
def test_files_without_permission(kleene: Kleene, folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    assert "is not writable" in kleene("run", "walk", "--json", "locked/x.json").err
    (folder / "walk.tvp").chmod(0)
    done = kleene("run", "walk")
    assert done.code == 2
    assert "Permission denied" in done.err


def test_a_full_device(kleene: Kleene) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    done = kleene("run", "walk", "--quiet", "--json", "/dev/full")
    assert done.code == 2
    assert "No space left" in done.err


# 2: input -------------------------------------------------------------------------------------------------------


def test_a_binary_file(kleene: Kleene, folder: Path) -> None:
    (folder / "bin.tvp").write_bytes(b"\x7fELF\x00\x01\x02")
    assert kleene("run", "bin").err == "kleene: 'bin.tvp' is not a text file\n"
    (folder / "bin.tvs").write_bytes(bytes(range(256)))
    assert kleene("run", "walk", "bin").err == "kleene: 'bin.tvs' is not a text file\n"
    assert kleene("show", "bin").code == 2


def test_a_flood_of_errors_is_cut(kleene: Kleene, folder: Path) -> None:
    (folder / "odd.tvp").write_bytes(b"\xe9\xe8" * 200)
    done = kleene("run", "odd")
    assert done.code == 2
    assert done.err.startswith("odd.tvp:1:1: unknown character")
    assert done.err.count("unknown character") == 20
    assert done.err.endswith("more errors are not shown\n")


def test_a_syntax_error_shows_the_place(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.tvp").write_text("%p x(v) uniqe\n%%\n%%\nl1 a() l2\n")
    done = kleene("run", "bad")
    assert done.code == 2
    lines = done.err.splitlines()
    assert lines[0].startswith("bad.tvp:1:9: ")
    assert "did you mean 'unique'?" in lines[0]
    assert lines[1:3] == ["    %p x(v) uniqe", "            ^"]


def test_several_errors_in_one_run(kleene: Kleene, folder: Path) -> None:
    edges = "l1 coppy(x, y) l2\nl2 copy(x) l3\nl3 copy(x, z) l4\n"
    (folder / "bad.tvp").write_text(tvp(edges))
    done = kleene("run", "bad")
    assert done.code == 2
    assert "did you mean 'copy'?" in done.err
    assert {line.split(":")[1] for line in done.err.splitlines() if line.startswith("bad.tvp:")} >= {"17", "18"}


def test_an_error_in_an_included_file(kleene: Kleene, folder: Path) -> None:
    (folder / "inner.tvp").write_text("%p x(v) uniqe\n")
    (folder / "outer.tvp").write_text('#include "inner.tvp"\n%%\n%%\nl1 a() l2\n')
    done = kleene("run", "outer")
    assert done.code == 2
    assert done.err.startswith("inner.tvp:1:9: ")
    assert "included from outer.tvp:1" in done.err


def test_errors_in_structures(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.tvs").write_text("%n = {u}\n%p = { xx = {u} n = {u -> w} y = {u: 2} }\n")
    done = kleene("run", "walk", "bad")
    assert done.code == 2
    for place in ("bad.tvs:2:8: undeclared predicate 'xx'", "bad.tvs:2:27: node 'w'", "bad.tvs:2:38: expected 0, 1"):
        assert place in done.err


@pytest.mark.parametrize("text", ["", "// nothing\n"])
def test_no_structures(kleene: Kleene, folder: Path, text: str) -> None:
    (folder / "none.tvs").write_text(text)
    done = kleene("run", "walk", "none")
    assert done.code == 2
    assert "no structures" in done.err


def test_a_result_is_not_an_input(kleene: Kleene) -> None:
    assert kleene("run", "walk", "--quiet", "--tvs", "out.tvs").code == 0
    done = kleene("run", "walk", "out.tvs")
    assert done.code == 2
    assert "'out.tvs' is a result (%location blocks)" in done.err


CONTRADICTORY = "%n = {u, w}\n%p = { x = {u, w} }\n"


def test_a_contradictory_structure_is_explained(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.tvs").write_text(LISTS + CONTRADICTORY)
    done = kleene("run", "walk", "bad")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bad.tvs:12:1: input structure 4 contradicts the rule ")
    assert "(x is unique) at v1 = u, v2 = w" in done.err


def test_tvla_order_goes_on_without_it(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.tvs").write_text(CONTRADICTORY + LISTS)
    done = kleene("run", "walk", "bad", "--order", "tvla")
    assert done.code == 0
    assert "bad.tvs:1:1: warning: input structure 1 contradicts the rule" in done.out
    assert done.out.count("warning") == 1
    document = json.loads(kleene("run", "walk", "bad", "--order", "tvla", "--json", "-").out)
    assert document["locations"]["l1"]["structures"] == 3


def test_tvla_order_says_if_nothing_is_left(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.tvs").write_text(CONTRADICTORY)
    done = kleene("run", "walk", "bad", "--order", "tvla")
    assert "warning: no input structure is left, so nothing was analysed" in done.out


def test_a_missing_instrumentation_value_is_explained_and_completed(kleene: Kleene, folder: Path) -> None:
    (folder / "core.tvs").write_text("%n = {u, w}\n%p = { x = {u} n = {u -> w} }\n")
    done = kleene("run", "walk", "core")
    assert done.code == 2
    assert "r[n,x] is not listed and so 0 (--complete-input computes what is not listed)" in done.err
    assert kleene("run", "walk", "core", "--complete-input").code == 0


def test_an_infinite_focus(kleene: Kleene) -> None:
    done = kleene("run", "look")
    assert done.code == 2
    assert done.err.startswith("look.tvp:4:9: focusing on n(v1, v2)")
    assert "needs infinitely many structures (action 'look()' on the edge l1 -> l2)" in done.err
    for option in ("--skip-infinite-focus", "-nowarnings"):
        assert kleene("run", "look", option).code == 0


# 3: inconclusive ------------------------------------------------------------------------------------------------

OUTPUTS = ["--json", "out.json", "--html", "out.html", "--tvs", "out.tvs", "--dot", "out.dot", "--svg", "drawn"]


def partial(folder: Path) -> dict[str, object]:
    """The partial result that every output has."""
    for name in ("out.html", "out.tvs", "out.dot"):
        assert (folder / name).stat().st_size > 0
    assert list((folder / "drawn").iterdir())
    document: dict[str, object] = json.loads((folder / "out.json").read_text())
    assert document["verdict"] == "incomplete"
    return document


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["-ms", "5"], "more than 5 structures were generated"),
        (["--max-structures", "5"], "more than 5 structures were generated"),
        (["--memory", "1"], "the memory limit of 1 MiB was reached"),
    ],
)
def test_limits_leave_a_partial_result(kleene: Kleene, folder: Path, options: list[str], reason: str) -> None:
    done = kleene("run", "walk", *options, *OUTPUTS)
    assert done.code == 3
    assert done.out.startswith(f"walk: incomplete ({reason})")
    assert partial(folder)["reason"] == reason


def test_too_many_messages(kleene: Kleene, folder: Path) -> None:
    (folder / "deref.tvp").write_text(tvp(DEREF + "l2 next(y, x) l3\n"))
    assert kleene("run", "deref", "--quiet").code == 1
    done = kleene("run", "deref", "-mm", "0", *OUTPUTS)
    assert done.code == 3
    assert partial(folder)["reason"] == "1 message was reported"


def test_the_first_message_ends_the_run(kleene: Kleene, folder: Path) -> None:
    """Thesis Appendix C.7: -mm 1 stops at the first message; it used to stop after the second one."""
    (folder / "deref.tvp").write_text(tvp(DEREF + "l2 next(y, x) l3\n"))
    done = kleene("run", "deref", "-mm", "1", *OUTPUTS)
    assert done.code == 3
    report = partial(folder)
    assert report["reason"] == "1 message was reported"
    assert report["totals"]["messages"] == 1


def test_a_limit_that_is_not_reached(kleene: Kleene) -> None:
    assert kleene("run", "walk", "-ms", "27", "-mm", "9", "--timeout", "60", "--memory", "99999").code == 0


def test_time_limit(kleene: Kleene, folder: Path) -> None:
    start = time.monotonic()
    done = kleene("run", "grow", "--join", "conc", "--timeout", "0.3", "--json", "out.json")
    assert done.code == 3
    assert time.monotonic() - start < 20
    assert json.loads((folder / "out.json").read_text())["reason"] == "the time limit of 0.3 s was reached"


@pytest.mark.parametrize("seconds", ["0.000001", "0.001", "0.005", "0.01", "0.02"])
def test_a_very_short_time_limit(kleene: Kleene, seconds: str) -> None:
    done = kleene("run", "walk", "--timeout", seconds)
    assert done.code in (0, 3)
    assert "time limit" in done.out + done.err or done.code == 0


def test_the_largest_universe_is_a_limit(kleene: Kleene, folder: Path) -> None:
    nodes = ", ".join(f"u{i}" for i in range(509))
    (folder / "large.tvs").write_text(f"%n = {{{nodes}}}\n%p = {{}}\n")
    assert kleene("run", "grow", "large", "--join", "conc").code == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_a_partial_result(folder: Path, number: signal.Signals) -> None:
    command = [TOOL, "run", "grow", "--join", "conc", "--json", "out.json", "--html", "out.html", "--tvs", "out.tvs"]
    command += ["--dump", "3"]
    process = subprocess.Popen(  # a shell that starts tests in the background makes them ignore SIGINT
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while process.poll() is None and not (folder / "grow.dump.tvs").exists():
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "Traceback" not in err
    assert out.startswith("grow: incomplete (interrupted)")
    document = json.loads((folder / "out.json").read_text())
    assert document["reason"] == "interrupted"
    assert document["locations"]["l1"]["structures"] > 1
    assert (folder / "out.html").exists()
    assert (folder / "out.tvs").exists()


CURSORS = """
#include <stdlib.h>
struct node { struct node *next; };
extern int any(void);
int main(void) {
  struct node *list = NULL;
  while (any()) {
    struct node *n = malloc(sizeof *n);
    if (!n) break;
    n->next = list;
    list = n;
  }
  struct node *a = list, *b = list, *c = list, *d = list, *e = list, *f = list;
  while (any()) {
    switch (any()) {
    case 0: if (a) a = a->next; break;
    case 1: if (b) b = b->next; break;
    case 2: if (c) c = c->next; break;
    case 3: if (d) d = d->next; break;
    case 4: if (e) e = e->next; break;
    default: if (f) f = f->next; break;
    }
  }
  while (list) { struct node *n = list->next; free(list); list = n; }
  return 0;
}
"""
"""Millions of structures: each pointer is anywhere in the list, alone or with others."""


def test_an_interruption_ends_all_phases_of_a_check(tmp_path: Path) -> None:
    """After Ctrl-C in the abstract analysis, the other phases were begun and took all of the time limit."""
    (tmp_path / "cursors.c").write_text(CURSORS)
    command = [TOOL, "check", "cursors.c", "--timeout", "100", "--max-structures", "100000000", "--json", "out.json"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )

    def spent() -> float:
        """Seconds of the processor so far."""
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK")

    while process.poll() is None and spent() < 1.5:
        time.sleep(0.02)
    before, children = spent(), os.times()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    now = os.times()
    total = now.children_user + now.children_system - children.children_user - children.children_system
    assert process.returncode == 3
    assert "interrupted" in json.loads((tmp_path / "out.json").read_text())["reason"]
    assert total - before < 2.0, "the report takes some tenths of a second, and no other phase is begun"


# 4: a check of our own failed -----------------------------------------------------------------------------------


def test_a_failed_self_check(kleene: Kleene, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kleene("run", "walk", "--self-check").code == 0
    monkeypatch.setattr(analysis_run, "uncovered_elements", lambda *_: ["l1 -> l2: a hole", "l2 -> l3: another"])
    done = kleene("run", "walk", "--self-check")
    assert done.code == 4
    assert "internal check failed: the result is not a fixpoint: l1 -> l2: a hole (and 1 more)" in done.err


def test_self_check_needs_every_location(kleene: Kleene, folder: Path) -> None:
    (folder / "some.tvp").write_text(tvp(WALK + "%%\nl4\n"))
    assert kleene("run", "some", "walk", "--save", "back").code == 0
    done = kleene("run", "some", "walk", "--save", "back", "--self-check")
    assert done.code == 2
    assert "--save all" in done.err


def test_a_bug_is_no_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kleene.cli import run_main
    from kleene.cli.commands import run as run_command

    def broken(*_: object, **__: object) -> None:
        raise KeyError("no such thing")

    monkeypatch.setattr(run_command, "run", broken)
    assert run_main(["run", "walk"]) == 4
    error = capsys.readouterr().err
    assert "internal error: KeyError" in error
    assert "Traceback" not in error


def test_other_files_are_checked_where_one_does_not_compile(tmp_path: Path) -> None:
    """The whole check ended with the first file that did not compile."""
    (tmp_path / "main.c").write_text("int f(void);\nint main(void) { int *p = 0; if (f()) return *p; return 0; }\n")
    (tmp_path / "bad.c").write_text("int f(void) { return }\n")
    words = [TOOL, "check", "main.c", "bad.c", "--json", "out.json"]
    process = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert process.returncode == 2
    assert process.stderr.startswith("bad.c:1:22: expected expression\n    int f(void) { return }\n")
    assert "main.c: FALSE" in process.stdout and "assumes: bad.c is not read" in process.stdout
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["unread"] == [{"file": "bad.c", "line": 1, "column": 22, "message": "expected expression"}]


# Pipes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "code"), [(["walk", "--verbose"], 0), (["deref", "--json", "-"], 1)])
def test_a_closed_pipe_keeps_the_verdict(folder: Path, words: list[str], code: int) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run([TOOL, "run", *words], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    assert process.stderr == ""
    assert process.returncode == code


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("int main(void) { return 0; }", ["check", "p.c"], 0),
        ("int main(void) { int *p = 0; return *p; }", ["check", "p.c", "--trace"], 1),
        ("int main(void) { int *p = 0; return *p; }", ["check", "p.c", "--json", "-"], 1),
        ("int main(void) { return 0; ", ["check", "p.c"], 2),
        ("", ["--help"], 0),
        ("", ["check", "--help"], 0),
        ("", ["shapes"], 0),
    ],
)
def test_a_closed_pipe_keeps_the_verdict_of_every_command(
    tmp_path: Path, text: str, words: list[str], code: int
) -> None:
    """All of them ended with 1, as if an error had been found."""
    (tmp_path / "p.c").write_text(text)
    for closed in ({"stdout"}, {"stdout", "stderr"}):
        read, write = os.pipe()
        os.close(read)
        streams = {name: write if name in closed else subprocess.PIPE for name in ("stdout", "stderr")}
        process = subprocess.run([TOOL, *words], cwd=tmp_path, text=True, timeout=120, **streams)  # type: ignore[call-overload]
        os.close(write)
        assert process.returncode == code
        assert "Traceback" not in (process.stderr or "") and "Broken pipe" not in (process.stderr or "")

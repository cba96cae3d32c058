"""Options as a compiler takes them, and compilation databases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kleene.c.input.compiler_options import split_options
from kleene.c.input.database import read_database
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program, read_units, short_names
from kleene.cfa.operations import Allocate, Havoc
from kleene.cli import run_main
from kleene.diagnostics import InputError, UsageError

CASES = {
    "-Ifolder": (["-Ifolder"], []),
    "-I folder": (["-Ifolder"], []),
    "-isystem folder": (["-isystem", "folder"], []),
    "-DA=1 -U B -DC": (["-DA=1", "-UB", "-DC"], []),
    "-std=c99 -ansi": (["-std=c99", "-ansi"], []),
    "-include config.h": (["-include", "config.h"], []),
    "-Wall -Wextra -O2 -g3 -c -o x.o -lm -pthread": ([], []),
    "-fshort-enums": (["-fshort-enums"], []),
    "-m32 a.c": ([], ["--32", "a.c"]),
    "--timeout 3 a.c -- -x.c": ([], ["--timeout", "3", "a.c", "--", "-x.c"]),
    "-q": ([], ["-q"]),
    "-xc -x c -Xclang -x a.c": ([], ["a.c"]),
    "--sysroot=/sdk -isysroot /sdk --target=arm a.c": ([], ["a.c"]),
    "-std=iso9899:1999 -std=gnu2x": (["-std=iso9899:1999", "-std=gnu2x"], []),
    "@nothere a.c": ([], ["@nothere", "a.c"]),
}


@pytest.mark.parametrize("words", CASES)
def test_options_are_sorted(words: str) -> None:
    """`-Ifolder`, `-std=c99` and `-include` were refused, with a hint to another command."""
    flags, others = CASES[words]
    split = split_options(words.split())
    assert (split.flags, split.others) == (flags, others)


def test_unknown_families_are_noted() -> None:
    split = split_options(["-fno-strict-aliasing", "-march=native", "-Wall"])
    assert [note.split("'")[1] for note in split.notes] == ["-fno-strict-aliasing", "-march=native"]
    with pytest.raises(UsageError, match="needs a value"):
        split_options(["-I"])


@pytest.mark.parametrize("words", ["-x c++", "-std=c++17", "-std=c42"])
def test_other_languages_are_refused(words: str) -> None:
    """`-std=c++17` was 'cannot be parsed', `-xc` no option."""
    with pytest.raises(UsageError, match="C"):
        split_options(words.split())


def test_options_in_a_file(tmp_path: Path) -> None:
    """`@FILE` was taken for a C file that does not exist."""
    (tmp_path / "inner").write_text("-DB='two words'\n-I folder")
    (tmp_path / "outer").write_text("-DA @inner")
    split = split_options(["@outer", "a.c"], tmp_path)
    assert split.flags == ["-DA", "-DB=two words", f"-I{tmp_path / 'folder'}"]
    assert split.others == ["a.c"]
    (tmp_path / "outer").write_text("@outer")
    with pytest.raises(UsageError, match="names itself"):
        split_options(["@outer"], tmp_path)
    (tmp_path / "outer").write_text("-D'open")
    with pytest.raises(UsageError, match="cannot be read"):
        split_options(["@outer"], tmp_path)


def database_of(folder: Path, commands: dict[str, str]) -> str:
    entries = [{"directory": str(folder), "file": file, "command": command} for file, command in commands.items()]
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    return str(folder)


SIZE = "#include <assert.h>\nint main(void) { assert(sizeof(long) == 4); return 0; }\n"


def test_a_database_says_for_how_many_bits(tmp_path: Path) -> None:
    """`-m32` in a database was ignored: the sizes were those of 64 bits."""
    (tmp_path / "a.c").write_text(SIZE)
    (tmp_path / "b.c").write_text("int b;\n")
    folder = database_of(tmp_path, {"a.c": "cc -m32 a.c", "b.c": "cc b.c"})
    assert run_main(["check", "--quiet", "-p", folder, str(tmp_path / "a.c")]) == 0
    assert run_main(["check", "--quiet", "-p", folder, "--64", str(tmp_path / "a.c")]) == 1
    assert run_main(["check", "--quiet", "-p", folder]) == 2
    assert run_main(["check", "--quiet", "-p", folder, "--32"]) == 0


def test_a_damaged_entry_leaves_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One such entry, or a file that is not there, and nothing was checked."""
    (tmp_path / "a.c").write_text("#include <stdlib.h>\nint main(void) { int *p = malloc(4); free(p); return 0; }\n")
    (tmp_path / "b.c").write_text("int b;\n")
    folder = database_of(tmp_path, {"a.c": "cc a.c", "b.c": "cc 'open b.c", "gone.c": "cc gone.c"})
    assert run_main(["check", "-p", folder]) == 2
    shown = capsys.readouterr()
    assert "a.c: TRUE" in shown.out
    assert "compile_commands.json:7:2: entry 2 is damaged: No closing quotation" in shown.err
    assert "entry 3 is damaged: there is no file" in shown.err


def test_the_header_that_is_missing_on_the_machine_is_named(tmp_path: Path) -> None:
    """The first header that is not among ours was named, though the machine has it."""
    machine = Path("/usr/include/fnmatch.h")
    if not machine.is_file():
        pytest.skip("there are no headers on this machine")
    source = tmp_path / "p.c"
    source.write_text("#include <fnmatch.h>\n#include <nothere.h>\nint main(void) { return 0; }\n")
    with pytest.raises(InputError, match=r"p.c:2:10: 'nothere.h' file not found"):
        read_program([source])


def test_the_options_change_the_program(tmp_path: Path) -> None:
    (tmp_path / "k.h").write_text("#define K 3\n")
    source = tmp_path / "p.c"
    source.write_text("#include <k.h>\n#ifdef GONE\n#error gone\n#endif\nint main(void) { return K + N; }\n")
    words = ["-I", str(tmp_path), "-DGONE", "-UGONE", "-DN=4", "-std=c99", "-I/usr/include"]
    program = read_program([source], ReadOptions(flags=tuple(split_options(words).flags)))
    assert str(program.main.cfa.edges[0].label) == "return 3 + 4"
    assert run_main(["check", "--quiet", *words, "-Wall", str(source)]) == 0


def test_a_database_has_the_options_of_each_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int a(void) { return A; }\n")
    (tmp_path / "src" / "b.c").write_text("int a(void);\nint main(void) { return a() + B; }\n")
    entries = [
        {"directory": str(tmp_path / "src"), "file": "a.c", "command": "cc -DA='1' -c a.c"},
        {"directory": "src", "file": "b.c", "arguments": ["cc", "-DB=2", "-c", "b.c", "-o", "b.o"]},
        {"directory": ".", "file": "c.cc", "command": "c++ c.cc"},
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    database = read_database(str(tmp_path))
    assert [Path(f).name for f in database.files] == ["a.c", "b.c"]
    program = read_program(database.files, ReadOptions(database=str(tmp_path)))
    assert str(program.functions["a"].cfa.edges[0].label) == "return 1"
    assert run_main(["check", "--quiet", "-p", str(tmp_path)]) == 0


DAMAGED = {
    "not JSON": "[{]",
    "a list of commands is expected": "{}",
    "no 'file'": '[\n {"directory": ".", "command": "cc"}]',
    "no list of texts": '[{"directory": ".", "file": "a.c", "arguments": [1]}]',
    "'file' is no text": '[{"directory": ".", "file": 1, "command": "cc"}]',
    "an object with": "[3]",
}


@pytest.mark.parametrize("message", DAMAGED)
def test_a_damaged_database_is_an_error_at_its_place(message: str, tmp_path: Path) -> None:
    path = tmp_path / f"{abs(hash(message))}.json"
    path.write_text(DAMAGED[message])
    with pytest.raises(InputError, match=message) as problem:
        read_database(str(path))
    (diagnostic,) = problem.value.diagnostics
    assert diagnostic.position is not None and diagnostic.position.line >= 1


def test_files_of_one_name_keep_their_static_functions(tmp_path: Path) -> None:
    """Two files `u.c` in different folders with a static function `f` each were refused."""
    for folder, value in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        text = f"static int f(void) {{ return {value}; }}\nint get_{folder}(void) {{ return f(); }}\n"
        (tmp_path / folder / "u.c").write_text(text)
    (tmp_path / "main.c").write_text(
        "int get_one(void), get_two(void);\nint main(void) { return get_one() + get_two(); }\n"
    )
    program = read_program([tmp_path / "one" / "u.c", tmp_path / "two" / "u.c", tmp_path / "main.c"])
    assert {"f@one/u.c", "f@two/u.c"} <= set(program.functions)
    assert short_names(["a/x.c", "b/x.c", "b/y.c"]) == ["a/x.c", "b/x.c", "b/y.c"]
    assert short_names(["a/x.c", "b/y.c"]) == ["x.c", "y.c"]


def test_a_second_definition_is_an_error_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\n")
    (tmp_path / "b.c").write_text("\nint f(void) { return 1; }\nint main(void) { return f(); }\n")
    with pytest.raises(InputError, match=r"b.c:2:5: function 'f' is also defined in .*a.c"):
        read_program([tmp_path / "a.c", tmp_path / "b.c"])


CALLER = """
int helper(int *x); static int kept = 1; int bump(void) { return ++kept; }
int main(void) { int y = 0; helper(&y); return 10 / kept; }
"""


def test_a_file_that_does_not_compile_is_unknown_code(tmp_path: Path) -> None:
    """One such file ended the command, whatever the others had."""
    (tmp_path / "main.c").write_text(CALLER)
    (tmp_path / "bad.c").write_text("int helper(int *x) { return bump() + ; }\nvoid *malloc(int n) { return 0; }\n")
    program, problems = read_units([tmp_path / "bad.c", tmp_path / "main.c"])
    assert [(p.position.line, p.message) for p in problems if p.position] == [(1, "expected expression")]
    assert program.files == (str(tmp_path / "main.c"),)
    assert [a.name for a in program.assumptions] == [str(tmp_path / "bad.c"), "helper"]
    written = {str(e.label.target) for e in program.main.cfa.edges if isinstance(e.label, Havoc)}
    assert "kept" in written  # bad.c may call bump
    with pytest.raises(InputError, match="expected expression"):
        read_program([tmp_path / "main.c", tmp_path / "bad.c"])


def test_functions_of_a_file_that_does_not_compile_have_no_model(tmp_path: Path) -> None:
    """`malloc` of a file that is not read is not the one of standard C."""
    (tmp_path / "main.c").write_text("void *malloc(unsigned long n);\nint main(void) { return malloc(4) != 0; }\n")
    (tmp_path / "bad.c").write_text(
        "static char pool[64];\nvoid *malloc(unsigned long n) { return pool; }\nint x = ;\n"
    )
    program, _ = read_units([tmp_path / "main.c", tmp_path / "bad.c"])
    assert not [e for e in program.main.cfa.edges if isinstance(e.label, Allocate)]
    assert "malloc" in [a.name for a in program.assumptions]


def test_the_entry_must_be_in_a_file_that_compiles(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return helper( }\n")
    (tmp_path / "helper.c").write_text("int helper(void) { return 1; }\n")
    with pytest.raises(InputError, match=r"main\.c:1:"):
        read_units([tmp_path / "main.c", tmp_path / "helper.c"])


def test_a_file_with_a_second_definition_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\nint main(void) { return f(); }\n")
    (tmp_path / "b.c").write_text("int f(void) { return 2; }\nint g(void) { return 2; }\n")
    program, problems = read_units([tmp_path / "a.c", tmp_path / "b.c"])
    assert [p.message for p in problems] == [f"function 'f' is also defined in {tmp_path / 'a.c'}"]
    assert "f" in program.functions and "g" not in program.functions


@pytest.mark.parametrize(
    "header",
    ["search.h", "sys/mman.h", "sys/prctl.h", "features.h", "wchar.h", "sys/stat.h", "fcntl.h", "sys/time.h", "err.h",
     "getopt.h", "inttypes.h", "locale.h", "pthread.h", "math.h", "stdalign.h", "sys/param.h", "wctype.h"],
)  # fmt: skip
def test_headers_are_there_and_agree_with_each_other(header: str, tmp_path: Path) -> None:
    """These were missing, or lacked `time_t`."""
    source = tmp_path / "p.c"
    others = "#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n"
    source.write_text(f"#include <{header}>\n{others}time_t t;\nint main(void) {{ return 0; }}\n")
    for flags in ((), ("-std=c99",)):
        assert read_program([source], ReadOptions(flags=flags)).entry == "main"


def test_inline_functions_of_a_header_are_no_second_definition(tmp_path: Path) -> None:
    """Two files that include one `inline` function were refused."""
    (tmp_path / "h.h").write_text("inline int twice(int n) { return 2 * n; }\n")
    (tmp_path / "a.c").write_text('#include "h.h"\nint a(void) { return twice(1); }\n')
    (tmp_path / "b.c").write_text('#include "h.h"\nint a(void);\nint main(void) { return a() - twice(1); }\n')
    assert "twice" in read_program([tmp_path / "a.c", tmp_path / "b.c"]).functions

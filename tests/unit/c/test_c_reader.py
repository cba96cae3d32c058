"""Files, headers, data models, several files of one program, and every way an input can be bad."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
from c_text import Lower

from kleene.c import read_program
from kleene.c.clang import raise_from_callbacks
from kleene.c.options import ReadOptions
from kleene.c.parse import HEADERS
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import Call, Return, Unsupported
from kleene.diagnostics import InputError, UsageError


def test_importing_the_reader_does_not_load_libclang() -> None:
    code = "import sys, kleene.c; sys.exit(any(name.startswith('clang') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_header_is_accepted_twice(lower: Lower) -> None:
    names = sorted(str(p.relative_to(HEADERS)) for p in HEADERS.rglob("*.h"))
    text = "".join(f"#include <{name}>\n" for name in names * 2)
    for data_model in ("ILP32", "LP64"):
        assert lower(text + "int main(void) { return 0; }", data_model=data_model).entry == "main"


def test_all_syntax_errors_are_reported_with_their_lines(lower: Lower) -> None:
    with pytest.raises(InputError) as caught:
        lower("int main(void) {\n    int x = ;\n    return y;\n}\nint f( { }\n")
    shown = [(d.position.line, d.message) for d in caught.value.diagnostics if d.position]
    assert shown[:2] == [(2, "expected expression"), (3, "use of undeclared identifier 'y'")]
    assert len(shown) >= 3
    assert "    int x = ;\n                ^" in str(caught.value)


def test_missing_include_says_how_to_pass_its_folder(lower: Lower, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'mine\.h' file not found; pass the folder that has it with -I"):
        lower('#include "mine.h"\nint main(void) { return N; }')
    folder = tmp_path / "inc"
    folder.mkdir()
    (folder / "mine.h").write_text("#define N 3\n")
    assert read_program(tmp_path / "p.c", ReadOptions(include=(str(folder),))).entry == "main"


def test_missing_file_entry_and_data_model(lower: Lower, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_program(tmp_path / "none.c")
    with pytest.raises(InputError, match="no function 'main' to start from; did you mean 'mian'"):
        lower("int mian(void) { return 0; }")
    with pytest.raises(UsageError, match="ILP32 or LP64"):
        lower("int main(void) {}", data_model="ILP64")
    assert lower("int start(void) { return 0; }", entry="start").main.name == "start"


def test_defines(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) { return N; }")
    program = read_program(path, ReadOptions(defines=("N=4",)))
    assert str(program.main.cfa.edges[0].label) == "return 4"


def test_files_of_one_program_keep_static_names_apart(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("struct s { int x; }; extern struct s shared; int other(void);\n")
    (tmp_path / "a.c").write_text(
        '#include "h.h"\nstatic int count = 1; static int step(void) { return count; }\n'
        "int main(void) { shared.x = step(); return other(); }"
    )
    (tmp_path / "b.c").write_text(
        '#include "h.h"\nstruct s shared = { 7 }; static int count = 2; static int step(void) { return count; }\n'
        "int other(void) { return step(); }"
    )
    program = read_program([tmp_path / "a.c", tmp_path / "b.c"])
    assert set(program.functions) == {"main", "other", "step@a.c", "step@b.c"}
    assert {str(g.variable): g.external for g in program.globals} == {
        "shared": False,
        "count@a.c": False,
        "count@b.c": False,
    }
    assert "$t1 = step@b.c()" in str(program.functions["other"])


def test_static_variables_without_an_initialiser_are_kept_apart(tmp_path: Path) -> None:
    """Tentative definitions of two files were one variable: a list of the one file was lost in that of the other."""
    (tmp_path / "a.c").write_text(
        "static int *head; static void step(void); int other(void);\n"
        "void step(void) { head = 0; }\nint main(void) { step(); return other(); }"
    )
    (tmp_path / "b.c").write_text(
        "static int *head; static void step(void);\n"
        "void step(void) { head = 0; }\nint other(void) { step(); return !head; }"
    )
    program = read_program([tmp_path / "a.c", tmp_path / "b.c"])
    assert set(program.functions) == {"main", "other", "step@a.c", "step@b.c"}
    assert {str(g.variable) for g in program.globals} == {"head@a.c", "head@b.c"}


def test_a_static_name_is_not_that_of_a_declaration_in_another_file(tmp_path: Path) -> None:
    """The unknown function `step` of b.c was the static one of a.c, and `count` its variable."""
    (tmp_path / "a.c").write_text(
        "static int count = 1; static int step(void) { return count; }\nint other(void);\n"
        "int main(void) { return step() + other(); }"
    )
    (tmp_path / "b.c").write_text("extern int count; int step(void);\nint other(void) { return step() + count; }")
    program = read_program([tmp_path / "a.c", tmp_path / "b.c"])
    assert "step@a.c" in program.functions
    assert {str(g.variable) for g in program.globals} == {"count@a.c", "count"}


@pytest.mark.parametrize(
    ("declared", "defined", "is_one"),
    [
        ("int *shared", "int shared[4]", False),
        ("long shared", "char shared", False),
        ("unsigned char shared", "signed char shared", False),
        ("struct { int a; } shared", "struct { int a, b; } shared", False),
        ("struct s { int a, b; } shared", "struct s { int b, a; } shared", False),
        ("struct s { int a : 3, b : 5; } shared", "struct s { int a : 5, b : 3; } shared", False),
        ("struct s { int a, b; } shared[2]", "struct s { int b, a; } shared[2]", False),
        ("struct s { struct s *next; int a; } shared", "struct s { void *next; int a; } shared", True),
        ("union u { int a; char b[4]; } shared", "union u { char b[4]; int a; } shared", True),
        ("int shared[]", "int shared[4]", True),
        ("struct s *shared", "struct t *shared", True),
        ("unsigned long long shared", "unsigned long shared", True),
    ],
)
def test_a_variable_has_one_type_in_all_files(declared: str, defined: str, is_one: bool, tmp_path: Path) -> None:
    """Where another file declares it as something else, its bytes were taken for those of the definition."""
    (tmp_path / "a.c").write_text(f"extern {declared}; int main(void) {{ return sizeof shared + (&shared != 0); }}")
    (tmp_path / "b.c").write_text(f"{defined};")
    if "[]" in declared:
        (tmp_path / "a.c").write_text(f"extern {declared}; int main(void) {{ return shared[0]; }}")
    program = read_program([tmp_path / "a.c", tmp_path / "b.c"])
    unsupported = [e.label for e in program.main.cfa.edges if isinstance(e.label, Unsupported)]
    assert (not unsupported) == is_one


def test_static_names_of_models_are_their_own(tmp_path: Path) -> None:
    """A static variable or function of a file of models was that of the program with the same name."""
    (tmp_path / "a.c").write_text(
        "static int count = 1; static int step(void) { return count; }\nint other(void);\n"
        "int main(void) { return step() + other(); }"
    )
    (tmp_path / "m.c").write_text(
        "static int count; static int step(void) { return ++count; }\nint other(void) { return step(); }"
    )
    program = read_program(tmp_path / "a.c", ReadOptions(models=(str(tmp_path / "m.c"),)))
    assert {"main", "other", "step@a.c", "step@m.c"} <= set(program.functions)
    assert {str(g.variable) for g in program.globals} >= {"count@a.c", "count@m.c"}
    assert "step@m.c()" in str(program.functions["other"])


def test_function_defined_in_two_files(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("int main(void) { return 0; }")
    with pytest.raises(InputError, match="also defined in"):
        read_program([tmp_path / "a.c", tmp_path / "b.c"])


def test_variable_defined_in_two_files(tmp_path: Path) -> None:
    """Two initial values of one variable were accepted, and the last one was used."""
    (tmp_path / "a.c").write_text("int count = 1; int main(void) { return count; }")
    (tmp_path / "b.c").write_text("int count = 2;")
    with pytest.raises(InputError, match="variable 'count' is also defined in"):
        read_program([tmp_path / "a.c", tmp_path / "b.c"])


@pytest.mark.parametrize("order", [("a.c", "b.c"), ("b.c", "a.c")])
def test_a_weak_definition_gives_way(order: tuple[str, str], tmp_path: Path) -> None:
    """The last definition was used, also if it was the weak one; a weak one before the other was refused."""
    (tmp_path / "a.c").write_text("int f(void) { return 1; } int count = 1; int main(void) { return f() + count; }")
    (tmp_path / "b.c").write_text(
        "__attribute__((weak)) int f(void) { return 2; } __attribute__((weak)) int count = 2;"
    )
    program = read_program([tmp_path / name for name in order])
    assert "return 1" in str(program.functions["f"])
    assert [str(a.value) for g in program.globals for a in g.initial] == ["1"]


def test_preprocessed_files(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(
        "#include <stdlib.h>\n#include <assert.h>\nint main(void) { int *p = malloc(4); assert(p); return 0; }"
    )
    target = tmp_path / "p.i"
    result = subprocess.run(["gcc", "-E", str(source), "-o", str(target)], check=False)
    if result.returncode:
        pytest.skip("no gcc")
    program = read_program(target)
    shown = [str(e.label) for e in program.main.cfa.edges]
    assert "p = malloc(4ul)" in shown or "p = malloc(4u)" in shown
    assert any(text.startswith("error assertion") for text in shown)


def test_library_functions_get_bodies(lower: Lower) -> None:
    program = lower('#include <string.h>\nint main(void) { return strcmp(strdup("a"), "b"); }')
    assert {"strcmp", "strdup", "strlen", "strcpy"} <= set(program.functions)
    own = lower("int abs(int x) { return 1; } int main(void) { return abs(-2); }")
    assert str(own.functions["abs"].cfa.edges[0].label) == "return 1"


def test_a_pointer_into_a_result_is_not_supported(lower: Lower) -> None:
    """The result of a call ends with its expression: a pointer to its array was followed for ever."""
    head = "struct box { int n[3]; };\nstruct box make(void) { struct box b = {{1, 2, 3}}; return b; }\n"
    for use in ("int *p = make().n; return *p;", "int *p = &make().n[1]; return *p;"):
        (problem,) = lower(f"{head}int main(void) {{ {use} }}").unsupported_operations()
        assert problem.reason.startswith("a pointer into the result of a call")
    for use in ("return make().n[1];", "struct box b = make(); int *p = b.n; return *p;"):
        assert not lower(f"{head}int main(void) {{ {use} }}").unsupported_operations()


def test_sscanf_writes_as_many_bytes_as_its_format_says(lower: Lower) -> None:
    head = "extern int sscanf(const char *, const char *, ...);\n"
    for kind, format_, right in (
        ("int", "%d", True),
        ("short", "%d", False),
        ("short", "%hd", True),
        ("int", "%lld", False),
    ):
        program = lower(f'{head}int main(void) {{ {kind} x = 0; return sscanf("12", "{format_}", &x); }}')
        assert right == (not program.unsupported_operations())


def test_sscanf_does_what_c_says_only(lower: Lower) -> None:
    """A width of 0 never matched, and a range that runs backwards had no characters: both were proved to end there."""
    head = "extern int sscanf(const char *, const char *, ...);\n"
    for format_, right in (
        ("%2d", True),
        ("%0d", False),
        ("%*[a-z]%d", True),
        ("%*[z-a]%d", False),
        ("%*[]-]%d", True),
    ):
        program = lower(f'{head}int main(void) {{ int x = 0; return sscanf("12", "{format_}", &x); }}')
        assert right == (not program.unsupported_operations()), format_


def test_unsupported_constructs_are_listed_with_their_places(lower: Lower) -> None:
    program = lower('static void nothing(void) {\n  __asm__("cli"); }\nint main(void) { nothing(); return 0; }')
    assert [(u.place.line, u.reason) for u in program.unsupported_operations()] == [(2, "inline assembly")]


def test_old_style_c_is_accepted(lower: Lower) -> None:
    program = lower("g(a) int a; { return h(a); } h(x) int x; { return x; } main() { return g(1); }")
    assert set(program.functions) == {"g", "h", "main"}


def test_two_local_records_of_one_name(lower: Lower) -> None:
    program = lower(
        "void f(void) { struct s { int a; } x; x.a = 1; } int main(void) { struct s { char b[9]; } y; y.b[0] = 1; }"
    )
    assert sorted(name for name in program.records if name.startswith("struct s")) == ["struct s", "struct s#2"]


def test_an_object_that_its_initialiser_makes_larger_is_not_known(lower: Lower) -> None:
    """Its flexible array member was taken for empty, and a read of it for an error."""
    program = lower("struct s { int n; int d[]; } g = { 2, { 1, 2 } }; int main(void) { return g.d[1]; }")
    assert [g.external for g in program.globals] == [True]


def test_a_long_chain_of_operators_is_read_to_its_end(lower: Lower) -> None:
    program = lower(f"int main(void) {{ int x = 1; return {' + '.join(['x'] * 2000)}; }}")
    assert not program.unsupported_operations()
    (value,) = [e.label.value for e in program.main.cfa.edges if isinstance(e.label, Return) and e.label.value]
    assert sum(isinstance(node, Variable) for node in walk(value)) == 2000


def test_what_libclang_does_not_pass_on_is_raised() -> None:
    """An exception in a callback is dropped by ctypes: the cursors that follow would be missing."""
    callback = ctypes.CFUNCTYPE(ctypes.c_int)

    def fails() -> int:
        raise RecursionError("too deep")

    with pytest.raises(RecursionError, match="too deep"), raise_from_callbacks():
        callback(fails)()


CALLBACKS = """
struct pair { int a, b; };
struct table { unsigned (*hash)(const void *); void (*drop)(void *); struct pair (*split)(const void *); };
static unsigned hash(const void *p) { return p != 0; }
static void drop(void *p) { (void)p; }
static struct pair split(const void *p) { struct pair q = { 1, 2 }; return q; }
static struct table table = { hash, drop, split };
int main(void) {
    struct table *t = &table;
    t->drop(t);
    struct pair q = t->split(t);
    return t->hash(t) + q.a;
}
"""


def test_a_call_whose_value_is_used_reaches_no_function_without_such_a_value(lower: Lower) -> None:
    """The function that frees was a target where a hash was wanted: 'a function that ... returns void'."""
    program = lower(CALLBACKS)
    calls = [e.label for e in program.main.cfa.edges if isinstance(e.label, Call)]
    assert [program.targets(call) for call in calls] == [("drop",), ("split",), ("hash",)]
    casts = CALLBACKS.replace("{ hash, drop, split }", "{ hash, (void (*)(void *))hash, split }")
    program = lower(casts)
    calls = [e.label for e in program.main.cfa.edges if isinstance(e.label, Call)]
    assert [program.targets(call) for call in calls] == [("hash",), ("split",), ("hash",)]


def test_a_function_that_a_macro_makes_inline_is_defined_in_two_files(tmp_path: Path) -> None:
    header = "#define OURS inline\n#define PURE __attribute__((pure))\nPURE OURS int one(void) { return 1; }\n"
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(header + "int f(void) { return one(); }\n")
    second.write_text(header + "int f(void);\nint main(void) { return f() - one(); }\n")
    assert {"one", "f", "main"} <= set(read_program([str(first), str(second)]).functions)
    first.write_text(header.replace("OURS inline", "OURS") + "int f(void) { return one(); }\n")
    second.write_text(header.replace("OURS inline", "OURS") + "int f(void);\nint main(void) { return f() - one(); }\n")
    with pytest.raises(InputError, match="also defined"):
        read_program([str(first), str(second)])

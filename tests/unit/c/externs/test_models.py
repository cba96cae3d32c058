"""Functions without a body that have models: given ones, those in files, attributes, allocators behind pointers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c.externs.checked import checked

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.operations import Exit, Free, Unsupported
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.diagnostics import UsageError

LIST = """
#include <stdlib.h>
struct node { struct node *next; int value; };
extern int __VERIFIER_nondet_int(void);
static struct node *push(struct node *list) {
    struct node *node = ALLOC(sizeof *node);
    if (node == NULL)
        return list;
    node->next = list;
    node->value = 0;
    return node;
}
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int())
        list = push(list);
    while (list != NULL) {
        struct node *next = list->next;
        FREE(list);
        list = next;
    }
    return 0;
}
"""


def test_models_of_functions(tmp_path: Path) -> None:
    text = "void *get(unsigned long);\nvoid put(void *);\n#define ALLOC get\n#define FREE put\n" + LIST
    report = checked(text, tmp_path, extern=("get=alloc", "put=free"))
    assert report.verdict is Verdict.TRUE
    assert [(a.name, a.model, a.given) for a in report.assumptions] == [("get", "alloc", True), ("put", "free", True)]
    leaking = checked(text, tmp_path, extern=("get=alloc", "put=pure"))
    assert leaking.properties["memsafety"] is Verdict.FALSE


def test_models_in_a_file(tmp_path: Path) -> None:
    text = "void *get(unsigned long);\nvoid put(void *);\n#define ALLOC get\n#define FREE put\n" + LIST
    models = tmp_path / "models.c"
    models.write_text(
        "#include <stdlib.h>\nstatic int count;\nvoid *get(unsigned long n) { count++; return malloc(n); }\n"
        "void put(void *p) { count--; free(p); }\n"
    )
    report = checked(text, tmp_path, models=(str(models),))
    assert report.verdict is Verdict.TRUE
    assert [(a.name, a.model, a.given) for a in report.assumptions] == [("get", "model", True), ("put", "model", True)]


VARIABLES = """
#include <stdlib.h>
extern void *(*get)(size_t);
extern void (*put)(void *);
extern int limit, other;
int own = 3;
int main(void) {
    int *p = get(4);
    if (p) *p = limit;
    put(p);
    if (other) own = 0;
    return own == 3 && limit == 4 ? 0 : *(int *)0; }
"""


VALUES = """
#include <stdlib.h>
void *(*get)(size_t) = malloc;
void (*put)(void *) = free;
int limit = 4, own = 5;
int other;
"""


def test_variables_in_a_file_of_models(tmp_path: Path) -> None:
    """Their initial values were lost: a call through such a pointer was one through NULL (a wrong FALSE)."""
    text, models = VARIABLES, tmp_path / "models.c"
    models.write_text(VALUES)
    report = checked(text, tmp_path, models=(str(models),))
    assert report.verdict is Verdict.TRUE
    assert [(a.name, a.given) for a in report.assumptions] == [
        (name, True) for name in ("get", "put", "limit", "other")
    ]
    open_ = checked(text, tmp_path)
    assert open_.verdict is Verdict.UNKNOWN
    assert "get is declared and not defined; define it in a file of models: --models FILE.c" in open_.reason


def test_functions_that_unknown_code_gives(tmp_path: Path) -> None:
    """The reason names the function that gives the pointer, and a model of it decides the program."""
    text = """
    typedef int (*order)(const void *, const void *);
    extern order get_order(void);
    int main(void) {
        int a = 1, b = 2;
        order by = get_order();
        return by(&a, &b) > 0;
    }
    """
    report = checked(text, tmp_path)
    assert report.verdict is Verdict.UNKNOWN
    assert "get_order may give one; define it: --models FILE.c" in report.reason
    assert not report.advice
    models = tmp_path / "models.c"
    models.write_text(
        "typedef int (*order)(const void *, const void *);\n"
        "static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n"
        "order get_order(void) { return by_value; }\n"
    )
    assert checked(text, tmp_path, models=(str(models),)).verdict is Verdict.TRUE


def test_allocators_in_a_struct(tmp_path: Path) -> None:
    """Only `free` was known as the target of a pointer to a function."""
    hooks = "static struct { void *(*get)(size_t); void (*put)(void *); } hooks = { malloc, free };\n"
    text = LIST.replace("struct node {", hooks + "struct node {", 1)
    text = "#define ALLOC hooks.get\n#define FREE hooks.put\n" + text
    assert checked(text, tmp_path).verdict is Verdict.TRUE


DECLARED = {
    "void out(int) __attribute__((noreturn));": Exit,
    "_Noreturn void out(int);": Exit,
}


@pytest.mark.parametrize("declaration", DECLARED)
def test_attributes_are_models(declaration: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"{declaration}\nint main(void) {{ out(1); return 0; }}\n")
    labels = [edge.label for edge in read_program([path]).main.cfa.edges]
    assert isinstance(labels[0], DECLARED[declaration])


def test_bad_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) { return 0; }\n")
    for text, message in (("f", "is no model"), ("f=pur", "did you mean 'pure'"), ("=pure", "is no model")):
        with pytest.raises(UsageError, match=message):
            read_program([path], ReadOptions(extern=(text,)))


def test_a_function_gets_more_arguments_through_a_pointer_of_another_type(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        "#include <stdlib.h>\ntypedef void (*each)(void *, void *);\n"
        "static void run(void *p, void (*f)(void *)) { each g = (each)f; g(p, 0); }\n"
        "int main(void) { run(malloc(3), free); return 0; }\n"
    )
    program = read_program([path])
    assert isinstance(program.functions["free"].cfa.edges[0].label, Free)
    report = check([str(path)], check_options(timeout=20.0))
    assert report.verdict is Verdict.TRUE


VARIADIC = """
#include <stdarg.h>
static int pick(int n, ...) {
    va_list list;
    va_start(list, n);
    int value = 0;
    while (n-- > 0)
        value = va_arg(list, KIND);
    va_end(list);
    return value;
}
int main(void) { return pick(2, 3, 4) == 4 ? 0 : *(int *)0; }
"""


def test_variable_arguments(tmp_path: Path) -> None:
    assert checked(VARIADIC.replace("KIND", "int"), tmp_path).verdict is Verdict.TRUE
    other = checked(VARIADIC.replace("= va_arg(list, KIND)", "= *va_arg(list, int *)"), tmp_path)
    assert other.verdict is Verdict.UNKNOWN
    more = checked(VARIADIC.replace("KIND", "int").replace("pick(2,", "pick(3,"), tmp_path)
    assert more.verdict is Verdict.UNKNOWN


def test_what_cannot_be_modelled_is_not_silent(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int on_exit(void (*f)(int, void *), void *);\nint main(void) { on_exit(0, 0); return 0; }\n")
    assert [o.reason for o in read_program([path]).unsupported_operations()] == [
        "on_exit: functions that run at the exit are not followed"
    ]
    assert any(isinstance(e.label, Unsupported) for e in read_program([path]).main.cfa.edges)


def test_output_of_some_characters(tmp_path: Path) -> None:
    """`%.3s` was not supported: it reads three characters, not the text to its end."""
    text = '#include <stdio.h>\nint main(void) { char b[3] = { 97, 98, 99 }; printf("%.3s %5.*s", b, 2, b); return 0; }'
    assert checked(text, tmp_path).verdict is Verdict.TRUE
    assert checked(text.replace("%.3s", "%.4s"), tmp_path).verdict is Verdict.FALSE


def test_a_model_for_no_function_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped name was ignored without a word."""
    path = tmp_path / "p.c"
    path.write_text("int get(void);\nint main(void) { return get(); }\n")
    run_main(["check", "--extern", "gte=pure", "--extern", "get=pure", str(path)])
    shown = capsys.readouterr().err
    assert "kleene: note: --extern gte: no such function without a body is used; did you mean 'get'?" in shown
    assert "--extern get:" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "__attribute__((weak)) int work(void) { return 1; }\nint main(void) { assert(work && work() == 1); return 0; }",
        'int work(void) __asm__("other");\nint work(void) { return 1; }\n'
        "int main(void) { assert(work() == 1); return 0; }",
        'extern int get(int) __asm__("get64");\nint main(void) { int x = 1; get(x); assert(x == 1); return 0; }',
        "static int n; void change(void) { n = 1; }\n"
        'static void work(void) __attribute__((weakref("change")));\n'
        "int main(void) { if (work) work(); assert(n == 1); return 0; }",
    ],
)
def test_names_of_the_linker(text: str, tmp_path: Path) -> None:
    """Right neighbours of `tests/unsafe_c/names`: weak names that are defined, and labels that name nothing else."""
    assert checked(f"#include <assert.h>\n{text}\n", tmp_path).verdict is Verdict.TRUE


def test_a_weak_function_with_a_model(tmp_path: Path) -> None:
    text = "extern int work(void) __attribute__((weak));\nint main(void) { return work ? work() : 0; }\n"
    report = checked(text, tmp_path)
    assert report.properties["memsafety"] is Verdict.UNKNOWN
    assert "'work' is weak and no file defines it" in report.reason
    assert checked(text, tmp_path, extern=("work=pure",)).verdict is Verdict.TRUE
    (tmp_path / "models.c").write_text("int work(void) { return 1; }\n")
    assert checked(text, tmp_path, models=(str(tmp_path / "models.c"),)).verdict is Verdict.TRUE

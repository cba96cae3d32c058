"""Functions without a body: models, assumptions, allocators behind pointers, variable arguments."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from tests.exact_phases import without_exact_phases

from kleene.analysis.c import strategy
from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.operations import Exit, Free, Unsupported
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.diagnostics import UsageError
from kleene.results.check import CheckReport

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


def checked(text: str, folder: Path, **options: object) -> CheckReport:
    path = folder / "p.c"
    path.write_text(text)
    return check([str(path)], check_options(timeout=20.0, **options))


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


def test_an_unknown_function_is_listed_and_does_not_end_the_search(tmp_path: Path) -> None:
    text = (
        "#include <stdlib.h>\nvoid look(void *);\nint main(void) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
        "  look(p);\n  free(p);\n  *p = 1;\n  return 0;\n}\n"
    )
    report = checked(text, tmp_path)
    assert report.verdict is Verdict.FALSE
    assert [f.line for f in report.findings if f.confirmed] == [8]
    assert [a.model for a in report.assumptions] == ["unknown"]


def test_the_advice_names_an_option(tmp_path: Path) -> None:
    text = (
        "#include <stdlib.h>\nvoid look(void *);\nint main(void) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
        "  look(p);\n  free(p);\n  return 0;\n}\n"
    )
    report = checked(text, tmp_path)
    assert report.verdict is Verdict.UNKNOWN
    assert "--extern look=pure" in report.reason
    assert not [f for f in report.findings if f.kind == "memory_leak"]  # a leak was suspected at the call
    assert checked(text, tmp_path, extern=("look=pure",)).verdict is Verdict.TRUE


def test_the_advice_names_the_limit_that_was_reached() -> None:
    """FESA would prove a list whatever the limit is."""
    path = Path(__file__).parents[3] / "examples" / "c" / "trees" / "red_black.c"
    report = check([str(path)], check_options(timeout=2.0, max_structures=5))
    assert "more than 5 structures" in report.reason and "--max-structures" in report.advice


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


EXTERNAL = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
extern struct node e;
%s
int main(void) { while (__VERIFIER_nondet_int()) ; if (p%s == 3) assert(0); return 0; }
"""


@pytest.mark.parametrize("domain", ["all", "fesa"])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("struct node *p = &e;", "->data"),
        ("int *p = &e.data;", "[0]"),
        ("struct node own = {&e, 0}; struct node *p = &own;", "->next->data"),
    ],
)
def test_a_variable_of_another_file_behind_a_pointer(tmp_path: Path, text: str, value: str, domain: str) -> None:
    """A variable that only the initial value of another one names was taken to be zero: a wrong TRUE."""
    path = tmp_path / "external.c"
    path.write_text(EXTERNAL % (text, value))
    report = check([str(path)], check_options(domain=domain, timeout=20.0))
    assert report.properties["assert"] is Verdict.UNKNOWN


def test_a_variable_of_another_file_that_nothing_uses(tmp_path: Path) -> None:
    path = tmp_path / "external.c"
    path.write_text(EXTERNAL % ("struct node *unused = &e; int p;", ""))
    report = check([str(path)], check_options(timeout=20.0))
    assert report.properties["assert"] is Verdict.TRUE


LOOKUP = """
#include <stdlib.h>
struct entry { int value; };
struct entry *lookup(int key);
int main(void) {
    struct entry *kept[1] = { lookup(3) };
    struct entry *entry = kept[0];
    BODY
    return 0;
}
"""


def test_null_of_unknown_code_is_only_possible(tmp_path: Path) -> None:
    """A null pointer that nothing but the model of unknown code returned was a confirmed error."""
    report = checked(LOOKUP.replace("BODY", "return entry->value;"), tmp_path)
    assert report.properties["memsafety"] is Verdict.UNKNOWN
    messages = [f.message for f in report.findings if f.kind == "null_dereference"]
    assert messages and not any(f.confirmed for f in report.findings)
    assert "lookup()" in messages[0] and "--extern" in messages[0]
    assert "--extern" in report.reason
    given = checked(LOOKUP.replace("BODY", "return entry->value;"), tmp_path, extern=("lookup=nondet",))
    assert given.properties["memsafety"] is Verdict.FALSE


@pytest.mark.parametrize(
    "body",
    [
        "if (entry == NULL) { int *p = NULL; return *p; }",
        "if (!entry) { free(entry); entry = realloc(entry, 4); free(entry); free(entry); }",
        "struct entry *none = NULL; if (entry == none && (unsigned long)entry == 0) return *(int *)none;",
        "if (entry != lookup(4)) return *(int *)NULL;",
    ],
)
def test_other_errors_behind_unknown_code_are_confirmed(tmp_path: Path, body: str) -> None:
    """The result is NULL like any other: it is compared, freed and reallocated, and its own errors are confirmed."""
    report = checked(LOOKUP.replace("BODY", body), tmp_path, malloc_may_fail=False)
    assert report.properties["memsafety"] is Verdict.FALSE


PUSH = """
#include <errno.h>
#include <stdlib.h>
struct node { struct node *next; void *value; };
static int push(struct node **list, void *value) {
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return -errno;
    node->value = value;
    node->next = *list;
    *list = node;
    return 0;
}
extern int __VERIFIER_nondet_int(void);
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        void *value = malloc(4);
        BETWEEN
        if (value && push(&list, value) < 0)
            free(value);
    }
    while (list != NULL) {
        struct node *next = list->next;
        free(list->value);
        free(list);
        list = next;
    }
    return 0;
}
"""


def test_errno_behind_an_allocation_that_fails(tmp_path: Path) -> None:
    """`errno` was any number, so that a block seemed to be lost where ``return -errno`` tells that memory is short."""
    assert checked(PUSH.replace("BETWEEN", ""), tmp_path).verdict is Verdict.TRUE
    wrong = PUSH.replace("BETWEEN", "").replace("< 0)", "< -ENOMEM)")
    assert checked(wrong, tmp_path).verdict is Verdict.FALSE


def test_the_advice_names_the_function_whose_result_is_unknown(tmp_path: Path) -> None:
    """It was to try refinement or a contract; a variable was called a function."""
    report = checked("int *get(void);\nint main(void) { int *p = get(); return p ? *p : 0; }\n", tmp_path)
    assert report.advice == "say what it gives: --extern get=alloc or another model, or --models FILE.c"
    report = checked("extern int *kept;\nint main(void) { return kept ? *kept : 0; }\n", tmp_path)
    assert "access to the value of the variable kept" in report.reason
    assert report.advice == "say what it gives: --models FILE.c"


def test_a_model_for_no_function_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped name was ignored without a word."""
    path = tmp_path / "p.c"
    path.write_text("int get(void);\nint main(void) { return get(); }\n")
    run_main(["check", "--extern", "gte=pure", "--extern", "get=pure", str(path)])
    shown = capsys.readouterr().err
    assert "kleene: note: --extern gte: no such function without a body is used; did you mean 'get'?" in shown
    assert "--extern get:" not in shown


PASSED = """
#include <stdlib.h>
struct node { struct node *next; };
void keep(struct node *);
int main(void) {
    struct node *n = calloc(1, sizeof *n);
    if (!n) return 0;
    keep(n);
    BODY
    return 0;
}
"""


@pytest.mark.parametrize(
    ("body", "extern", "leaks"),
    [
        ("", (), False),
        ("n->next = malloc(sizeof *n);", (), False),
        ("free(n);", (), False),
        ("", ("keep=pure",), True),
        ("n = malloc(sizeof *n);", (), True),
    ],
    ids=["lost", "with another", "freed", "by a given model", "another one"],
)
def test_a_block_that_unknown_code_may_keep_is_not_lost(
    body: str, extern: tuple[str, ...], leaks: bool, tmp_path: Path
) -> None:
    """Handing an element to a container of another library was a confirmed leak."""
    report = checked(PASSED.replace("BODY", body), tmp_path, extern=extern)
    assert leaks == any(f.kind == "memory_leak" for f in report.findings if f.confirmed)
    assert leaks or "--extern keep=pure" in report.reason


OUTPUTS = """
#include <stdlib.h>
struct buffer { int *data; int length; struct { int *rest; } in; };
void fill(struct buffer *b);
void fill_any(void *b);
void set(int **p);
int main(void) {
    BODY
    return 0;
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "int *p; set(&p); *p = 1;",
        "int *p = NULL; set(&p); int *q = p; *q = 1;",
        "struct buffer b; fill(&b); b.data[0] = 1;",
        "struct buffer b = {0}; fill_any(&b); b.data[0] = 1;",
        "struct buffer b = {0}; fill(&b); *b.in.rest = 1;",
        "struct buffer *b = calloc(1, sizeof *b); if (!b) return 1; fill(b); *b->data = 1; free(b);",
    ],
)
def test_pointers_that_unknown_code_may_have_written(tmp_path: Path, body: str) -> None:
    """Output parameters: before, the null pointer before the call was a finding after it."""
    report = checked(OUTPUTS.replace("BODY", body), tmp_path)
    assert report.properties["memsafety"] is Verdict.UNKNOWN
    assert not any(finding.confirmed for finding in report.findings)


@pytest.mark.parametrize(
    "body",
    [
        "int *p; set(&p); p = NULL; *p = 1;",
        "int *p = NULL; *p = 1; set(&p);",
        "int x, *p = &x, *q = NULL; set(&p); *q = 1;",
        "struct buffer *b = calloc(1, sizeof *b); if (!b) return 1; fill(b); free(b); *b->data = 1;",
        "struct buffer *b = calloc(1, sizeof *b); if (!b) return 1; fill(b); b->data = NULL; *b->data = 1;",
    ],
)
def test_errors_that_unknown_code_has_no_part_in(tmp_path: Path, body: str) -> None:
    report = checked(OUTPUTS.replace("BODY", body), tmp_path)
    assert report.properties["memsafety"] is Verdict.FALSE


def test_globals_that_only_unknown_code_is_given(tmp_path: Path) -> None:
    """The path formulas leave out globals that nothing names any more; the call of unknown code still does."""
    text = """
    struct ops { int (*compare)(int *, int *); };
    struct tree { int *root; };
    void init(struct tree *, const struct ops *);
    static int compare(int *a, int *b) { return *a - *b; }
    static const struct ops ops = { compare };
    int main(void) { struct tree t; init(&t, &ops); *t.root = 1; return 0; }
    """
    report = checked(text, tmp_path)
    assert report.properties["memsafety"] is Verdict.UNKNOWN


def test_files_that_are_not_read_are_the_reason(tmp_path: Path) -> None:
    """Before, the first call of a function in such a file was the reason, and every block a possible leak."""
    client, library = tmp_path / "client.c", tmp_path / "library.c"
    client.write_text("void *make(void);\nint main(void) { int *p = make(); *p = 1; return 0; }\n")
    library.write_text('#include <stdlib.h>\n#include "config.h"\nvoid *make(void) { return malloc(4); }\n')
    report = check([str(client), str(library)], check_options(timeout=20.0))
    assert report.reason.startswith(f"not all files are read: {library}:2:10: 'config.h' file not found")
    assert "repair the errors" in report.advice
    assert not report.findings


def test_unknown_code_does_not_change_the_standard_streams(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    #include <stdlib.h>
    int log_it(int n);
    int main(void) {
        int *p = malloc(4);
        if (p) *p = getchar();
        log_it(3);
        if (stdin != NULL) free(p);
        else free(p);
        return 0;
    }
    """
    report = checked(text, tmp_path)
    assert report.properties["memsafety"] is Verdict.TRUE


def test_a_struct_that_no_file_defines(tmp_path: Path) -> None:
    """Before, the reason had no place and no advice."""
    text = "extern struct node { struct node *left; } nil;\nint main(void) { return nil.left == &nil; }\n"
    report = checked(text, tmp_path)
    assert report.reason.startswith(f"{tmp_path / 'p.c'}:2:5: not supported: the variable nil is declared, and no file")
    assert "--models" in report.reason
    (tmp_path / "models.c").write_text("struct node { struct node *left; } nil = { &nil };\n")
    assert checked(text, tmp_path, models=(str(tmp_path / "models.c"),)).verdict is Verdict.TRUE


def test_errno_is_no_assumption(tmp_path: Path) -> None:
    report = checked("#include <errno.h>\nint main(void) { errno = 0; return errno; }\n", tmp_path)
    assert report.assumptions == ()


WRITES = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct box { int count; int *numbers; };
TYPE
int main(void) {
    int three[3] = {0, 0, 0}, *block = malloc(sizeof *block);
    struct box *box = malloc(sizeof *box);
    int *numbers = calloc(3, sizeof *numbers);
    if (!block || !box || !numbers) abort();
    box->count = 0;
    box->numbers = NULL;
    CALL
    if (FACT) free(block);
    free(block);
    free(box);
    free(numbers);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("type_", "call", "fact"),
    [
        ("void f(int *n, int count);", "f(three, 3);", "three[2]"),
        ("void f(void *p);", "f(box);", "box->count"),
        ("void f(void *p);", "f(three);", "three[1]"),
        ("void f(int *n, int count);", "f(numbers, 3);", "numbers[2]"),
        ("void f(int *n);", "f(&box->count);", "box->count"),
    ],
)
def test_what_nondet_writes_is_not_known(type_: str, call: str, fact: str, tmp_path: Path) -> None:
    """All but the last one were proved: only what the type of the pointer points to was written."""
    text = WRITES.replace("TYPE", type_).replace("CALL", call).replace("FACT", fact)
    with patch.object(strategy, "PHASES", without_exact_phases()):
        report = checked(text, tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is not Verdict.TRUE


def test_what_nondet_does_not_write_stays(tmp_path: Path) -> None:
    text = WRITES.replace("TYPE", "void f(int *n, int count);").replace("CALL", "f(three, 3);")
    report = checked(text.replace("FACT", "box->count"), tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is Verdict.TRUE


MEMBERS = """
#include <stdlib.h>
struct box { int *pointers[2]; int numbers[3]; int *one; };
TYPE
int main(void) {
    int value = 0, *block = malloc(sizeof *block);
    struct box here = {{&value, &value}, {0, 0, 0}, &value}, *box = malloc(sizeof *box), boxes[2];
    if (!block || !box) abort();
    *box = boxes[0] = boxes[1] = here;
    CALL
    if (FACT) free(block);
    free(block);
    free(box);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("type_", "call", "fact"),
    [
        ("void f(int *n);", "f(here.numbers);", "here.numbers[2]"),
        ("void f(int *n);", "f(here.numbers + 1);", "here.numbers[2]"),
        ("void f(int *n);", "f(box->numbers);", "box->numbers[2]"),
        ("void f(int (*n)[3]);", "f(&box->numbers);", "box->numbers[0]"),
        ("void f(int **p);", "f(here.pointers);", "here.pointers[1] != &value"),
        ("void f(int **p);", "f(&box->pointers[0]);", "box->pointers[1] != &value"),
        ("void f(struct box *b);", "f(boxes);", "boxes[1].numbers[0]"),
        ("void f(struct box *b);", "f(&boxes[0]);", "boxes[1].one != &value"),
    ],
)
def test_nondet_writes_arrays_that_are_members_as_a_whole(type_: str, call: str, fact: str, tmp_path: Path) -> None:
    """All were proved: one element was written, or nothing behind the address of an array."""
    text = MEMBERS.replace("TYPE", type_).replace("CALL", call).replace("FACT", fact)
    with patch.object(strategy, "PHASES", without_exact_phases()):
        report = checked(text, tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is not Verdict.TRUE


@pytest.mark.parametrize("fact", ["here.one != &value", "box->numbers[2]", "boxes[1].numbers[0]"])
def test_nondet_writes_no_other_member(fact: str, tmp_path: Path) -> None:
    text = MEMBERS.replace("TYPE", "void f(int *n);").replace("CALL", "f(here.numbers);").replace("FACT", fact)
    assert checked(text, tmp_path, extern=("f=nondet",)).properties["memsafety"] is Verdict.TRUE


def test_a_call_that_frees_no_pointer(tmp_path: Path) -> None:
    """It was proved: a model `free` without a pointer among the arguments did nothing."""
    text = """#include <stdlib.h>
struct handle { int *block; };
void release(struct handle handle);
int main(void) {
    struct handle handle = { malloc(4) };
    release(handle);
    free(handle.block);
    return 0;
}
"""
    report = checked(text, tmp_path, extern=("release=free",))
    assert report.properties["memsafety"] is Verdict.UNKNOWN
    assert "no argument of this call of release is a pointer" in report.reason


@pytest.mark.parametrize(
    ("declared", "before", "call"),
    [
        ("void work(long number);", "", "work(7);"),
        ("void work(char *bytes);", "char bytes[8]; memcpy(bytes, &value, sizeof value);", "work(bytes);"),
        ("struct opaque *make(void); void work(struct opaque *);", "struct opaque *o = make();", "work(o);"),
        ("union u { long number; double real; }; void work(long);", "union u u = { 1 };", "work(u.number);"),
    ],
)
def test_numbers_that_hide_no_pointer(declared: str, before: str, call: str, tmp_path: Path) -> None:
    """Right neighbours of `tests/unsafe_c/externs`: what these programs pass on leads to none of their objects."""
    text = f"""#include <assert.h>
#include <string.h>
{declared}
int main(void) {{ int value = 1; {before} {call} assert(value == 1); return 0; }}
"""
    assert checked(text, tmp_path).verdict is Verdict.TRUE


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

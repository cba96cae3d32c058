"""Functions and variables without a definition: what is assumed of them, and which errors are shown behind them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c.externs.checked import checked

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict


def test_an_unknown_function_is_listed_and_does_not_end_the_search(tmp_path: Path) -> None:
    text = (
        "#include <stdlib.h>\nvoid look(void *);\nint main(void) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
        "  look(p);\n  free(p);\n  *p = 1;\n  return 0;\n}\n"
    )
    report = checked(text, tmp_path)
    assert report.verdict is Verdict.FALSE
    assert [f.line for f in report.findings if f.confirmed] == [8]
    assert [a.model for a in report.assumptions] == ["unknown"]


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

"""Programs with indices in memory that leave their arrays in some run: none is proved (`relations/stored_numbers`).

In each one a promise that is a little too generous would be a proof: a place that is open on one way, a limit that
changes, a store that is not seen. The shape analysis is asked alone, since exploration would hide a wrong proof.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_clean

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict, kinds_of
from kleene.passes.preparation import Prepared

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
struct e { int to; struct e *next; };
"""
LIMIT = "int n = ANY; if (n <= 0 || n > 100) return 0; "


def nodes(fill: str, use: str = "seen[x->to] = 1;", limit: str = LIMIT) -> str:
    """A list whose nodes have an index of an array, or something else."""
    return f"""int main(void) {{
    {limit}
    char *seen = calloc(n, 1);
    if (!seen) return 0;
    struct e *q = 0;
    while (ANY) {{
        struct e *x = malloc(sizeof *x);
        if (!x) break;
        {fill}
        x->next = q;
        q = x;
    }}
    while (q) {{ struct e *x = q; q = q->next; {use} free(x); }}
    free(seen);
    return 0;
}}"""


def unions(fill: str) -> str:
    """An array in which each element leads to another one."""
    return f"""int main(void) {{
    {LIMIT}
    int *p = malloc(n * sizeof *p);
    if (!p) return 0;
    {fill}
    while (ANY) {{
        int a = ANY, b = ANY;
        if (a < 0 || a >= n || b < 0 || b >= n) continue;
        while (p[a] != a) a = p[a];
        p[a] = b;
    }}
    free(p);
    return 0;
}}"""


def records(
    fill: str = "x->n = 0;", use: str = "if (x->n < 4) x->a[x->n++] = 1;", members: str = "int n, a[4];"
) -> str:
    """A list whose nodes have an array, and the number of its elements that are used."""
    return f"""struct r {{ {members} struct r *next; }};
int main(void) {{
    struct r *q = 0;
    while (ANY) {{
        struct r *x = q;
        if (!x || ANY) {{
            x = malloc(sizeof *x);
            if (!x) break;
            {fill}
            x->next = q;
            q = x;
        }} else {{
            while (x->next && ANY) x = x->next;
        }}
        {use}
    }}
    while (q) {{ struct r *x = q; q = q->next; free(x); }}
    return 0;
}}"""


def tables(members: str, store: str, use: str = "s[t[i].a[j]]", dimensions: str = "[3]", start: str = "") -> str:
    """An array of structs or unions with arrays in them, and one number that is too large in some elements."""
    kind = "union" if members.startswith("|") else "struct"
    return f"""{kind} r {{ {members.removeprefix("|")} }} t{dimensions};
int main(void) {{
    {start}
    char s[8] = {{0}};
    int i = ANY, j = ANY;
    if (i < 0 || i > 1 || j < 0 || j > 3)
        return 0;
    {store}
    return {use};
}}"""


PAIR = "int n; union { int a[4]; struct { int x, y; }; };"


def trees(functions: str, body: str) -> str:
    """A tree whose nodes have an array, beside functions that call themselves."""
    return f"""struct s {{ int n; int g[8]; struct s *l, *r; }};
void destroy(struct s *t) {{ if (t) {{ destroy(t->l); destroy(t->r); free(t); }} }}
struct s *make(void) {{ struct s *t = calloc(1, sizeof *t); if (!t) abort(); return t; }}
{functions}
int main(void) {{ {body} return 0; }}"""


INSIDE = "int a = ANY; if (a < 0 || a >= n) { free(x); continue; } x->to = a; "
PROGRAMS = {
    "raised_by_recursion_after_the_test": trees(
        """void more(struct s *t) { if (t) { t->n++; more(t->l); } }""",
        """struct s *t = make(); while (ANY) { if (t->n < 8) { more(t); t->g[t->n] = 3; } } destroy(t);""",
    ),
    "the_depth_of_a_recursion_is_an_index": trees(
        """void fill(struct s *t, int i) { if (t) { t->g[i] = 1; fill(t->l, i + 1); } }""",
        """struct s *t = NULL; while (ANY) { struct s *x = make(); x->l = t; t = x; } fill(t, 0); destroy(t);""",
    ),
    "the_number_of_nodes_is_an_index": trees(
        """int count(struct s *t) { return t ? 1 + count(t->l) : 0; }""",
        """struct s *t = NULL; while (ANY) { struct s *x = make(); x->l = t; t = x; } struct s *y = make();
        y->n = count(t); y->g[y->n] = 1; free(y); destroy(t);""",
    ),
    "less_than_0_further_down": trees(
        """void set(struct s *t, int v) { if (t) { t->n = v; set(t->l, v - 1); } }""",
        """struct s *t = make(); t->l = make(); set(t, 0); struct s *k = t->l; k->g[k->n] = 1; destroy(t);""",
    ),
    "raised_where_a_recursion_ends": trees(
        """void put(struct s **t, int v) { if (*t && v) put(v < 0 ? &(*t)->l : &(*t)->r, ANY); else if (*t)
        (*t)->n += 5; else *t = make(); }""",
        """struct s *t = NULL; while (ANY) { put(&t, ANY); if (t->n < 8) t->g[t->n++] = 3; } struct s *x = t;
        while (x) { if (x->n) x->g[x->n - 1] = 2; x = x->l; } destroy(t);""",
    ),
    "one_behind_the_last_in_a_recursion": trees(
        """void walk(struct s *t) { if (t) { t->g[t->n] = 1; walk(t->l); walk(t->r); } }""",
        """struct s *t = make(); while (ANY) { if (t->n < 8) t->n++; } walk(t); destroy(t);""",
    ),
    "not_set_by_the_recursion_that_makes_it": trees(
        """struct s *grow(struct s *t) { if (!t) { struct s *x = malloc(sizeof *x); if (!x) abort(); x->l =
        x->r = NULL; return x; } t->l = grow(t->l); return t; }""",
        """struct s *t = NULL; while (ANY) t = grow(t); for (struct s *x = t; x; x = x->l) if (x->n < 8)
        x->g[x->n] = 1; destroy(t);""",
    ),
    "an_address_of_it_from_a_recursion": trees(
        """int *slot(struct s *t, int d) { if (d > 0 && t->l) return slot(t->l, d - 1); return &t->n; }""",
        """struct s *t = make(); t->l = make(); *slot(t, ANY) = 9; if (t->n < 9) t->g[t->n] = 1;
        t->l->g[t->l->n] = 1; destroy(t);""",
    ),
    "a_global_number_that_a_recursion_raises": trees(
        """int k; void deep(struct s *t) { if (t) { k++; deep(t->l); k--; t->g[k] = 1; } }""",
        """struct s *t = NULL; while (ANY) { struct s *x = make(); x->l = t; t = x; } deep(t); destroy(t);""",
    ),
    "exchanged_by_a_recursion": trees(
        """void swap(struct s *a, struct s *b) { if (a && b) { int n = a->n; a->n = b->n + 1; b->n = n;
        swap(a->l, b->l); } }""",
        """struct s *a = make(), *b = make(); while (ANY) { if (a->n < 8) a->g[a->n++] = 1; if (b->n < 8)
        b->g[b->n++] = 1; swap(a, b); } a->n ? (void)(a->g[a->n - 1] = 1) : (void)0; destroy(a); destroy(b);""",
    ),
    "a_number_that_is_set_on_one_way_only": nodes("if (ANY) x->to = 0;"),
    "one_more_than_the_last": nodes("int a = ANY; if (a < 0 || a > n) { free(x); continue; } x->to = a;"),
    "no_test_for_less_than_0": nodes("int a = ANY; if (a >= n) { free(x); continue; } x->to = a;"),
    "a_mark_for_none": nodes("int a = ANY; if (a < -1 || a >= n) { free(x); continue; } x->to = a;"),
    "the_next_one": nodes(INSIDE, "seen[x->to + 1] = 1;"),
    "another_limit_later": nodes(INSIDE + "n = 50;"),
    "a_smaller_array_later": nodes(INSIDE, "seen[x->to] = 1; char *t = calloc(1, 1); if (t) { free(seen); seen = t; }"),
    "written_through_a_pointer": nodes(INSIDE + "int *p = &x->to; if (ANY) *p = n;"),
    "increased_later": nodes(INSIDE + "if (ANY) x->to++;"),
    "bytes_set": nodes(INSIDE + "if (ANY) memset(x, 1, sizeof *x);", "seen[x->to & 0xffff] = 1;"),
    "a_struct_copied_over_it": nodes(INSIDE + "struct e y; y.next = 0; if (ANY) { y.to = n; *x = y; }"),
    "a_struct_without_values_copied_over_it": nodes(
        INSIDE + "struct e y; if (ANY) { *x = y; }", "if (x->to > 0) seen[x->to] = 1;"
    ),
    "one_byte_changed": nodes(INSIDE + "if (ANY) ((char *)x)[1] = 7;"),
    "copied_over_it": nodes(INSIDE + "int big = n + 5; if (ANY) memcpy(&x->to, &big, sizeof big);"),
    "zero_elements": nodes(
        "x->to = 0; if (ANY) { free(x); x = calloc(1, sizeof *x); if (!x) break; }",
        limit="int n = ANY; if (n < 0 || n > 100) return 0; ",
    ),
    "another_member_of_a_union": nodes(
        """int a = ANY; if (a < 0 || a >= n) { free(x); continue;
        } union { int i; unsigned u; } w; w.u = 4000000000u; x->to = ANY ? w.i : a;"""
    ),
    "read_again": nodes(INSIDE + """scanf("%d", &x->to);"""),
    "doubled_in_another_node": nodes(INSIDE + "struct e *z = x; if (ANY && q) z = q; z->to = z->to * 2;"),
    "the_last_one_is_missing": unions("for (int i = 0; i < n - 1; i++) p[i] = i;"),
    "the_first_one_is_missing": unions("for (int i = 1; i < n; i++) p[i] = i;"),
    "some_are_missing": unions("for (int i = 0; i < n; i++) if (ANY) p[i] = i;"),
    "every_second_one_is_missing": unions("for (int i = 0; i < n; i += 2) p[i] = i;"),
    "each_leads_to_the_next": unions("for (int i = 0; i < n; i++) p[i] = i + 1;"),
    "the_loop_ends_early": unions("for (int i = 0; i < n; i++) { if (ANY) break; p[i] = i; }"),
    "filled_from_the_end": unions("for (int i = n - 1; i > 0; i--) p[i] = i;"),
    "another_block_is_filled": unions(
        "int *o = malloc(n * sizeof *o); if (!o) return 0; for (int i = 0; i < n; i++) o[i] = i; free(o);"
    ),
    "one_of_two_blocks_is_filled": unions(
        """int *o = malloc(n * sizeof *o); if (!o) return 0; for (int i = 0;
        i < n; i++) o[i] = i; int *t = ANY ? p : o; for (int i = 0; i < n; i++) t[i] = i;"""
    ),
    "a_new_block": unions(
        "for (int i = 0; i < n; i++) p[i] = i; free(p); p = malloc(n * sizeof *p); if (!p) return 0;"
    ),
    "the_rest_of_a_larger_block": unions(
        """for (int i = 0; i < n; i++) p[i] = i;
        int *o = realloc(p, 2 * n * sizeof *o); if (!o) return 0; p = o; n = 2 * n;"""
    ),
    "the_rest_of_a_larger_block_and_its_limit": unions(
        """int m = 2 * n; for (int i = 0; i < n; i++) p[i] = i;
        int *o = realloc(p, m * sizeof *o); if (!o) return 0; p = o; n = m;"""
    ),
    "not_moved": unions("int *o = realloc(p, 2 * n * sizeof *o); if (o) { free(o); return 0; }"),
    "two_lengths": """int main(void) {
    int n = ANY;
    if (n < 0 || n > 100)
        return 0;
    int *p = calloc(n + 1, sizeof *p);
    char *s = calloc(n ? n : 1, 1);
    if (!p || !s)
        return 0;
    for (int i = 0; i <= n; i++)
        p[i] = i;
    int a = ANY;
    if (a >= 0 && a <= n)
        s[p[a]] = 1;
    return 0;
}""",
    "the_next_place_of_a_stack": """int main(void) {
    int st[10];
    char s[10] = {0};
    int k = 0;
    while (k < 9 && ANY) {
        int a = ANY;
        if (a < 0 || a > 9)
            continue;
        st[k++] = a;
    }
    return s[st[k]];
}""",
    "one_too_many_for_the_array": """int st[10];
int main(void) {
    char s[10] = {0};
    int k = 0;
    while (k < 9 && ANY) {
        int a = ANY;
        if (a < 0 || a > 10)
            continue;
        st[k++] = a;
    }
    return s[st[k ? k - 1 : 0]];
}""",
    "another_member": """struct t {
    int k, v;
};
int main(void) {
    char s[8] = {0};
    struct t *a = malloc(4 * sizeof *a);
    if (!a)
        return 0;
    for (int i = 0; i < 4; i++) {
        a[i].k = i;
        a[i].v = i + 5;
    }
    int r = s[a[ANY & 3].v];
    free(a);
    return r;
}""",
    "none_as_an_index": """struct t {
    int k;
    struct t *n;
};
int main(void) {
    char s[8] = {0};
    struct t *h = 0;
    while (ANY) {
        struct t *x = calloc(1, sizeof *x);
        if (!x)
            break;
        x->k = -1;
        if (ANY)
            x->k = ANY & 7;
        x->n = h;
        h = x;
    }
    int r = 0;
    for (struct t *x = h; x; x = x->n)
        r += s[x->k];
    return r;
}""",
    "none_without_sign": """struct t {
    unsigned k;
    struct t *n;
};
int main(void) {
    char s[8] = {0};
    struct t *h = 0;
    while (ANY) {
        struct t *x = calloc(1, sizeof *x);
        if (!x)
            break;
        int v = ANY & 7;
        x->k = v - 1;
        x->n = h;
        h = x;
    }
    int r = 0;
    for (struct t *x = h; x; x = x->n)
        if (x->k < 8 || ANY)
            r += s[x->k];
    return r;
}""",
    "a_number_that_is_cut": """struct t {
    short k;
    struct t *n;
};
int main(void) {
    char s[100] = {0};
    struct t *h = 0;
    while (ANY) {
        struct t *x = calloc(1, sizeof *x);
        if (!x)
            break;
        int v = ANY;
        if (v < 0 || v > 70000)
            v = 0;
        x->k = v;
        x->n = h;
        h = x;
    }
    int r = 0;
    for (struct t *x = h; x; x = x->n)
        if (x->k < 100)
            r += s[x->k];
    return r;
}""",
    "a_block_that_shrinks_and_grows": unions(
        """for (int i = 0; i < n; i++) p[i] = i;
        int *o = realloc(p, sizeof *o); if (!o) return 0; p = realloc(o, n * sizeof *o); if (!p) return 0;"""
    ),
    "a_block_that_shrinks_by_any_number_and_grows": unions(
        """int h = ANY; if (h < 1 || h > n) h = 1; for (int i = 0; i < n; i++) p[i] = i;
        int *o = realloc(p, h * sizeof *o); if (!o) return 0; p = realloc(o, n * sizeof *o); if (!p) return 0;"""
    ),
    "an_initial_value_behind_an_array": """struct c {
    int t[4], x;
};
struct c c = {{0, 1, 2, 3}, 9};
int main(void) {
    char s[8] = {0};
    int k = ANY;
    if (k < 0 || k > 4)
        return 0;
    int *p = (int *)&c;
    return s[p[k]];
}""",
    "a_limit_without_a_value_in_each_round": """int main(void) {
    struct e *q = 0;
    while (ANY) {
        int n;
        if (n <= 0 || n > 100)
            break;
        char *s = calloc(n, 1);
        struct e *x = malloc(sizeof *x);
        if (!s || !x)
            break;
        for (struct e *y = q; y; y = y->next)
            s[y->to] = 1;
        int a = ANY;
        x->to = a < 0 || a >= n ? 0 : a;
        x->next = q;
        q = x;
        free(s);
    }
    return 0;
}""",
    "one_too_many_beside_an_array": records(use="if (x->n <= 4) x->a[x->n++] = 1;"),
    "no_limit_beside_an_array": records(use="x->a[x->n++] = 1;"),
    "a_number_beside_an_array_that_is_not_set": records("if (ANY) x->n = 0;"),
    "bytes_copied_over_an_array_and_its_number": records(
        use="x->a[x->n] = 0; if (ANY) { int big[2] = {9, 9}; memcpy(x, big, sizeof big); }"
    ),
    "a_number_beside_an_array_through_a_pointer": records(use="int *p = &x->n; x->a[x->n] = 0; if (ANY) *p = 4;"),
    "an_element_of_an_array_in_a_struct": records("x->n = 0; x->a[0] = 0;", "x->a[x->a[0]] = 1; if (ANY) x->a[0] = 4;"),
    "another_element_of_an_array_in_a_struct": records("x->n = 0; x->a[0] = 0;", "x->a[x->a[1]] = 1;"),
    "the_array_is_the_number": records(
        "x->n = 0;", "x->a[x->n] = 1; if (ANY) x->a[0] = 4;", "union { int n; int a[4]; };"
    ),
    "the_number_counts_another_array": records(
        use="if (x->n < 4) x->a[x->n++] = 1; x->b[x->n] = 0;", members="int n, a[4], b[4];"
    ),
    "structs_with_arrays_in_an_array": """struct r { int n, a[4]; };
int main(void) {
    struct r *t = calloc(3, sizeof *t);
    if (!t) return 0;
    while (ANY) {
        int i = ANY;
        if (i < 0 || i > 2) continue;
        if (t[i].n <= 4) t[i].a[t[i].n++] = 1;
    }
    free(t);
    return 0;
}""",
    "a_union_in_the_elements_of_an_array": tables(PAIR, "t[i].y = 9;"),
    "a_union_in_the_elements_of_a_local_array": tables(
        PAIR, "if (ANY) t[i].y = 9;", start="struct r t[3]; memset(t, 0, sizeof t);"
    ),
    "a_union_in_the_elements_of_a_matrix": tables(PAIR, "t[i][1].y = 9;", "s[t[i][1].a[j]]", "[3][2]"),
    "rows_and_members_in_a_union": tables(
        "|int a[2][4]; struct { int x[4], y, z; };", "t[i].z = 9;", "s[t[i].a[1][j]]"
    ),
    "pairs_and_numbers_in_a_union": tables("|int a[4]; struct { int x, y; } p[2];", "t[i].p[i].y = 9;"),
    "members_of_two_sizes_in_a_union": tables(
        "|struct { int x, y, z; } q[2]; struct { int x, y; } p[3];", "t[i].q[1].x = 9;", "s[t[i].p[j % 3].y]"
    ),
    "a_stack_that_is_not_filled": """int main(void) {
    int n = ANY, top = 0;
    if (n < 2 || n > 100) return 0;
    int *stack = malloc(n * sizeof *stack);
    char *seen = calloc(n, 1);
    if (!stack || !seen) return 1;
    if (ANY) top = 1;
    stack[top++] = 0;
    while (top > 0) seen[stack[--top]] = 1;
    free(stack);
    free(seen);
    return 0;
}""",
    "a_stack_with_one_number_too_large": """int main(void) {
    int n = ANY, top = 0;
    if (n < 2 || n > 100) return 0;
    int *stack = malloc(n * sizeof *stack);
    char *seen = calloc(n, 1);
    if (!stack || !seen) return 1;
    for (int i = 0; i < n; i++) if (ANY) stack[top++] = i + 1;
    while (top > 0) seen[stack[--top]] = 1;
    free(stack);
    free(seen);
    return 0;
}""",
}
each = pytest.mark.parametrize("name", PROGRAMS)


def _write(name: str, folder: Path) -> str:
    path = folder / f"{name}.c"
    path.write_text(HEAD + PROGRAMS[name] + "\n")
    return str(path)


@each
def test_a_run_leaves_the_array(name: str, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    report = check([_write(name, tmp_path)], check_options(properties=("memsafety",), timeout=SECONDS))
    assert report.verdict is Verdict.FALSE


@each
def test_the_shape_analysis_does_not_prove_it(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([_write(name, tmp_path)]))
    result = analyse(prepared, malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    assert not result.complete or {alarm.kind for alarm in result.alarms} - {"memory_leak", "memory_cleanup"}


RIGHT = {
    "a_tree_filled_by_recursion": trees(
        """void walk(struct s *t) { if (t) { for (int i = 0; i < t->n; i++) t->g[i] = 1; walk(t->l);
        walk(t->r); } } void put(struct s **t, int v) { if (!*t) { *t = make(); } if (v < 0) put(&(*t)->l, v
        / 2); else if (v > 1) put(&(*t)->r, v / 2); else if ((*t)->n < 8) (*t)->g[(*t)->n++] = v; }""",
        """struct s *t = NULL; while (ANY) put(&t, ANY); walk(t); destroy(t);""",
    ),
    "summed_by_recursion": trees(
        """int sum(struct s *t) { int k = 0; if (!t) return 0; for (int i = 0; i < t->n; i++) k ^= t->g[i];
        return k ^ sum(t->l); }""",
        """struct s *t = NULL; while (ANY) { struct s *x = make(); x->l = t; t = x; if (t->n < 8) t->g[t->n++]
        = 1; } sum(t); destroy(t);""",
    ),
    "made_and_filled_by_recursion": trees(
        """struct s *add(struct s *t, int v) { if (!t) { t = malloc(sizeof *t); if (!t) abort(); t->n = 0; t->l
        = t->r = NULL; return t; } if (t->n == 8) t->n = 0; t->g[t->n++] = v; if (v < 0) t->l = add(t->l, v
        + 1); else if (v > 0) t->r = add(t->r, v - 1); return t; }""",
        """struct s *t = NULL; while (ANY) t = add(t, ANY); destroy(t);""",
    ),
    "an_array_in_the_elements_of_an_array": tables("int n, a[4];", "t[i].a[j] = j; t[i].n = 9;", "s[t[j & 1].a[i]]"),
    "a_member_of_a_matrix": tables("int n, a;", "t[i][j].a = j; t[i][j].n = 9;", "s[t[j & 1][i].a]", "[3][4]"),
    "a_union_of_which_one_member_is_used": tables(PAIR, "t[i].a[j] = j; t[i].n = 9;"),
    "set_when_it_is_made": records(),
    "zero_when_it_is_made": records("free(x); x = calloc(1, sizeof *x); if (!x) break;"),
    "the_array_comes_first": records(members="int a[4], n;"),
    "two_arrays": records(use="if (x->n < 4) { x->b[x->n] = 0; x->a[x->n++] = 1; }", members="int n, a[4], b[4];"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_numbers_beside_arrays_are_proved(name: str, tmp_path: Path) -> None:
    """The number in a node has a promise: its values were told apart, in 15 million structures."""
    assert is_clean(HEAD + RIGHT[name] + "\n", tmp_path)

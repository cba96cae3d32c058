"""Families of programs that are composed of small modules, each with its own structure, and of chains of calls.

Eight modules (stack, queue, doubly linked list, table with chains, ring, tree, vector, text) are used at once, by any
sequence of operations. Member k has the first k of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from families import HEAD, NODE, Family, free_list
from part_families import ANY, each

NEED = "static void *need(size_t size) { void *p = malloc(size); if (!p) abort(); return p; }\n"


@dataclass(frozen=True)
class Module:
    """Text of a module, its operations, and what `main` declares at the start and calls at the end."""

    text: str
    operations: tuple[str, str]
    begin: str
    end: str


STACK = Module(
    """struct item { int value; struct item *below; };
static struct item *top;
static void stack_push(int value) {
    struct item *n = need(sizeof *n);
    n->value = value; n->below = top; top = n;
}
static int stack_pop(void) {
    struct item *n = top;
    int value;
    if (!n) return 0;
    top = n->below; value = n->value;
    free(n);
    return value;
}
""",
    (f"stack_push({ANY});", "stack_pop();"),
    "",
    "while (top) stack_pop();",
)
FIFO = Module(
    """struct link { int value; struct link *next; };
struct fifo { struct link *first, *last; int count; };
static void fifo_put(struct fifo *q, int value) {
    struct link *n = need(sizeof *n);
    n->value = value; n->next = NULL;
    if (q->last) q->last->next = n; else q->first = n;
    q->last = n; q->count++;
}
static int fifo_get(struct fifo *q) {
    struct link *n = q->first;
    int value;
    if (!n) return 0;
    q->first = n->next;
    if (!q->first) q->last = NULL;
    value = n->value; q->count--;
    free(n);
    return value;
}
""",
    (f"fifo_put(&fifo, {ANY});", "fifo_get(&fifo);"),
    "struct fifo fifo = {NULL, NULL, 0};",
    "while (fifo.first) fifo_get(&fifo);",
)
DEQUE = Module(
    """struct ditem { int value; struct ditem *next, *prev; };
struct deque { struct ditem *head, *tail; };
static struct deque *deque_new(void) { struct deque *d = need(sizeof *d); d->head = d->tail = NULL; return d; }
static void deque_front(struct deque *d, int value) {
    struct ditem *n = need(sizeof *n);
    n->value = value; n->prev = NULL; n->next = d->head;
    if (d->head) d->head->prev = n; else d->tail = n;
    d->head = n;
}
static void deque_drop(struct deque *d, int value) {
    struct ditem *n;
    for (n = d->head; n; n = n->next) if (n->value == value) break;
    if (!n) return;
    if (n->prev) n->prev->next = n->next; else d->head = n->next;
    if (n->next) n->next->prev = n->prev; else d->tail = n->prev;
    free(n);
}
static void deque_free(struct deque *d) {
    struct ditem *n = d->head;
    while (n) { struct ditem *t = n->next; free(n); n = t; }
    free(d);
}
""",
    (f"deque_front(deque, {ANY});", f"deque_drop(deque, {ANY});"),
    "struct deque *deque = deque_new();",
    "deque_free(deque);",
)
TABLE = Module(
    """struct entry { int key, value; struct entry *next; };
struct table { struct entry *bucket[8]; };
static void table_init(struct table *t) { int i; for (i = 0; i < 8; i++) t->bucket[i] = NULL; }
static void table_put(struct table *t, int key, int value) {
    unsigned h = (unsigned)key % 8;
    struct entry *e;
    for (e = t->bucket[h]; e; e = e->next) if (e->key == key) { e->value = value; return; }
    e = need(sizeof *e);
    e->key = key; e->value = value; e->next = t->bucket[h]; t->bucket[h] = e;
}
static int table_get(struct table *t, int key) {
    struct entry *e = t->bucket[(unsigned)key % 8];
    while (e) { if (e->key == key) return e->value; e = e->next; }
    return 0;
}
static void table_clear(struct table *t) {
    int i;
    for (i = 0; i < 8; i++)
        while (t->bucket[i]) { struct entry *e = t->bucket[i]; t->bucket[i] = e->next; free(e); }
}
""",
    (f"table_put(&table, {ANY}, 1);", f"table_get(&table, {ANY});"),
    "struct table table; table_init(&table);",
    "table_clear(&table);",
)
RING = Module(
    """struct turn { int value; struct turn *next; };
static struct turn *ring_add(struct turn *r, int value) {
    struct turn *n = need(sizeof *n);
    n->value = value;
    if (!r) { n->next = n; return n; }
    n->next = r->next; r->next = n;
    return n;
}
static void ring_free(struct turn *r) {
    struct turn *p, *t;
    if (!r) return;
    for (p = r->next; p != r; p = t) { t = p->next; free(p); }
    free(r);
}
""",
    (f"ring = ring_add(ring, {ANY});", "if (ring) ring = ring->next;"),
    "struct turn *ring = NULL;",
    "ring_free(ring);",
)
TREE = Module(
    """struct tree { int key; struct tree *left, *right; };
static struct tree *tree_add(struct tree *t, int key) {
    struct tree *n = need(sizeof *n), *p = t;
    n->key = key; n->left = n->right = NULL;
    if (!t) return n;
    for (;;)
        if (key < p->key) { if (!p->left) { p->left = n; return t; } p = p->left; }
        else { if (!p->right) { p->right = n; return t; } p = p->right; }
}
static int tree_has(struct tree *t, int key) {
    while (t) { if (t->key == key) return 1; t = key < t->key ? t->left : t->right; }
    return 0;
}
static void tree_free(struct tree *t) { if (!t) return; tree_free(t->left); tree_free(t->right); free(t); }
""",
    (f"tree = tree_add(tree, {ANY});", f"tree_has(tree, {ANY});"),
    "struct tree *tree = NULL;",
    "tree_free(tree);",
)
VECTOR = Module(
    """struct vec { int *data; size_t len, cap; };
static void vec_push(struct vec *v, int x) {
    if (v->len == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 4;
        int *d = realloc(v->data, cap * sizeof *d);
        if (!d) abort();
        v->data = d; v->cap = cap;
    }
    v->data[v->len++] = x;
}
static int vec_pop(struct vec *v) { return v->len == 0 ? 0 : v->data[--v->len]; }
""",
    (f"vec_push(&vec, {ANY});", "vec_pop(&vec);"),
    "struct vec vec = {NULL, 0, 0};",
    "free(vec.data);",
)
TEXT = Module(
    """struct text { char *s; size_t len, cap; };
static void text_add(struct text *t, char c) {
    if (t->len + 2 > t->cap) {
        size_t cap = t->cap + 16;
        char *s = realloc(t->s, cap);
        if (!s) abort();
        t->s = s; t->cap = cap;
    }
    t->s[t->len++] = c; t->s[t->len] = 0;
}
static void text_cut(struct text *t) { if (t->len) { t->len--; t->s[t->len] = 0; } }
""",
    ("text_add(&text, 'x');", "text_cut(&text);"),
    "struct text text = {NULL, 0, 0};",
    "free(text.s);",
)
MODULES = (STACK, FIFO, DEQUE, TABLE, RING, TREE, VECTOR, TEXT)


def modules_at_once(k: int) -> str:
    """The first k modules, used in any order."""
    return used_at_once(MODULES[:k])


def used_at_once(modules: tuple[Module, ...]) -> str:
    cases = [operation for module in modules for operation in module.operations]
    steps = each(len(cases), lambda i: f"        case {i}: {cases[i]} break;\n")
    loop = f"    while ({ANY}) {{\n        switch ({ANY}) {{\n{steps}        default: break;\n        }}\n    }}\n"
    text, begin, end = (
        "".join(parts) for parts in zip(*((m.text, f"    {m.begin}\n", f"    {m.end}\n") for m in modules), strict=True)
    )
    return f"{HEAD}{NEED}{text}int main(void) {{\n{begin}{loop}{end}    return 0;\n}}\n"


def chain_with_addresses(k: int) -> str:
    """k functions that get the addresses of two lists, each of which calls the next one in two places."""
    first = (
        f"static void f0(struct node **a, struct node **b) {{\n    struct node *n = need(sizeof *n);\n"
        f"    if ({ANY}) {{ n->next = *a; *a = n; }} else {{ n->next = *b; *b = n; }}\n}}\n"
    )
    others = each(
        k,
        lambda i: (
            f"static void f{i + 1}(struct node **a, struct node **b) {{\n"
            f"    if ({ANY}) f{i}(b, a); else f{i}(a, b);\n}}\n"
        ),
    )
    body = f"    struct node *x = NULL, *y = NULL;\n    while ({ANY}) f{k}(&x, &y);\n{free_list('x')}{free_list('y')}"
    return f"{HEAD}{NODE}{NEED}{first}{others}int main(void) {{\n{body}    return 0;\n}}\n"


MODULE_FAMILIES = (
    Family("modules at once", modules_at_once, (2, 4, 6, 8), 4, 8, 8.0, ""),
    Family("chain of calls with addresses", chain_with_addresses, (2, 4, 8, 12), 4, 8, 4.0),
)

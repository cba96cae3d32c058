"""Families of programs that use containers: many calls, many constants, many flags, containers of containers."""

from __future__ import annotations

from families import FILL, NODE, Family, choose, declare_lists, free_list, main_of, push

KEYED = """struct node { int key; struct node *next; };
static struct node *push(struct node *l, int key) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->key = key; n->next = l;
    return n;
}
static struct node *append(struct node *l, int key) {
    struct node *n = malloc(sizeof *n), *p;
    if (!n) abort();
    n->key = key; n->next = NULL;
    if (!l) return n;
    for (p = l; p->next; p = p->next) ;
    p->next = n;
    return l;
}
static struct node *reverse(struct node *l) {
    struct node *r = NULL;
    while (l) { struct node *t = l->next; l->next = r; r = l; l = t; }
    return r;
}
static struct node *delete_key(struct node *l, int key) {
    struct node *p = NULL, *c = l;
    while (c && c->key != key) { p = c; c = c->next; }
    if (!c) return l;
    if (p) p->next = c->next; else l = c->next;
    free(c);
    return l;
}
static int length(struct node *l) { int n = 0; while (l) { n++; l = l->next; } return n; }
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
"""
KEYED_CALLS = (
    "a = push(a, {i});",
    "b = append(b, {i});",
    "a = reverse(a);",
    "b = delete_key(b, {i});",
    "a = append(a, {i});",
    "b = push(b, {i});",
    "b = reverse(b);",
    "a = delete_key(a, {i});",
    "length(a);",
    "length(b);",
)
DEQUE = """struct dnode { struct dnode *next, *prev; int value; };
struct deque { struct dnode *head, *tail; };
static void init(struct deque *l) { l->head = l->tail = NULL; }
static void push_front(struct deque *l, int value) {
    struct dnode *n = malloc(sizeof *n);
    if (!n) abort();
    n->value = value; n->prev = NULL; n->next = l->head;
    if (l->head) l->head->prev = n; else l->tail = n;
    l->head = n;
}
static void push_back(struct deque *l, int value) {
    struct dnode *n = malloc(sizeof *n);
    if (!n) abort();
    n->value = value; n->next = NULL; n->prev = l->tail;
    if (l->tail) l->tail->next = n; else l->head = n;
    l->tail = n;
}
static int pop_front(struct deque *l) {
    struct dnode *n = l->head;
    int value;
    if (!n) return -1;
    l->head = n->next;
    if (l->head) l->head->prev = NULL; else l->tail = NULL;
    value = n->value;
    free(n);
    return value;
}
static void clear(struct deque *l) {
    struct dnode *n = l->head;
    while (n) { struct dnode *t = n->next; free(n); n = t; }
    l->head = l->tail = NULL;
}
"""
DEQUE_CALLS = ("push_front(&d{i}, 1);", "push_back(&d{i}, 2);", "pop_front(&d{i});", "push_back(&d{i}, 3);")
TREE = """struct tree { struct tree *left, *right; int key; };
static struct tree *insert(struct tree *root, int key) {
    struct tree *n = malloc(sizeof *n), *c = root;
    if (!n) abort();
    n->left = n->right = NULL; n->key = key;
    if (!root) return n;
    for (;;) {
        if (key < c->key) { if (!c->left) { c->left = n; break; } c = c->left; }
        else { if (!c->right) { c->right = n; break; } c = c->right; }
    }
    return root;
}
static int has(struct tree *c, int key) {
    while (c) { if (c->key == key) return 1; c = key < c->key ? c->left : c->right; }
    return 0;
}
static void drop_tree(struct tree *t) { if (!t) return; drop_tree(t->left); drop_tree(t->right); free(t); }
"""
ANY = "__VERIFIER_nondet_int()"


def calls_of_six_functions(k: int) -> str:
    """Two lists; k calls of six functions, each with a key of its own."""
    calls = "".join(f"    {KEYED_CALLS[i % len(KEYED_CALLS)].format(i=i)}\n" for i in range(k))
    filled = f"    while ({ANY}) a = push(a, {ANY});\n"
    return main_of("    struct node *a = NULL, *b = NULL;\n", filled + calls + "    drop(a); drop(b);\n", KEYED)


def calls_with_any_key(k: int) -> str:
    """As before, with unknown keys."""
    calls = "".join(f"    {KEYED_CALLS[i % len(KEYED_CALLS)].format(i=ANY)}\n" for i in range(k))
    filled = f"    while ({ANY}) a = push(a, {ANY});\n"
    return main_of("    struct node *a = NULL, *b = NULL;\n", filled + calls + "    drop(a); drop(b);\n", KEYED)


def deques_by_functions(k: int) -> str:
    """k deques in structs, used by functions that get their addresses."""
    declared = "".join(f"    struct deque d{i};\n    init(&d{i});\n" for i in range(k))
    calls = "".join(f"        {call.format(i=i)}\n" for i in range(k) for call in DEQUE_CALLS)
    cleared = "".join(f"    clear(&d{i});\n" for i in range(k))
    return main_of(declared, f"    while ({ANY}) {{\n{calls}    }}\n{cleared}", DEQUE)


def trees_by_functions(k: int) -> str:
    """k search trees through the same three functions, one of them recursive."""
    declared = "".join(f"    struct tree *t{i} = NULL;\n" for i in range(k))
    filled = "".join(f"    while ({ANY}) t{i} = insert(t{i}, {ANY});\n    has(t{i}, {ANY});\n" for i in range(k))
    return main_of(declared, filled + "".join(f"    drop_tree(t{i});\n" for i in range(k)), TREE)


def operations_by_switch(k: int) -> str:
    """One loop with a switch over k operations on two lists."""
    cases = "".join(f"        case {i}: {KEYED_CALLS[i % len(KEYED_CALLS)].format(i=ANY)} break;\n" for i in range(k))
    loop = f"    while ({ANY}) {{\n        switch ({ANY}) {{\n{cases}        default: break;\n        }}\n    }}\n"
    return main_of("    struct node *a = NULL, *b = NULL;\n", loop + "    drop(a); drop(b);\n", KEYED)


def array_of_heads(k: int) -> str:
    """k lists whose heads are the elements of an array."""
    push = "struct node *n = malloc(sizeof *n); if (!n) abort(); n->next = heads[i]; heads[i] = n;"
    filled = f"    while ({ANY}) {{ int i = {ANY}; if (i < 0 || i >= {k}) continue; {push} }}\n"
    freed = f"    for (int i = 0; i < {k}; i++)\n"
    freed += "        while (heads[i]) { struct node *t = heads[i]; heads[i] = t->next; free(t); }\n"
    return main_of(f"    struct node *heads[{k}] = {{ NULL }};\n", filled + freed)


def table_beside_queues(k: int) -> str:
    """A table of chains beside k queues."""
    types = NODE + "struct queue { struct node *first; struct node *last; };\n"
    declared = "    struct node *table[4] = { NULL };\n"
    declared += "".join(f"    struct queue q{i} = {{ NULL, NULL }};\n" for i in range(k))
    made = "struct node *n = malloc(sizeof *n); if (!n) abort();"
    chain = f"    while ({ANY}) {{ unsigned h = (unsigned){ANY} % 4; {made} n->next = table[h]; table[h] = n; }}\n"

    def enqueue(i: int) -> str:
        return f"{made} n->next = NULL; if (q{i}.last) q{i}.last->next = n; else q{i}.first = n; q{i}.last = n;"

    freed = (
        "    for (int i = 0; i < 4; i++) while (table[i]) { struct node *t = table[i]; table[i] = t->next; free(t); }\n"
    )
    freed += "".join(free_list(f"q{i}.first") for i in range(k))
    return main_of(declared, chain + choose(k, enqueue) + freed, types)


def shared_counter(k: int) -> str:
    """k lists with one counter of all their nodes."""
    step = choose(k, lambda i: f"{push(f'l{i}')} count++;")
    freed = "".join(
        f"    while (l{i}) {{ struct node *t = l{i}; l{i} = l{i}->next; free(t); count--; }}\n" for i in range(k)
    )
    return main_of(declare_lists(k) + "    int count = 0;\n", step + freed)


def flags_of_one_list(k: int) -> str:
    """One list and k flags that are set in a loop and tested after it."""
    flags = "".join(f"    int f{i} = 0;\n" for i in range(k))
    loop = choose(k, lambda i: f"f{i} = 1; {push('l0')}")
    tests = "".join(f"    if (f{i}) {{ struct node *n = l0; while (n) n = n->next; }}\n" for i in range(k))
    return main_of(declare_lists(1) + flags, loop + tests + free_list("l0"))


def members_with_flags(k: int) -> str:
    """One list whose nodes have k flags, set and tested in turn."""
    types = "struct node { " + "".join(f"int f{i}; " for i in range(k)) + "struct node *next; };\n"
    zero = "".join(f"n->f{i} = 0; " for i in range(k))
    marked = "".join(
        f"    for (struct node *n = l0; n; n = n->next) if ({ANY}) n->f{i} = 1;\n"
        f"    for (struct node *n = l0; n; n = n->next) if (n->f{i}) n->f{i} = 0;\n"
        for i in range(k)
    )
    return main_of(declare_lists(1), f"    while ({ANY}) {{ {push('l0', zero)} }}\n{marked}{free_list('l0')}", types)


def walks_of_one_list(k: int) -> str:
    """One list that k loops walk, each with a pointer of its own."""
    walks = "".join(f"    for (struct node *w{i} = l0; w{i}; w{i} = w{i}->next) ;\n" for i in range(k))
    return main_of(declare_lists(1), f"    while ({ANY}) {{ {push('l0')} }}\n{walks}{free_list('l0')}")


def global_lists(k: int) -> str:
    """k global lists, each with a function that fills it and one that frees it."""
    functions = "".join(
        f"static struct node *g{i};\n"
        f"static void fill{i}(void) {{ while ({ANY}) {{ {push(f'g{i}')} }} }}\n"
        f"static void drop{i}(void) {{ while (g{i}) {{ struct node *t = g{i}; g{i} = g{i}->next; free(t); }} }}\n"
        for i in range(k)
    )
    calls = "".join(f"    fill{i}();\n" for i in range(k)) + "".join(f"    drop{i}();\n" for i in range(k))
    return main_of("", calls, functions=functions)


def lists_in_a_row(k: int) -> str:
    """k lists, one after the other, in one variable."""
    calls = "    l = fill(); drop(l);\n" * k
    return main_of("    struct node *l;\n", calls, functions=FILL)


def levels_of_calls(k: int) -> str:
    """k levels of functions, each of which calls the next one twice: inlined, there are 2^k copies of the last one."""
    functions = FILL + "static void level0(void) { drop(fill()); }\n"
    functions += "".join(f"static void level{i}(void) {{ level{i - 1}(); level{i - 1}(); }}\n" for i in range(1, k + 1))
    return main_of("", f"    level{k}();\n", functions=functions)


def levels_with_lists(k: int) -> str:
    """As before; each function changes a list that it gets."""
    functions = KEYED.replace("int length(", "int size(") + (
        f"static struct node *level0(struct node *l) {{ l = push(l, {ANY}); return reverse(l); }}\n"
    )
    functions += "".join(
        f"static struct node *level{i}(struct node *l) {{\n    l = level{i - 1}(l);\n"
        f"    if ({ANY}) l = level{i - 1}(l);\n    return l;\n}}\n"
        for i in range(1, k + 1)
    )
    return main_of("", f"    drop(level{k}(NULL));\n", types="", functions=functions)


CLIENT_FAMILIES = (
    Family("calls of six functions", calls_of_six_functions, (5, 10, 20, 40), 10, 40, 4.0),
    Family("calls with any key", calls_with_any_key, (5, 10, 20, 40), 10, 40, 4.0),
    Family("deques by functions", deques_by_functions, (1, 2, 4), 2, 4, 3.0),
    Family("trees by functions", trees_by_functions, (1, 2, 4), 2, 4, 3.0, "left"),
    Family("operations by switch", operations_by_switch, (3, 6, 12, 24), 6, 24, 4.0),
    Family("array of heads", array_of_heads, (2, 4, 8), 4, 8, 3.0),
    Family("table beside queues", table_beside_queues, (1, 2, 4), 2, 4, 3.0),
    Family("shared counter", shared_counter, (2, 4, 8), 4, 8, 3.0),
    Family("flags of one list", flags_of_one_list, (2, 4, 8), 4, 8, 3.0),
    Family("members with flags", members_with_flags, (1, 2, 4, 8), 2, 4, 3.0),
    Family("walks of one list", walks_of_one_list, (2, 4, 8), 4, 8, 3.0),
    Family("global lists", global_lists, (2, 4, 8), 4, 8, 3.0),
    Family("levels of calls", levels_of_calls, (2, 4, 8, 16), 8, 16, 3.0),
    Family("levels with lists", levels_with_lists, (2, 4, 8, 16), 8, 16, 3.0),
    Family("lists in a row", lists_in_a_row, (4, 8, 16), 8, 16, 3.0),
)

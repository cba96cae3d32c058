"""Families of programs as users write them: what grows is not the number of lists, but what is said about them.

Commands of an interpreter, states of a machine, flags and numbers beside a list, members of a node, loops one after the
other, types of elements, levels of types, objects with tables of functions, lists that refer to or feed each other.
"""

from __future__ import annotations

from families import NODE, Family, choose, declare_lists, free_list, main_of, push
from part_families import ANY, MADE, SIZES, each
from structure_families import made_block


def lists_that_hand_on(k: int) -> str:
    """k lists of one header in the heap; each step adds a node to the first, or moves one to the next list."""
    types = NODE + "struct header { " + each(k, lambda i: f"struct node *l{i}; ") + "};\n"

    def step(i: int) -> str:
        taken = f"struct node *n = h->l{i}; if (n) {{ h->l{i} = n->next; "
        return taken + (f"n->next = h->l{i + 1}; h->l{i + 1} = n; }}" if i < k - 1 else "free(n); }")

    made = made_block("h", "header") + each(k, lambda i: f"    h->l{i} = NULL;\n")
    filled = f"    while ({ANY}) {{ {push('h->l0')} }}\n"
    freed = each(k, lambda i: free_list(f"h->l{i}")) + "    free(h);\n"
    return main_of(made, filled + choose(k, step) + freed, types)


def lists_that_refer(k: int) -> str:
    """k lists of own types; each node refers to the first node of the next list, and reads it before all are freed."""
    types = f"struct n{k} {{ struct n{k} *next; int key; }};\n"
    for i in reversed(range(k)):
        types += f"struct n{i} {{ struct n{i} *next; int key; struct n{i + 1} *other; }};\n"

    def made(i: int) -> str:
        node = f"struct n{i} *n = malloc(sizeof *n); if (!n) abort(); n->next = l{i}; n->key = c; "
        return node + (f"n->other = l{i + 1}; " if i < k else "") + f"l{i} = n;"

    declared = each(k + 1, lambda i: f"    struct n{i} *l{i} = NULL;\n")
    reads = each(
        k,
        lambda i: f"    for (struct n{i} *p = l{i}; p; p = p->next) {{ if (p->other) p->key += p->other->key; }}\n",
    )
    freed = each(k + 1, lambda i: f"    while (l{i}) {{ struct n{i} *t = l{i}; l{i} = t->next; free(t); }}\n")
    return main_of(declared, choose(k + 1, made) + reads + freed, types)


def lists_in_lists(k: int) -> str:
    """Lists nested k deep: each level has its own type, and functions that add to it and free it."""
    types = f"struct n{k - 1} {{ struct n{k - 1} *next; }};\n"
    for i in reversed(range(k - 1)):
        types += f"struct n{i} {{ struct n{i} *next; struct n{i + 1} *in; }};\n"
    functions = ""
    for i in reversed(range(k)):
        inner = i < k - 1
        functions += (
            f"static struct n{i} *add{i}(struct n{i} *l) {{\n"
            f"    struct n{i} *n = malloc(sizeof *n);\n    if (!n) abort();\n    n->next = l;\n"
            + (f"    n->in = NULL;\n    while ({ANY}) n->in = add{i + 1}(n->in);\n" if inner else "")
            + f"    return n;\n}}\nstatic void drop{i}(struct n{i} *l) {{\n"
            f"    while (l) {{ struct n{i} *t = l; l = t->next; "
            + (f"drop{i + 1}(t->in); " if inner else "")
            + "free(t); }\n}\n"
        )
    body = f"    while ({ANY}) l = add0(l);\n    drop0(l);\n"
    return main_of("    struct n0 *l = NULL;\n", body, types, functions)


def objects_with_tables(k: int) -> str:
    """A list of objects of k classes, each with a table of functions and a block of its own type."""
    types = (
        "struct object;\nstruct table { int (*size)(struct object *); void (*end)(struct object *); };\n"
        "struct object { const struct table *table; struct object *next; };\n"
    )
    types += each(k, lambda i: f"struct class{i} {{ struct object base; int *data{i}; }};\n")
    functions = each(
        k,
        lambda i: (
            f"static int size{i}(struct object *o) {{\n    struct class{i} *c = (struct class{i} *)o;\n"
            f"    return *c->data{i};\n}}\nstatic void end{i}(struct object *o) {{\n"
            f"    struct class{i} *c = (struct class{i} *)o;\n    free(c->data{i});\n    free(c);\n}}\n"
            f"static const struct table table{i} = {{ size{i}, end{i} }};\n"
            f"static struct object *make{i}(struct object *l) {{\n    struct class{i} *c = malloc(sizeof *c);\n"
            f"    if (!c) abort();\n    c->data{i} = malloc(sizeof(int));\n    if (!c->data{i}) abort();\n"
            f"    *c->data{i} = {i};\n    c->base.table = &table{i};\n    c->base.next = l;\n    return &c->base;\n}}\n"
        ),
    )
    body = choose(k, lambda i: f"l = make{i}(l);")
    body += "    int sum = 0;\n    for (struct object *o = l; o; o = o->next) sum += o->table->size(o);\n"
    body += "    while (l) { struct object *o = l; l = o->next; o->table->end(o); }\n"
    return main_of("    struct object *l = NULL;\n", body, types, functions)


def commands(k: int) -> str:
    """An interpreter with a stack and a queue, and a switch with k commands in one loop."""
    types = "struct cell { int value; struct cell *next; };\n"
    functions = """static void push(struct cell **s, int value) {
    struct cell *c = malloc(sizeof *c);
    if (!c) abort();
    c->value = value; c->next = *s; *s = c;
}
static int pop(struct cell **s) {
    struct cell *c = *s;
    int value = 0;
    if (c) { *s = c->next; value = c->value; free(c); }
    return value;
}
static void roll(struct cell **from, struct cell **to) {
    struct cell *c = *from;
    if (c) { *from = c->next; c->next = *to; *to = c; }
}
"""
    shapes = (
        "push(&stack, {i});",
        "{{ int a = pop(&stack), b = pop(&stack); push(&stack, a + {i} * b); }}",
        "roll(&stack, &other);",
        "if (stack) stack->value += {i};",
        "{{ struct cell *t = stack; stack = other; other = t; }}",
        "if (stack && stack->value == {i}) pop(&stack);",
    )
    cases = each(k, lambda i: f"        case {i}: {shapes[i % len(shapes)].format(i=i)} break;\n")
    loop = f"    while ({ANY}) {{\n        switch ({ANY}) {{\n{cases}        default: break;\n        }}\n    }}\n"
    freed = "    while (stack) pop(&stack);\n    while (other) pop(&other);\n"
    return main_of("    struct cell *stack = NULL, *other = NULL;\n", loop + freed, types, functions)


def states(k: int) -> str:
    """A machine with k states: in each it adds to its list, frees a node, or goes to another state."""

    def state(i: int) -> str:
        work = f"{{ {push('l')} }}" if i % 2 else "if (l) { struct node *t = l; l = t->next; free(t); }"
        next_state = f"if ({ANY}) state = {(i + 1) % k};"
        return f"        case {i}:\n            {work}\n            {next_state}\n            break;\n"

    loop = f"    while (state != {k}) {{\n        switch (state) {{\n{each(k, state)}        }}\n"
    loop += f"        if ({ANY}) state = {k};\n    }}\n"
    return main_of("    struct node *l = NULL;\n    int state = 0;\n", loop + free_list("l"))


def numbers_beside_a_list(k: int) -> str:
    """One list, with k flags and k numbers that the loop sets and tests."""
    declared = "    struct node *l = NULL;\n" + each(k, lambda i: f"    int flag{i} = 0, sum{i} = 0;\n")

    def step(i: int) -> str:
        return f"if (!flag{i}) {{ {push('l')} flag{i} = 1; }} else if (sum{i} > {i}) flag{i} = 0; sum{i}++;"

    read = each(k, lambda i: f"    if (flag{i} && !l) sum{i} = 0;\n")
    return main_of(declared, choose(k, step) + read + free_list("l"))


def members_of_a_node(k: int) -> str:
    """One list whose nodes have k numbers and k pointers to the list's own nodes or NULL."""
    types = "struct node { struct node *next; " + each(k, lambda i: f"int m{i}; struct node *p{i}; ") + "};\n"
    made = each(k, lambda i: f"n->m{i} = {ANY}; n->p{i} = {ANY} ? l : NULL; ")
    reads = "    for (struct node *p = l; p; p = p->next) {\n"
    reads += each(k, lambda i: f"        if (p->p{i}) p->p{i}->m{i} += p->m{i};\n") + "    }\n"
    filled = f"    while ({ANY}) {{ {MADE} {made}n->next = l; l = n; }}\n"
    return main_of(declare_lists(1).replace("l0", "l"), filled + reads + free_list("l"), types)


def loops_in_a_row(k: int) -> str:
    """One list that k loops one after the other walk, extend, reverse or shorten."""
    shapes = (
        f"    while ({ANY}) {{ {push('l')} }}\n",
        "    for (struct node *p = l; p; p = p->next) ;\n",
        "    { struct node *r = NULL; while (l) { struct node *t = l->next; l->next = r; r = l; l = t; } l = r; }\n",
        f"    while (l && {ANY}) {{ struct node *t = l; l = t->next; free(t); }}\n",
        f"    for (struct node **p = &l; *p; ) {{\n        if ({ANY}) {{ struct node *t = *p; *p = t->next; free(t); }}"
        " else p = &(*p)->next;\n    }\n",
    )
    return main_of("    struct node *l = NULL;\n", each(k, lambda i: shapes[i % len(shapes)]) + free_list("l"))


def types_of_elements(k: int) -> str:
    """One generic list of elements of k types, told apart by a tag; each type has a block of its own."""
    types = "struct item { int tag; void *data; struct item *next; };\n"
    types += each(k, lambda i: f"struct e{i} {{ int value; char *name{i}; }};\n")
    functions = each(
        k,
        lambda i: (
            f"static void *make{i}(void) {{\n    struct e{i} *e = malloc(sizeof *e);\n    if (!e) abort();\n"
            f"    e->value = {i};\n    e->name{i} = malloc(8);\n    if (!e->name{i}) abort();\n    return e;\n}}\n"
            f"static void end{i}(void *data) {{ struct e{i} *e = data; free(e->name{i}); free(e); }}\n"
        ),
    )
    functions += (
        "static struct item *add(struct item *l, int tag, void *data) {\n    struct item *i = malloc(sizeof *i);\n"
        "    if (!i) abort();\n    i->tag = tag; i->data = data; i->next = l;\n    return i;\n}\n"
    )
    ends = each(k, lambda i: f"        case {i}: end{i}(t->data); break;\n")
    taken = "        struct item *t = l;\n        l = t->next;\n"
    freed = f"    while (l) {{\n{taken}        switch (t->tag) {{\n{ends}        }}\n"
    body = choose(k, lambda i: f"l = add(l, {i}, make{i}());") + freed + "        free(t);\n    }\n"
    return main_of("    struct item *l = NULL;\n", body, types, functions)


def sizes_of_elements(k: int) -> str:
    """One list of structs of k sizes that begin alike; a tag says which members a struct has."""
    types = "struct base { int tag; struct base *next; };\n"
    types += each(k, lambda i: f"struct t{i} {{ struct base base; long own{i}[{i + 1}]; }};\n")
    functions = each(
        k,
        lambda i: (
            f"static struct base *make{i}(struct base *l) {{\n    struct t{i} *n = malloc(sizeof *n);\n"
            f"    if (!n) abort();\n    n->base.tag = {i}; n->own{i}[{i}] = {i}; n->base.next = l;\n"
            "    return &n->base;\n}\n"
        ),
    )
    reads = each(k, lambda i: f"    case {i}: return ((struct t{i} *)b)->own{i}[{i}];\n")
    functions += f"static long read(struct base *b) {{\n    switch (b->tag) {{\n{reads}    }}\n    return 0;\n}}\n"
    walked = "    for (struct base *b = l; b; b = b->next) sum += read(b);\n"
    freed = "    while (l) { struct base *t = l->next; free(l); l = t; }\n"
    body = choose(k, lambda i: f"l = make{i}(l);") + walked + freed
    return main_of("    struct base *l = NULL;\n    long sum = 0;\n", body, types, functions)


def levels_of_trees(k: int) -> str:
    """A tree of k levels of types: each node has two children of the next type, or none; functions make and free it."""
    types = f"struct t{k - 1} {{ int key; }};\n"
    for i in reversed(range(k - 1)):
        types += f"struct t{i} {{ int key; struct t{i + 1} *left, *right; }};\n"
    functions = ""
    for i in reversed(range(k)):
        inner = i < k - 1
        functions += (
            f"static struct t{i} *make{i}(void) {{\n    if ({ANY}) return NULL;\n"
            f"    struct t{i} *t = malloc(sizeof *t);\n    if (!t) abort();\n    t->key = {ANY};\n"
            + (f"    t->left = make{i + 1}();\n    t->right = make{i + 1}();\n" if inner else "")
            + f"    return t;\n}}\nstatic void end{i}(struct t{i} *t) {{\n    if (!t) return;\n"
            + (f"    end{i + 1}(t->left);\n    end{i + 1}(t->right);\n" if inner else "")
            + "    free(t);\n}\n"
        )
    return main_of("", "    struct t0 *t = make0();\n    end0(t);\n", types, functions)


def calls_by_address(k: int) -> str:
    """A chain of k functions that get the address of a list and pass it on; each adds, walks or removes."""
    functions = (
        f"static void f{k}(struct node **l) {{ while (*l) {{ struct node *t = *l; *l = t->next; free(t); }} }}\n"
    )
    for i in reversed(range(k)):
        work = (
            f"    while ({ANY}) {{ {push('*l')} }}\n",
            "    for (struct node *p = *l; p; p = p->next) ;\n",
            f"    if (*l && {ANY}) {{ struct node *t = *l; *l = t->next; free(t); }}\n",
        )[i % 3]
        functions += f"static void f{i}(struct node **l) {{\n{work}    f{i + 1}(l);\n}}\n"
    return main_of("    struct node *l = NULL;\n", "    f0(&l);\n", functions=functions)


def functions_of_a_library(k: int) -> str:
    """A list in a header in the heap, and k functions on it, which a loop calls in any order."""
    types = NODE + "struct list { struct node *first; int length; };\n"
    shapes = (
        f"{push('s->first')} s->length++;",
        "struct node *t = s->first; if (t) { s->first = t->next; s->length--; free(t); }",
        "int c = 0; for (struct node *p = s->first; p; p = p->next) c++; s->length = c;",
        "struct node *r = NULL, *p = s->first; "
        "while (p) { struct node *t = p->next; p->next = r; r = p; p = t; } s->first = r;",
        "struct node **p = &s->first; while (*p) p = &(*p)->next; "
        "*p = malloc(sizeof **p); if (!*p) abort(); (*p)->next = NULL;",
    )
    functions = each(k, lambda i: f"static void f{i}(struct list *s) {{ {shapes[i % len(shapes)]} }}\n")
    made = made_block("s", "list") + "    s->first = NULL; s->length = 0;\n"
    return main_of(made, choose(k, lambda i: f"f{i}(s);") + free_list("s->first") + "    free(s);\n", types, functions)


USER_FAMILIES = (
    Family("lists that hand on", lists_that_hand_on, SIZES, 4, 8, 3.0, "l0"),
    Family("lists that refer", lists_that_refer, SIZES, 4, 8, 3.0),
    Family("lists in lists", lists_in_lists, SIZES, 4, 8, 3.0),
    Family("objects with tables", objects_with_tables, SIZES, 4, 8, 3.0, "data2"),
    Family("commands", commands, SIZES, 4, 8, 3.0),
    Family("states", states, SIZES, 4, 8, 3.0),
    Family("numbers beside a list", numbers_beside_a_list, SIZES, 4, 8, 3.0),
    Family("members of a node", members_of_a_node, SIZES, 4, 8, 3.0),
    Family("loops in a row", loops_in_a_row, SIZES, 4, 8, 3.0),
    Family("types of elements", types_of_elements, SIZES, 4, 8, 3.0),
    Family("sizes of elements", sizes_of_elements, SIZES, 4, 8, 3.0),
    Family("levels of trees", levels_of_trees, SIZES, 4, 8, 3.0, "left"),
    Family("calls by address", calls_by_address, SIZES, 4, 8, 3.0),
    Family("functions of a library", functions_of_a_library, SIZES, 4, 8, 3.0, "first"),
)

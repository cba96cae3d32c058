"""Families of programs with many parts, which are held, passed, moved and freed in other ways than in one loop."""

from __future__ import annotations

from collections.abc import Callable

from families import FILL, NODE, Family, choose, declare_lists, free_list, main_of, push

ANY = "__VERIFIER_nondet_int()"
SIZES = (2, 4, 8, 12)
MADE = "struct node *n = malloc(sizeof *n); if (!n) abort();"
QUEUE = NODE + "struct queue { struct node *first; struct node *last; };\n"


def each(k: int, text: Callable[[int], str]) -> str:
    return "".join(text(i) for i in range(k))


def lists_by_own_functions(k: int) -> str:
    """k lists, each filled by a function of its own and freed by another one."""
    functions = each(
        k,
        lambda i: (
            f"static struct node *fill{i}(void) {{\n    struct node *l = NULL;\n"
            f"    while ({ANY}) {{ {push('l')} }}\n    return l;\n}}\n"
            f"static void drop{i}(struct node *l) {{\n{free_list('l')}}}\n"
        ),
    )
    body = each(k, lambda i: f"    l{i} = fill{i}();\n") + each(k, lambda i: f"    drop{i}(l{i});\n")
    return main_of(declare_lists(k), body, functions=functions)


def lists_in_one_struct(k: int) -> str:
    """k lists whose heads are members of one struct."""
    types = NODE + "struct lists { " + each(k, lambda i: f"struct node *l{i}; ") + "};\n"
    zeros = ", ".join(["NULL"] * k)
    body = choose(k, lambda i: push(f"all.l{i}")) + each(k, lambda i: free_list(f"all.l{i}"))
    return main_of(f"    struct lists all = {{ {zeros} }};\n", body, types)


def struct_by_address(k: int) -> str:
    """As before; functions get the address of the struct."""
    types = NODE + "struct lists { " + each(k, lambda i: f"struct node *l{i}; ") + "};\n"
    functions = "static void init(struct lists *a) {\n" + each(k, lambda i: f"    a->l{i} = NULL;\n") + "}\n"
    functions += each(k, lambda i: f"static void add{i}(struct lists *a) {{ {push(f'a->l{i}')} }}\n")
    functions += "static void clear(struct lists *a) {\n" + each(k, lambda i: free_list(f"a->l{i}")) + "}\n"
    body = "    init(&all);\n" + choose(k, lambda i: f"add{i}(&all);") + "    clear(&all);\n"
    return main_of("    struct lists all;\n", body, types, functions)


def heads_in_an_argument(k: int) -> str:
    """k lists whose heads are in an array that functions get."""
    functions = f"""static void fill(struct node *heads[], int i) {{
    while ({ANY}) {{ {push("heads[i]")} }}
}}
static void drop(struct node *heads[], int n) {{
    for (int i = 0; i < n; i++)
        while (heads[i]) {{ struct node *t = heads[i]; heads[i] = t->next; free(t); }}
}}
"""
    body = each(k, lambda i: f"    fill(heads, {i});\n") + f"    drop(heads, {k});\n"
    return main_of(f"    struct node *heads[{k}] = {{ NULL }};\n", body, functions=functions)


def fields_of_a_header(k: int) -> str:
    """k lists whose heads are members of a block of the heap."""
    types = NODE + "struct header { " + each(k, lambda i: f"struct node *l{i}; ") + "};\n"
    made = "    struct header *h = malloc(sizeof *h);\n    if (!h) abort();\n" + each(
        k, lambda i: f"    h->l{i} = NULL;\n"
    )
    freed = each(k, lambda i: free_list(f"h->l{i}")) + "    free(h);\n"
    return main_of(made, choose(k, lambda i: push(f"h->l{i}")) + freed, types)


def stages_of_a_queue(k: int) -> str:
    """Nodes that move one by one through k queues."""
    declared = each(k, lambda i: f"    struct queue q{i} = {{ NULL, NULL }};\n")

    def enqueue(i: int) -> str:
        return f"n->next = NULL; if (q{i}.last) q{i}.last->next = n; else q{i}.first = n; q{i}.last = n;"

    def move(i: int) -> str:
        taken = f"struct node *n = q{i}.first; q{i}.first = n->next; if (!q{i}.first) q{i}.last = NULL;"
        return f"    while (q{i}.first) {{ {taken} {enqueue(i + 1)} }}\n"

    body = f"    while ({ANY}) {{ {MADE} {enqueue(0)} }}\n" + each(k - 1, move) + free_list(f"q{k - 1}.first")
    return main_of(declared, body, QUEUE)


def stages_at_once(k: int) -> str:
    """Nodes that move through k lists, each step of one loop takes one node from a list to the next."""

    def step(i: int) -> str:
        if not i:
            return push("l0")
        taken = f"struct node *n = l{i - 1}; l{i - 1} = n->next;"
        return f"if (l{i - 1}) {{ {taken} n->next = l{i}; l{i} = n; }}"

    return main_of(declare_lists(k), choose(k, step) + each(k, lambda i: free_list(f"l{i}")))


def levels_with_own_lists(k: int) -> str:
    """k levels of calls, each function with a list of its own while it calls the next one."""
    functions = FILL + "static void level0(void) { drop(fill()); }\n"
    functions += each(
        k,
        lambda i: (
            f"static void level{i + 1}(void) {{\n    struct node *l = fill();\n    level{i}();\n    drop(l);\n}}\n"
        ),
    )
    return main_of("", f"    level{k}();\n", functions=functions)


TREE = "struct tree { struct tree *left, *right; int key; };\n"


def trees_of_own_functions(k: int) -> str:
    """k search trees, filled in one loop, freed by a function that calls itself."""
    functions = """static void drop(struct tree *t) {
    if (!t) return;
    drop(t->left);
    drop(t->right);
    free(t);
}
"""

    def step(i: int) -> str:
        return (
            "struct tree *n = malloc(sizeof *n); if (!n) abort(); n->left = n->right = NULL; n->key = c;\n"
            f"            if (!t{i}) t{i} = n; else {{ struct tree *p = t{i};\n"
            "                for (;;) if (n->key < p->key) { if (!p->left) { p->left = n; break; } p = p->left; }\n"
            "                else { if (!p->right) { p->right = n; break; } p = p->right; } }"
        )

    declared = each(k, lambda i: f"    struct tree *t{i} = NULL;\n")
    return main_of(declared, choose(k, step) + each(k, lambda i: f"    drop(t{i});\n"), TREE, functions)


def flags_of_lists(k: int) -> str:
    """k lists, each with a flag that says whether it has nodes; the flag is tested before the list is read."""
    flags = each(k, lambda i: f"    int has{i} = 0;\n")
    reads = each(k, lambda i: f"    if (has{i}) {{ struct node *n = l{i}; l{i} = n->next; free(n); }}\n")
    loop = choose(k, lambda i: push(f"l{i}") + f" has{i} = 1;")
    return main_of(declare_lists(k) + flags, loop + reads + each(k, lambda i: free_list(f"l{i}")))


def lists_merged(k: int) -> str:
    """k lists that are appended one after the other to the first one."""
    functions = (
        FILL
        + """static struct node *append(struct node *a, struct node *b) {
    struct node *p = a;
    if (!a) return b;
    while (p->next) p = p->next;
    p->next = b;
    return a;
}
"""
    )
    fills = each(k, lambda i: f"    struct node *l{i} = fill();\n")
    merges = each(k - 1, lambda i: f"    l0 = append(l0, l{i + 1});\n")
    return main_of(fills, merges + "    drop(l0);\n", functions=functions)


def freed_in_turn(k: int) -> str:
    """k lists, freed in the reverse order by one loop that takes a node of each in turn."""
    condition = " || ".join(f"l{i}" for i in range(k))
    pops = "".join(
        f"        if (l{i}) {{ struct node *t = l{i}; l{i} = t->next; free(t); }}\n" for i in reversed(range(k))
    )
    body = choose(k, lambda i: push(f"l{i}")) + f"    while ({condition}) {{\n{pops}    }}\n"
    return main_of(declare_lists(k), body)


def producers_and_consumers(k: int) -> str:
    """k pairs of lists: free nodes and nodes in use, which one loop moves from one to the other."""
    declared = each(k, lambda i: f"    struct node *idle{i} = NULL, *busy{i} = NULL;\n")

    def step(i: int) -> str:
        return (
            f"if ({ANY}) {{ struct node *n = idle{i}; if (n) idle{i} = n->next;\n"
            "            else { n = malloc(sizeof *n); if (!n) abort(); }\n"
            f"            n->next = busy{i}; busy{i} = n; }}\n"
            f"            else if (busy{i}) {{ struct node *n = busy{i}; busy{i} = n->next;"
            f" n->next = idle{i}; idle{i} = n; }}"
        )

    freed = each(k, lambda i: free_list(f"idle{i}") + free_list(f"busy{i}"))
    return main_of(declared, choose(k, step) + freed)


def lists_of_own_types(k: int) -> str:
    """k lists of k types of nodes, each with functions of its own."""
    types = each(k, lambda i: f"struct node{i} {{ struct node{i} *next; int v{i}; }};\n")
    functions = each(
        k,
        lambda i: (
            f"static struct node{i} *add{i}(struct node{i} *l) {{\n"
            f"    struct node{i} *n = malloc(sizeof *n);\n    if (!n) abort();\n"
            f"    n->next = l; n->v{i} = {i};\n    return n;\n}}\n"
            f"static void drop{i}(struct node{i} *l) {{\n"
            f"    while (l) {{ struct node{i} *t = l; l = l->next; free(t); }}\n}}\n"
        ),
    )
    declared = each(k, lambda i: f"    struct node{i} *l{i} = NULL;\n")
    body = choose(k, lambda i: f"l{i} = add{i}(l{i});") + each(k, lambda i: f"    drop{i}(l{i});\n")
    return main_of(declared, body, types, functions)


def lists_inside_functions(k: int) -> str:
    """k functions, each with a list that it fills, walks and frees; a list of the caller lives through all calls."""
    functions = FILL + each(
        k,
        lambda i: (
            f"static int job{i}(struct node *outer) {{\n    struct node *l = NULL;\n    int n = 0;\n"
            f"    for (struct node *p = outer; p; p = p->next) {{ {push('l')} }}\n"
            f"    for (struct node *p = l; p; p = p->next) n++;\n{free_list('l')}    return n;\n}}\n"
        ),
    )
    body = each(k, lambda i: f"    job{i}(l);\n") + "    drop(l);\n"
    return main_of("    struct node *l = fill();\n", body, functions=functions)


def blocks_of_nodes(k: int) -> str:
    """A list whose nodes have k blocks of their own, each there or not."""
    types = "struct node { " + each(k, lambda i: f"int *b{i}; ") + "struct node *next; };\n"
    made = each(k, lambda i: f"n->b{i} = {ANY} ? malloc(sizeof(int)) : NULL; ")
    freed = each(k, lambda i: f"free(t->b{i}); ")
    loop = f"    while ({ANY}) {{ {push('l', made)} }}\n"
    loop += f"    while (l) {{ struct node *t = l; l = l->next; {freed}free(t); }}\n"
    return main_of("    struct node *l = NULL;\n", loop, types)


def lists_of_nodes(k: int) -> str:
    """A list whose nodes have k lists of items."""
    types = "struct item { struct item *more; };\n"
    types += "struct node { " + each(k, lambda i: f"struct item *i{i}; ") + "struct node *next; };\n"
    made = each(k, lambda i: f"n->i{i} = NULL; ")
    item = "struct item *m = malloc(sizeof *m); if (!m) abort();"
    fills = each(k, lambda i: f"        while ({ANY}) {{ {item} m->more = n->i{i}; n->i{i} = m; }}\n")
    freed = each(k, lambda i: f"        while (t->i{i}) {{ struct item *m = t->i{i}; t->i{i} = m->more; free(m); }}\n")
    loop = f"    while ({ANY}) {{\n        {push('l', made)}\n{fills}    }}\n"
    loop += f"    while (l) {{\n        struct node *t = l;\n{freed}        l = t->next;\n        free(t);\n    }}\n"
    return main_of("    struct node *l = NULL;\n", loop, types)


def doubly_linked_lists(k: int) -> str:
    """k doubly linked lists: each step of one loop adds a node to one of them."""
    types = "struct node { struct node *next, *prev; };\n"

    def step(i: int) -> str:
        return f"{MADE} n->prev = NULL; n->next = l{i}; if (l{i}) l{i}->prev = n; l{i} = n;"

    return main_of(declare_lists(k), choose(k, step) + each(k, lambda i: free_list(f"l{i}")), types)


def pushed_by_address(k: int) -> str:
    """k lists through two functions that get the address of a head."""
    functions = f"""static void add(struct node **l) {{ {push("*l")} }}
static void clear(struct node **l) {{ while (*l) {{ struct node *t = *l; *l = t->next; free(t); }} }}
"""
    body = choose(k, lambda i: f"add(&l{i});") + each(k, lambda i: f"    clear(&l{i});\n")
    return main_of(declare_lists(k), body, functions=functions)


def states_with_lists(k: int) -> str:
    """A machine with k states, each with a list that it fills."""
    cases = each(
        k,
        lambda i: f"        case {i}: {{ {push(f'l{i}')} }} state = {ANY} ? {(i + 1) % k} : {(i + 2) % k}; break;\n",
    )
    loop = f"    while ({ANY}) {{\n        switch (state) {{\n{cases}        default: abort();\n        }}\n    }}\n"
    return main_of(declare_lists(k) + "    int state = 0;\n", loop + each(k, lambda i: free_list(f"l{i}")))


def headers_of_the_heap(k: int) -> str:
    """k lists, each behind a header of the heap that counts its nodes; functions make, fill and free them."""
    types = NODE + "struct list { struct node *head; int length; };\n"
    functions = f"""static struct list *create(void) {{
    struct list *l = malloc(sizeof *l);
    if (!l) abort();
    l->head = NULL; l->length = 0;
    return l;
}}
static void add(struct list *l) {{ {push("l->head")} l->length++; }}
static void destroy(struct list *l) {{
    while (l->head) {{ struct node *t = l->head; l->head = t->next; free(t); }}
    free(l);
}}
"""
    declared = each(k, lambda i: f"    struct list *l{i} = create();\n")
    body = choose(k, lambda i: f"add(l{i});") + each(k, lambda i: f"    destroy(l{i});\n")
    return main_of(declared, body, types, functions)


def global_queues(k: int) -> str:
    """k global queues with two functions each, used by one loop of `main`."""
    functions = each(
        k,
        lambda i: (
            f"static struct queue q{i};\n"
            f"static void put{i}(void) {{ {MADE} n->next = NULL;\n"
            f"    if (q{i}.last) q{i}.last->next = n; else q{i}.first = n;\n    q{i}.last = n;\n}}\n"
            f"static void get{i}(void) {{ struct node *n = q{i}.first;\n    if (!n) return;\n"
            f"    q{i}.first = n->next;\n    if (!q{i}.first) q{i}.last = NULL;\n    free(n);\n}}\n"
        ),
    )
    body = choose(k, lambda i: f"if ({ANY}) put{i}(); else get{i}();")
    return main_of("", body + each(k, lambda i: f"    while (q{i}.first) get{i}();\n"), QUEUE, functions)


PART_FAMILIES = (
    Family("lists by own functions", lists_by_own_functions, SIZES, 4, 8, 3.0),
    Family("lists in one struct", lists_in_one_struct, SIZES, 4, 8, 3.0),
    Family("struct by address", struct_by_address, SIZES, 4, 8, 3.0),
    Family("heads in an argument", heads_in_an_argument, SIZES, 4, 8, 3.0),
    Family("fields of a header", fields_of_a_header, SIZES, 4, 8, 3.0, "l0"),
    Family("stages of a queue", stages_of_a_queue, SIZES, 4, 8, 3.0),
    Family("stages at once", stages_at_once, SIZES, 4, 8, 3.0),
    Family("levels with own lists", levels_with_own_lists, SIZES, 4, 8, 3.0),
    Family("trees of own functions", trees_of_own_functions, SIZES, 4, 8, 3.0, "left"),
    Family("lists that flags describe", flags_of_lists, SIZES, 4, 8, 3.0),
    Family("lists merged", lists_merged, SIZES, 4, 8, 3.0),
    Family("freed in turn", freed_in_turn, SIZES, 4, 8, 3.0),
    Family("producers and consumers", producers_and_consumers, SIZES, 4, 8, 3.0),
    Family("lists of own types", lists_of_own_types, SIZES, 4, 8, 3.0),
    Family("lists inside functions", lists_inside_functions, SIZES, 4, 8, 3.0),
    Family("blocks of nodes", blocks_of_nodes, SIZES, 4, 8, 3.0),
    Family("lists of nodes", lists_of_nodes, SIZES, 4, 8, 3.0),
    Family("doubly linked lists", doubly_linked_lists, SIZES, 4, 8, 3.0),
    Family("pushed by address", pushed_by_address, SIZES, 4, 8, 3.0),
    Family("states with lists", states_with_lists, SIZES, 4, 8, 3.0),
    Family("headers of the heap", headers_of_the_heap, SIZES, 4, 8, 3.0, "head"),
    Family("global queues", global_queues, SIZES, 4, 8, 3.0),
)

"""Families of programs whose data structures grow: headers with many members, rings, nested structs, function pointers.

Each has one heap that many lists or trees hang from, or many structures of one kind, or many levels of structs.
"""

from __future__ import annotations

from families import NODE, TREE, Family, choose, declare_lists, free_list, main_of, push
from part_families import ANY, MADE, QUEUE, SIZES, each

DOUBLY_LINKED = "struct node { struct node *next, *prev; };\n"


def made_block(name: str, struct: str) -> str:
    return f"    struct {struct} *{name} = malloc(sizeof *{name});\n    if (!{name}) abort();\n"


def enqueue(queue: str) -> str:
    return f"{MADE} n->next = NULL; if ({queue}last) {queue}last->next = n; else {queue}first = n; {queue}last = n;"


def queues_of_a_header(k: int) -> str:
    """k queues, each with its first and its last node, whose ends are members of one block of the heap."""
    members = each(k, lambda i: f"struct node *q{i}_first, *q{i}_last; ")
    types = NODE + "struct header { " + members + "};\n"
    made = made_block("h", "header") + each(k, lambda i: f"    h->q{i}_first = h->q{i}_last = NULL;\n")
    freed = each(k, lambda i: free_list(f"h->q{i}_first")) + "    free(h);\n"
    return main_of(made, choose(k, lambda i: enqueue(f"h->q{i}_")) + freed, types)


def queues_of_one_struct(k: int) -> str:
    """k queues that are members of one local struct; functions get its address."""
    types = QUEUE + "struct queues { " + each(k, lambda i: f"struct queue q{i}; ") + "};\n"
    functions = f"""static void put(struct queue *q) {{ {enqueue("q->")} }}
static void clear(struct queue *q) {{
    while (q->first) {{ struct node *t = q->first; q->first = t->next; free(t); }}
}}
"""
    zeros = ", ".join(["{ NULL, NULL }"] * k)
    body = choose(k, lambda i: f"put(&all.q{i});") + each(k, lambda i: f"    clear(&all.q{i});\n")
    return main_of(f"    struct queues all = {{ {zeros} }};\n", body, types, functions)


def trees_of_a_header(k: int) -> str:
    """k trees, whose roots are members of one block of the heap."""
    types = TREE + "struct header { " + each(k, lambda i: f"struct tree *t{i}; ") + "};\n"
    functions = """static void drop(struct tree *t) {
    if (!t) return;
    drop(t->left);
    drop(t->right);
    free(t);
}
"""

    def step(i: int) -> str:
        made = "struct tree *n = malloc(sizeof *n); if (!n) abort();"
        return f"{made} n->left = h->t{i}; n->right = NULL; h->t{i} = n;"

    made = made_block("h", "header") + each(k, lambda i: f"    h->t{i} = NULL;\n")
    freed = each(k, lambda i: f"    drop(h->t{i});\n") + "    free(h);\n"
    return main_of(made, choose(k, step) + freed, types, functions)


def header_by_functions(k: int) -> str:
    """k lists that hang from one block of the heap; functions make, fill and free it."""
    types = NODE + "struct header { " + each(k, lambda i: f"struct node *l{i}; ") + "};\n"
    functions = (
        f"static struct header *create(void) {{\n{made_block('h', 'header')}"
        + each(k, lambda i: f"    h->l{i} = NULL;\n")
        + "    return h;\n}\n"
        + each(k, lambda i: f"static void add{i}(struct header *h) {{ {push(f'h->l{i}')} }}\n")
        + "static void clear(struct node *l) {\n"
        + free_list("l")
        + "}\nstatic void destroy(struct header *h) {\n"
        + each(k, lambda i: f"    clear(h->l{i});\n")
        + "    free(h);\n}\n"
    )
    body = choose(k, lambda i: f"add{i}(h);") + "    destroy(h);\n"
    return main_of("    struct header *h = create();\n", body, types, functions)


def rings(k: int) -> str:
    """k rings: each has a pointer to its last node, and a node is added after it."""

    def step(i: int) -> str:
        return f"{MADE} if (r{i}) {{ n->next = r{i}->next; r{i}->next = n; }} else n->next = n; r{i} = n;"

    def freed(i: int) -> str:
        return (
            f"    if (r{i}) {{ struct node *p = r{i}->next; r{i}->next = NULL;\n"
            "        while (p) { struct node *t = p; p = p->next; free(t); } }\n"
        )

    declared = each(k, lambda i: f"    struct node *r{i} = NULL;\n")
    return main_of(declared, choose(k, step) + each(k, freed))


def doubly_linked_queues(k: int) -> str:
    """k doubly linked lists with both ends, with removal from either end, in one loop."""
    declared = each(k, lambda i: f"    struct node *first{i} = NULL, *last{i} = NULL;\n")

    def step(i: int) -> str:
        a, b = f"first{i}", f"last{i}"
        return (
            f"if ({ANY}) {{ {MADE} n->next = NULL; n->prev = {b}; if ({b}) {b}->next = n; else {a} = n; {b} = n; }}\n"
            f"            else if ({a}) {{ struct node *n = {a}; {a} = n->next;"
            f" if ({a}) {a}->prev = NULL; else {b} = NULL; free(n); }}"
        )

    return main_of(declared, choose(k, step) + each(k, lambda i: free_list(f"first{i}")), DOUBLY_LINKED)


def containers_by_pointers(k: int) -> str:
    """k containers, each with a table of functions through which the client fills and frees it."""
    types = NODE + "struct ops { struct node *(*add)(struct node *); void (*clear)(struct node *); };\n"
    functions = each(
        k,
        lambda i: (
            f"static struct node *add{i}(struct node *l) {{ {push('l')} return l; }}\n"
            f"static void clear{i}(struct node *l) {{\n{free_list('l')}}}\n"
            f"static const struct ops ops{i} = {{ add{i}, clear{i} }};\n"
        ),
    )
    body = choose(k, lambda i: f"l{i} = ops{i}.add(l{i});") + each(k, lambda i: f"    ops{i}.clear(l{i});\n")
    return main_of(declare_lists(k), body, types, functions)


def nested_structs(k: int) -> str:
    """k levels of structs in structs, each with a list of its own."""
    types = NODE + "struct s0 { struct node *l; };\n"
    types += each(k - 1, lambda i: f"struct s{i + 1} {{ struct node *l; struct s{i} in; }};\n")
    paths = ["all" + ".in" * i + ".l" for i in range(k)]
    declared = f"    struct s{k - 1} all;\n" + "".join(f"    {path} = NULL;\n" for path in paths)
    return main_of(declared, choose(k, lambda i: push(paths[i])) + "".join(map(free_list, paths)), types)


def nested_blocks(k: int) -> str:
    """k levels of blocks of the heap, each with a list of its own and a pointer to the next level."""
    types = NODE + "struct s0 { struct node *l; };\n"
    types += each(k - 1, lambda i: f"struct s{i + 1} {{ struct node *l; struct s{i} *in; }};\n")
    paths = ["all" + "->in" * i + "->l" for i in range(k)]
    made = made_block("all", f"s{k - 1}")
    for i in range(k):
        at = "all" + "->in" * i
        made += f"    {at}->l = NULL;\n"
        if i < k - 1:
            made += f"    {at}->in = malloc(sizeof *{at}->in);\n    if (!{at}->in) abort();\n"
    freed = "".join(
        f"    struct s{k - 1 - i} *b{i} = {'all' if not i else f'b{i - 1}->in'};\n" for i in range(k)
    ) + each(k, lambda i: f"    free(b{i});\n")
    return main_of(made, choose(k, lambda i: push(paths[i])) + "".join(map(free_list, paths)) + freed, types)


def lists_of_lists(k: int) -> str:
    """k lists of lists, filled in one loop."""
    types = "struct item { struct item *more; };\nstruct node { struct item *items; struct node *next; };\n"
    item = "struct item *m = malloc(sizeof *m); if (!m) abort();"

    def step(i: int) -> str:
        fill = f"while ({ANY}) {{ {item} m->more = l{i}->items; l{i}->items = m; }}"
        return push(f"l{i}", "n->items = NULL; ") + f" {fill}"

    def freed(i: int) -> str:
        items = "while (t->items) { struct item *m = t->items; t->items = m->more; free(m); }"
        return f"    while (l{i}) {{ struct node *t = l{i}; l{i} = t->next;\n        {items} free(t); }}\n"

    return main_of(declare_lists(k), choose(k, step) + each(k, freed), types)


def records_of_blocks(k: int) -> str:
    """One record of the heap with k blocks, each there or not, and k tests before they are freed."""
    types = "struct record { " + each(k, lambda i: f"int *b{i}; ") + "};\n"
    made = made_block("r", "record") + each(k, lambda i: f"    r->b{i} = NULL;\n")

    def step(i: int) -> str:
        return f"if (!r->b{i}) {{ r->b{i} = malloc(sizeof(int)); if (r->b{i}) *r->b{i} = c; }}"

    freed = each(k, lambda i: f"    if (r->b{i}) {{ *r->b{i} += 1; free(r->b{i}); }}\n") + "    free(r);\n"
    return main_of(made, choose(k, step) + freed, types)


def calls_in_a_chain(k: int) -> str:
    """k functions that call each other in a chain, each with a list of its own and the list of the one before."""
    functions = f"static void f{k}(struct node *outer) {{ (void)outer; }}\n"
    for i in reversed(range(k)):
        functions += (
            f"static void f{i}(struct node *outer) {{\n    struct node *l = NULL;\n"
            f"    for (struct node *p = outer; p; p = p->next) {{ {push('l')} }}\n"
            f"    while ({ANY}) {{ {push('l')} }}\n    f{i + 1}(l);\n{free_list('l')}}}\n"
        )
    return main_of("", "    f0(NULL);\n", functions=functions)


STRUCTURE_FAMILIES = (
    Family("queues of a header", queues_of_a_header, SIZES, 4, 8, 3.0, "q0_first"),
    Family("queues of one struct", queues_of_one_struct, SIZES, 4, 8, 3.0),
    Family("trees of a header", trees_of_a_header, SIZES, 4, 8, 3.0, "t0"),
    Family("header by functions", header_by_functions, SIZES, 4, 8, 3.0, "l0"),
    Family("rings", rings, SIZES, 4, 8, 3.0),
    Family("doubly linked queues", doubly_linked_queues, SIZES, 4, 8, 3.0),
    Family("containers by pointers", containers_by_pointers, SIZES, 4, 8, 3.0),
    Family("nested structs", nested_structs, SIZES, 4, 8, 3.0),
    Family("nested blocks", nested_blocks, SIZES, 4, 8, 3.0, "l"),
    Family("lists of lists", lists_of_lists, SIZES, 4, 8, 3.0),
    Family("records of blocks", records_of_blocks, SIZES, 4, 8, 3.0, "b0"),
    Family("calls in a chain", calls_in_a_chain, SIZES, 4, 8, 3.0),
)

"""Families of programs with many structures that tables, pipelines, merges, arrays, counts and texts hold together."""

from __future__ import annotations

from families import NODE, TREE, Family, choose, declare_lists, free_list, main_of, push
from part_families import ANY, MADE, QUEUE, SIZES, each
from structure_families import enqueue, made_block

DROP = f"static void drop(struct node *l) {{\n{free_list('l')}}}\n"


def lists_of_nested_structs(k: int) -> str:
    """k levels of structs in structs, each with a list; functions get the address of a level."""
    types = NODE + "struct level { struct node *l; int used; };\nstruct s0 { struct level own; };\n"
    types += each(k - 1, lambda i: f"struct s{i + 1} {{ struct level own; struct s{i} in; }};\n")
    functions = (
        f"static void add(struct level *v) {{ {push('v->l')} v->used = 1; }}\n"
        f"static void clear(struct level *v) {{\n{free_list('v->l')}    v->used = 0;\n}}\n"
    )
    levels = ["all" + ".in" * i + ".own" for i in range(k)]
    declared = f"    struct s{k - 1} all;\n" + "".join(f"    {at}.l = NULL; {at}.used = 0;\n" for at in levels)
    body = choose(k, lambda i: f"add(&{levels[i]});") + "".join(f"    clear(&{at});\n" for at in levels)
    return main_of(declared, body, types, functions)


def lists_by_a_table(k: int) -> str:
    """k lists, each filled and freed through its row in a table of function pointers."""
    types = NODE + "typedef struct node *(*adder)(struct node *);\ntypedef void (*dropper)(struct node *);\n"
    functions = each(
        k,
        lambda i: (
            f"static struct node *add{i}(struct node *l) {{ {push('l')} return l; }}\n"
            f"static void drop{i}(struct node *l) {{\n{free_list('l')}}}\n"
        ),
    )
    adders = ", ".join(f"add{i}" for i in range(k))
    droppers = ", ".join(f"drop{i}" for i in range(k))
    functions += f"static const adder adders[] = {{ {adders} }};\nstatic const dropper droppers[] = {{ {droppers} }};\n"
    body = choose(k, lambda i: f"l{i} = adders[{i}](l{i});") + each(k, lambda i: f"    droppers[{i}](l{i});\n")
    return main_of(declare_lists(k), body, types, functions)


def pipeline(k: int) -> str:
    """A pipeline of k stages: one loop adds nodes to the first list, moves one to the next list, or frees one."""

    def step(i: int) -> str:
        taken = f"if (l{i}) {{ struct node *n = l{i}; l{i} = n->next; "
        return taken + (f"n->next = l{i + 1}; l{i + 1} = n; }}" if i < k - 1 else "free(n); }")

    loop = f"    while ({ANY}) {{ {push('l0')} }}\n" + choose(k, step)
    return main_of(declare_lists(k), loop + each(k, lambda i: free_list(f"l{i}")))


def stages_one_after_the_other(k: int) -> str:
    """k stages, one after the other: each moves all nodes of a list to the next list."""
    moves = each(
        k - 1,
        lambda i: f"    while (l{i}) {{ struct node *n = l{i}; l{i} = n->next; n->next = l{i + 1}; l{i + 1} = n; }}\n",
    )
    filled = f"    while ({ANY}) {{ {push('l0')} }}\n"
    return main_of(declare_lists(k), filled + moves + free_list(f"l{k - 1}"))


def merge_of_lists(k: int) -> str:
    """k lists with keys, merged into one that is freed."""
    types = "struct node { int key; struct node *next; };\n"
    filled = each(k, lambda i: f"    while ({ANY}) {{ {push(f'l{i}', f'n->key = {ANY}; ')} }}\n")
    merged = each(
        k,
        lambda i: f"        if (l{i} && (!*best || l{i}->key < (*best)->key)) best = &l{i};\n",
    )
    loop = (
        "    struct node *out = NULL, **end = &out, *none = NULL;\n"
        "    for (;;) {\n        struct node **best = &none;\n"
        + merged
        + "        if (!*best) break;\n        struct node *n = *best;\n"
        + "        *best = n->next; n->next = NULL; *end = n; end = &n->next;\n    }\n"
    )
    return main_of(declare_lists(k), filled + loop + free_list("out"), types)


def merges_in_pairs(k: int) -> str:
    """k lists; a function appends each to the one before, and the last one is freed."""
    functions = (
        "static struct node *append(struct node *a, struct node *b) {\n    if (!a) return b;\n"
        "    struct node *p = a;\n    while (p->next) p = p->next;\n    p->next = b;\n    return a;\n}\n" + DROP
    )
    filled = each(k, lambda i: f"    while ({ANY}) {{ {push(f'l{i}')} }}\n")
    appended = each(k - 1, lambda i: f"    l0 = append(l0, l{i + 1});\n")
    return main_of(declare_lists(k), filled + appended + "    drop(l0);\n", functions=functions)


def rings_of_a_header(k: int) -> str:
    """k rings, each reached from a member of one header in the heap."""
    types = NODE + "struct header { " + each(k, lambda i: f"struct node *r{i}; ") + "};\n"

    def step(i: int) -> str:
        ring = f"h->r{i}"
        return f"{MADE} if ({ring}) {{ n->next = {ring}->next; {ring}->next = n; }} else {{ n->next = n; {ring} = n; }}"

    def freed(i: int) -> str:
        return (
            f"    if (h->r{i}) {{ struct node *p = h->r{i}->next; h->r{i}->next = NULL;\n"
            "        while (p) { struct node *t = p; p = p->next; free(t); } }\n"
        )

    made = made_block("h", "header") + each(k, lambda i: f"    h->r{i} = NULL;\n")
    return main_of(made, choose(k, step) + each(k, freed) + "    free(h);\n", types)


def array_of_trees(k: int) -> str:
    """k trees whose roots are the elements of an array; functions insert into a tree and free it."""
    functions = """static struct tree *insert(struct tree *t) {
    struct tree *n = malloc(sizeof *n);
    if (!n) abort();
    n->left = t; n->right = NULL;
    return n;
}
static void drop(struct tree *t) {
    if (!t) return;
    drop(t->left);
    drop(t->right);
    free(t);
}
"""
    filled = f"    while ({ANY}) {{ int i = {ANY}; if (i >= 0 && i < {k}) roots[i] = insert(roots[i]); }}\n"
    freed = f"    for (int i = 0; i < {k}; i++) drop(roots[i]);\n"
    return main_of(f"    struct tree *roots[{k}] = {{ NULL }};\n", filled + freed, TREE, functions)


def queues_by_switch(k: int) -> str:
    """k queues; a switch in one loop puts a node into one of them or takes one out."""
    functions = f"""static void put(struct queue *q) {{ {enqueue("q->")} }}
static void take(struct queue *q) {{
    struct node *n = q->first;
    if (!n) return;
    q->first = n->next;
    if (!q->first) q->last = NULL;
    free(n);
}}
"""
    cases = each(
        k, lambda i: f"        case {2 * i}: put(&q{i}); break;\n        case {2 * i + 1}: take(&q{i}); break;\n"
    )
    loop = f"    while ({ANY}) {{\n        switch ({ANY}) {{\n{cases}        default: break;\n        }}\n    }}\n"
    declared = each(k, lambda i: f"    struct queue q{i} = {{ NULL, NULL }};\n")
    return main_of(declared, loop + each(k, lambda i: f"    while (q{i}.first) take(&q{i});\n"), QUEUE, functions)


def lists_with_counts(k: int) -> str:
    """k lists, each with a number that counts its nodes and says how many are freed."""
    counts = each(k, lambda i: f"    int c{i} = 0;\n")
    steps = choose(k, lambda i: f"if (c{i} < 1000) {{ {push(f'l{i}')} c{i}++; }}")
    freed = each(k, lambda i: f"    while (c{i} > 0) {{ struct node *t = l{i}; l{i} = t->next; free(t); c{i}--; }}\n")
    return main_of(declare_lists(k) + counts, steps + freed)


def lists_with_texts(k: int) -> str:
    """k lists whose nodes have a text of their own."""
    types = "#include <string.h>\nstruct node { char *text; struct node *next; };\n"
    functions = """static struct node *add(struct node *l, const char *text) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->text = malloc(strlen(text) + 1);
    if (!n->text) abort();
    strcpy(n->text, text);
    n->next = l;
    return n;
}
"""
    freed = each(
        k, lambda i: f"    while (l{i}) {{ struct node *t = l{i}; l{i} = t->next; free(t->text); free(t); }}\n"
    )
    return main_of(declare_lists(k), choose(k, lambda i: f'l{i} = add(l{i}, "text{i}");') + freed, types, functions)


def deep_calls(k: int) -> str:
    """A chain of calls of depth k: each function adds to the list that it gets, and the last one frees it."""
    functions = DROP + f"static void f{k}(struct node *l) {{ drop(l); }}\n"
    for i in reversed(range(k)):
        functions += (
            f"static void f{i}(struct node *l) {{\n    while ({ANY}) {{ {push('l')} }}\n"
            f"    for (struct node *p = l; p; p = p->next) ;\n    f{i + 1}(l);\n}}\n"
        )
    return main_of("", "    f0(NULL);\n", functions=functions)


def cursors_of_one_list(k: int) -> str:
    """One list with k cursors, all alive at the same time; each step advances one of them."""
    cursors = "".join(f"    struct node *c{i} = l0;\n" for i in range(k))
    steps = choose(k, lambda i: f"if (c{i}) c{i} = c{i}->next;")
    filled = f"    while ({ANY}) {{ {push('l0')} }}\n"
    return main_of(declare_lists(1), filled + cursors + steps + free_list("l0"))


def trees_of_own_types(k: int) -> str:
    """k trees of different types, each with its own recursive functions, all alive at the same time."""
    functions = "".join(
        f"struct tree{i} {{ struct tree{i} *left, *right; }};\n"
        f"static struct tree{i} *grow{i}(int n) {{\n    struct tree{i} *t = n > 0 ? malloc(sizeof *t) : NULL;\n"
        f"    if (!t) return NULL;\n    t->left = grow{i}(n - 1);\n    t->right = grow{i}(n - 2);\n    return t;\n}}\n"
        f"static void fell{i}(struct tree{i} *t) {{\n    if (!t) return;\n    fell{i}(t->left);\n"
        f"    fell{i}(t->right);\n    free(t);\n}}\n"
        for i in range(k)
    )
    grown = "".join(f"    struct tree{i} *t{i} = grow{i}({ANY});\n" for i in range(k))
    return main_of(grown, "".join(f"    fell{i}(t{i});\n" for i in range(k)), types="", functions=functions)


GROWN_FAMILIES = (
    Family("lists of nested structs", lists_of_nested_structs, SIZES, 4, 8, 3.0),
    Family("lists by a table", lists_by_a_table, SIZES, 4, 8, 3.0),
    Family("pipeline", pipeline, SIZES, 4, 8, 3.0),
    Family("stages in a row", stages_one_after_the_other, SIZES, 4, 8, 3.0),
    Family("merge of lists", merge_of_lists, (2, 4, 8), 4, 8, 3.0),
    Family("merges in pairs", merges_in_pairs, SIZES, 4, 8, 3.0),
    Family("rings of a header", rings_of_a_header, SIZES, 4, 8, 3.0, "r0"),
    Family("array of trees", array_of_trees, (2, 4, 8), 4, 8, 3.0, "left"),
    Family("queues by switch", queues_by_switch, SIZES, 4, 8, 3.0),
    Family("lists with counts", lists_with_counts, SIZES, 4, 8, 3.0),
    Family("lists with texts", lists_with_texts, SIZES, 4, 8, 3.0),
    Family("deep calls", deep_calls, SIZES, 4, 8, 3.0),
    Family("cursors of one list", cursors_of_one_list, (2, 4, 8, 12), 4, 8, 3.0),
    Family("trees of own types", trees_of_own_types, (2, 4, 8), 4, 8, 3.0, "left"),
)

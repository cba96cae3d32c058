"""Families of programs with k structures in an array, one of which an unknown number chooses."""

from __future__ import annotations

from families import NODE, Family, free_list, main_of, push
from part_families import ANY, QUEUE
from structure_families import enqueue

BY_ADDRESS = f"""static void put(struct node **l) {{ {push("*l")} }}
static struct node *take(struct node **l) {{
    struct node *n = *l;
    if (n) {{ *l = n->next; n->next = NULL; }}
    return n;
}}
static void drop(struct node *l) {{
{free_list("l")}}}
"""
QUEUES = f"""static void put(struct queue *q) {{ {enqueue("q->")} }}
static void take(struct queue *q) {{
    struct node *n = q->first;
    if (!n) return;
    q->first = n->next;
    if (!q->first) q->last = NULL;
    free(n);
}}
"""
SIZES = (2, 4, 8)


def in_a_loop(k: int, step: str, names: str = "i") -> str:
    """A loop whose step has unknown indices below k."""
    declared = ", ".join(f"{name} = {ANY}" for name in names)
    outside = " || ".join(f"{name} < 0 || {name} >= {k}" for name in names)
    return f"    while ({ANY}) {{\n        int {declared};\n        if ({outside}) continue;\n        {step}\n    }}\n"


def for_each(k: int, step: str) -> str:
    return f"    for (int i = 0; i < {k}; i++) {step}\n"


def array_of_stacks(k: int) -> str:
    """k stacks in an array; nodes are pushed to one of them, or moved from one to another."""
    move = "{ struct node *n = take(&s[i]); if (n) { n->next = s[j]; s[j] = n; } }"
    steps = in_a_loop(k, f"if ({ANY}) put(&s[i]); else {move}", "ij")
    cleared, freed = for_each(k, "s[i] = NULL;"), for_each(k, "drop(s[i]);")
    return main_of(f"    struct node *s[{k}];\n", cleared + steps + freed, NODE, BY_ADDRESS)


def array_of_queues(k: int) -> str:
    """k queues in an array of structs."""
    steps = in_a_loop(k, f"if ({ANY}) put(&q[i]); else take(&q[i]);")
    cleared = for_each(k, "q[i].first = q[i].last = NULL;")
    freed = for_each(k, "while (q[i].first) take(&q[i]);")
    return main_of(f"    struct queue q[{k}];\n", cleared + steps + freed, QUEUE, QUEUES)


def shelves(k: int) -> str:
    """A struct with an array of k lists, behind a pointer, and a list beside it."""
    types = NODE + f"struct shelf {{ struct node *rows[{k}]; struct node *spare; }};\n"
    functions = BY_ADDRESS + (
        "static void move(struct shelf *s, int i) { struct node *n = take(&s->rows[i]); "
        "if (n) { n->next = s->spare; s->spare = n; } }\n"
    )
    declared = "    struct shelf s;\n    s.spare = NULL;\n" + for_each(k, "s.rows[i] = NULL;")
    steps = in_a_loop(k, f"if ({ANY}) put(&s.rows[i]); else move(&s, i);")
    return main_of(declared, steps + for_each(k, "drop(s.rows[i]);") + "    drop(s.spare);\n", types, functions)


def chosen_lists(k: int) -> str:
    """k lists; a pointer to one of the variables is chosen, and used three times."""
    choice = "".join(f"        if (c == {i}) p = &l{i};\n" for i in range(k))
    use = "        if (p) { put(p); put(p); free(take(p)); }\n"
    loop = f"    while ({ANY}) {{\n        struct node **p = NULL;\n        int c = {ANY};\n{choice}{use}    }}\n"
    declared = "".join(f"    struct node *l{i} = NULL;\n" for i in range(k))
    return main_of(declared, loop + "".join(f"    drop(l{i});\n" for i in range(k)), NODE, BY_ADDRESS)


CHOICE_FAMILIES = (
    Family("array of stacks", array_of_stacks, SIZES, 4, 8, 4.0),
    Family("array of queues", array_of_queues, SIZES, 4, 8, 3.0),
    Family("shelves", shelves, SIZES, 4, 8, 3.0),
    Family("chosen lists", chosen_lists, SIZES, 4, 8, 3.0),
)

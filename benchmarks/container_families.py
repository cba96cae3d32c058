"""Programs that use several containers at once: macros, intrusive lists and queues, a tree, a table, each as a library.

The containers are written in the styles of common libraries: macros that declare heads and entries, a ring of entries
that are embedded in objects (`container_of`), a queue whose tail is the address of the last link, a tree with pairing
as a heap, a pool of nodes. Member k of the family has the first k of them, all alive at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from families import HEAD, Family

ANY = "__VERIFIER_nondet_int()"


@dataclass(frozen=True)
class Container:
    """Text of a container: its declarations, and what `main` declares, does in its loop, and does at the end."""

    name: str
    types: str
    declared: str
    step: str
    end: str


CONTAINERS = (
    Container(
        "macro list",
        """#define SL_HEAD(name, type) struct name { struct type *first; }
#define SL_ENTRY(type) struct { struct type *next; }
#define SL_PUSH(head, elm, field) do { (elm)->field.next = (head)->first; (head)->first = (elm); } while (0)
#define SL_POP(head, field) do { (head)->first = (head)->first->field.next; } while (0)
struct job { int number; SL_ENTRY(job) link; };
SL_HEAD(jobs, job);
""",
        "    struct jobs jobs = { NULL };\n",
        """struct job *j = malloc(sizeof *j);
            if (!j) abort();
            j->number = c;
            SL_PUSH(&jobs, j, link);
""",
        "    while (jobs.first) { struct job *j = jobs.first; SL_POP(&jobs, link); free(j); }\n",
    ),
    Container(
        "embedded ring",
        """#include <stddef.h>
struct ring { struct ring *next, *prev; };
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
static void ring_init(struct ring *r) { r->next = r; r->prev = r; }
static void ring_add(struct ring *new, struct ring *head) {
    head->next->prev = new;
    new->next = head->next;
    new->prev = head;
    head->next = new;
}
static void ring_del(struct ring *entry) {
    entry->next->prev = entry->prev;
    entry->prev->next = entry->next;
}
struct device { int id; struct ring list; };
""",
        "    struct ring devices;\n    ring_init(&devices);\n",
        """struct device *d = malloc(sizeof *d);
            if (!d) abort();
            d->id = c;
            ring_add(&d->list, &devices);
""",
        """    while (devices.next != &devices) {
        struct device *d = container_of(devices.next, struct device, list);
        ring_del(&d->list);
        free(d);
    }
""",
    ),
    Container(
        "tail queue",
        """struct packet { struct packet *next; int size; };
struct packets { struct packet *first, **last; };
static void packets_init(struct packets *q) { q->first = NULL; q->last = &q->first; }
static void packets_put(struct packets *q, struct packet *p) {
    p->next = NULL;
    *q->last = p;
    q->last = &p->next;
}
static struct packet *packets_get(struct packets *q) {
    struct packet *p = q->first;
    if (!p) return NULL;
    q->first = p->next;
    if (!q->first) q->last = &q->first;
    return p;
}
""",
        "    struct packets packets;\n    packets_init(&packets);\n",
        """struct packet *p = malloc(sizeof *p);
            if (!p) abort();
            p->size = c;
            packets_put(&packets, p);
""",
        "    for (struct packet *p; (p = packets_get(&packets)); ) { free(p); }\n",
    ),
    Container(
        "search tree",
        """struct entry { struct entry *left, *right; int key; };
static struct entry *entry_insert(struct entry *root, struct entry *new) {
    struct entry *at = root;
    if (!root) return new;
    for (;;) {
        if (new->key < at->key) { if (!at->left) { at->left = new; return root; } at = at->left; }
        else { if (!at->right) { at->right = new; return root; } at = at->right; }
    }
}
static void entry_free(struct entry *e) {
    if (!e) return;
    entry_free(e->left);
    entry_free(e->right);
    free(e);
}
""",
        "    struct entry *root = NULL;\n",
        """struct entry *e = malloc(sizeof *e);
            if (!e) abort();
            e->left = e->right = NULL; e->key = c;
            root = entry_insert(root, e);
""",
        "    entry_free(root);\n",
    ),
    Container(
        "doubly linked list in a header",
        """struct dnode { struct dnode *next, *prev; int value; };
struct dlist { struct dnode *head, *tail; };
static struct dlist *dlist_new(void) {
    struct dlist *l = malloc(sizeof *l);
    if (!l) abort();
    l->head = l->tail = NULL;
    return l;
}
static void dlist_append(struct dlist *l, int value) {
    struct dnode *n = malloc(sizeof *n);
    if (!n) abort();
    n->value = value; n->next = NULL; n->prev = l->tail;
    if (l->tail) l->tail->next = n; else l->head = n;
    l->tail = n;
}
static void dlist_free(struct dlist *l) {
    struct dnode *n = l->head;
    while (n) { struct dnode *t = n->next; free(n); n = t; }
    free(l);
}
""",
        "    struct dlist *values = dlist_new();\n",
        "dlist_append(values, c);\n",
        "    dlist_free(values);\n",
    ),
    Container(
        "table of chains",
        """#define BUCKETS 8
struct pair { struct pair *chain; unsigned key; };
static struct pair *buckets[BUCKETS];
static void table_put(unsigned key) {
    struct pair *p = malloc(sizeof *p);
    if (!p) abort();
    p->key = key;
    p->chain = buckets[key % BUCKETS];
    buckets[key % BUCKETS] = p;
}
static void table_clear(void) {
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) { struct pair *p = buckets[i]; buckets[i] = p->chain; free(p); }
}
""",
        "",
        "table_put((unsigned)c);\n",
        "    table_clear();\n",
    ),
)


def containers_at_once(k: int) -> str:
    """The first k containers in one program, filled by one loop."""
    return client_of(CONTAINERS[:k])


def container_alone(number: int) -> str:
    return client_of(CONTAINERS[number : number + 1])


def client_of(chosen: tuple[Container, ...]) -> str:
    """One program with some containers."""
    cases = [f"case {i}: {{\n            {c.step}            break;\n        }}" for i, c in enumerate(chosen)]
    steps = "".join(f"        {case}\n" for case in (*cases, "default: break;"))
    loop = f"    while ({ANY}) {{\n        int c = {ANY};\n        switch ({ANY}) {{\n{steps}        }}\n    }}\n"
    types, declared, end = ("".join(getattr(c, part) for c in chosen) for part in ("types", "declared", "end"))
    return f"{HEAD}{types}int main(void) {{\n{declared}{loop}{end}    return 0;\n}}\n"


CONTAINER_FAMILIES = (Family("containers at once", containers_at_once, (1, 2, 3, 4, 5, 6), 3, 6, 4.0, member=""),)

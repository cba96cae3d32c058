"""Random programs with several data structures that no pointer connects, and with conditions across them.

They are what slices are made for: a number of one decides about another, pointers of both are compared, one variable is
used for both, a function frees either, and an object may begin where another ended.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
struct item { struct item *more; long mark; };
struct tree { struct tree *left, *right; int key; };
struct header { struct node *a; struct item *b; struct tree *c; int *block; int n; };
static struct node *kept; static struct item *other; static int count;
static struct node *push(struct node *l, int key) {
  struct node *n = malloc(sizeof *n); if (!n) abort();
  n->next = l; n->key = key; return n;
}
static struct item *add(struct item *l) {
  struct item *n = malloc(sizeof *n); if (!n) abort();
  n->more = l; n->mark = 0; return n;
}
static struct tree *leaf(int key) {
  struct tree *t = malloc(sizeof *t); if (!t) abort();
  t->left = t->right = NULL; t->key = key; return t;
}
static void drop(struct node *l) { while (l) { struct node *t = l->next; free(l); l = t; } }
static void lose(struct item *l) { while (l) { struct item *t = l->more; free(l); l = t; } }
static void fell(struct tree *t) { if (!t) return; fell(t->left); fell(t->right); free(t); }
static void drop_down(struct node *l) { if (!l) return; drop_down(l->next); free(l); }
"""
POINTERS = ("a", "d", "b", "c", "kept", "other", "(void *)p", "(void *)q")


class Several(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("several", seed, share=0.12)

    def program(self) -> str:
        own = [line for _ in range(self.random.randint(3, 8)) for line in self.statement()]
        lines = [
            "struct node *a = NULL, *d = NULL, *p = NULL; struct item *b = NULL, *q = NULL; struct tree *c = NULL;",
            "int i = 0, k = __VERIFIER_nondet_int(); int *block = NULL;",
            *own,
            *self.maybe("if (kept) drop(kept); kept = NULL;"),
            f"{self.choose('drop', 'drop_down')}(a); {self.slip('drop(d);', ';', 'drop(a);')}",
            self.slip("lose(b);", ";"),
            self.slip("fell(c);", ";"),
            self.slip("drop(kept); lose(other);", "lose(other);"),
            self.slip("free(block);", ";"),
            "return 0;",
        ]
        return "\n".join([HEADER, "int main(void) {", *(f"  {line}" for line in lines), "}", ""])

    def statement(self) -> list[str]:
        if self.random.random() < 0.3:
            inner = self.simple()
            head = self.choose(
                f"if ({self.condition()})", f"if (!({self.condition()}))", "while (__VERIFIER_nondet_int())"
            )
            rest = [f"else {{ {self.simple()} }}"] if head.startswith("if") and self.random.random() < 0.4 else []
            return [f"{head} {{ {inner} }}", *rest]
        return [self.simple()]

    def condition(self) -> str:
        x, y = self.choose(*POINTERS), self.choose(*POINTERS)
        return self.choose(
            f"(void *){x} {self.choose('==', '!=')} (void *){y}",
            f"(void *){x} {self.choose('==', '!=')} (void *){y}",
            f"(void *){x} {self.choose('==', '!=')} (void *){y} && i == 0",
            f"{x} {self.choose('==', '!=')} NULL",
            "a && a->key > 0",
            "b && b->mark",
            "c && c->key == k",
            "count > 1",
            "i == 1",
            "k",
        )

    def simple(self) -> str:
        guard = self.slip("if ({0}) ", "", "if (!{0}) ")

        def on(pointer: str, text: str) -> str:
            return guard.format(pointer) + text

        return self.choose(
            "a = push(a, k);",
            "a = push(a, 0); count++;",
            "d = push(d, i);",
            "b = add(b);",
            "b = add(b); b->mark = k;",
            "{ struct tree *t = leaf(k); t->left = c; c = t; }",
            "if (!block) { block = malloc(sizeof(int)); if (!block) abort(); *block = k; }",
            "kept = push(kept, 1);",
            "other = add(other);",
            on("a", "a->key = 1;"),
            on("d", "d->key = a ? a->key : 2;"),
            on("b", "b->mark = a ? a->key : 0;"),
            on("c", "c->key = b ? (int)b->mark : 1;"),
            on("block", "k = *block;"),
            on("a", "i = a->key;"),
            on("b", "i = (int)b->mark;"),
            on("a", "{ struct node *t = a; a = a->next; free(t); }"),
            on("b", "{ struct item *t = b; b = b->more; free(t); }"),
            on("c", "{ struct tree *t = c; c = t->left; fell(t->right); free(t); }"),
            on("a", "{ struct node *t = a->next; a->next = d; d = a; a = t; }"),
            "for (p = a; p; p = p->next) p->key++; p = NULL;",
            "for (p = d; p; p = p->next) if (p->key == k) i = 1;",
            f"drop(a); a = {self.slip('NULL', 'a', 'd')};",
            f"lose(b); b = {self.slip('NULL', 'b')};",
            f"fell(c); c = {self.slip('NULL', 'c')};",
            f"drop_down(d); d = {self.slip('NULL', 'a')};",
            f"free(block); block = {self.slip('NULL', 'block')};",
            "p = a;",
            "p = d;",
            "q = b;",
            on("p", self.slip("i = 2;", "p->key = 3;")),
            on("q", self.slip("i = 3;", "q->mark = 3;")),
            f"assert({self.slip('1', 'i != 3', '!a || a->key >= 0', 'count < 3', '!b || !b->mark')});",
            f"if ({self.condition()}) {{ drop(a); a = NULL; }} {on('a', 'a->key = 4;')}",
            f"if ({self.condition()}) {self.slip('exit(1);', 'exit(0);')}" if self.wrong else "i++;",
            "if (!a) a = push(NULL, 5);",
            "if (a == d) i = 1; else i = 0;",
        )


def program(seed: int) -> str:
    return Several(seed).program()

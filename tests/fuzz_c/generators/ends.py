"""Random trees and lists that end in one node, with queues and parents that refer to their nodes.

The node in which they end is a variable, a member of one, or NULL; now and then a program writes through it, compares
with the other end, forgets it in a new node, or follows a reference to a node that is gone.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
"""


class Ends(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("ends", seed, share=0.12)
        self.tree = self.random.random() < 0.5
        self.end = self.choose("&nil", "&nil", "&t.nil", "NULL", "last")
        self.refers = self.random.random() < 0.5
        self.parents = self.random.random() < 0.3

    def is_end(self, p: str) -> str:
        end = self.slip(self.end, "NULL", "&nil")
        return f"{p} == {end}"

    def inside(self, p: str) -> str:
        end = self.slip(self.end, "NULL", "&nil")
        return f"{p} != {end}"

    def links(self) -> tuple[str, ...]:
        return ("l", "r") if self.tree else ("l",)

    def make(self) -> list[str]:
        sets = [f"p->{link} = {self.slip(self.end, 'NULL', 'p')};" for link in self.links()]
        start = self.choose("malloc(sizeof *p)", "malloc(sizeof *p)", "calloc(1, sizeof *p)")
        lines = [f"p = {start};", self.slip("if (!p) return 1;", ""), *sets, "p->k = __VERIFIER_nondet_int();"]
        return [*lines, *(["p->up = NULL;"] if self.parents else [])]

    def insert(self) -> list[str]:
        up = "p->up = q;" if self.parents else ""
        if not self.tree:
            front = f"p->l = {self.root()}; {self.root()} = p;"
            behind = (
                f"if ({self.is_end(self.root())}) {self.root()} = p; else {{ q = {self.root()}; "
                f"while ({self.inside('q->l')}) q = q->l; q->l = p; {up} }}"
            )
            return [*self.make(), self.choose(front, behind)]
        step = "q = p->k < q->k ? q->l : q->r"
        return [
            *self.make(),
            f"if ({self.is_end(self.root())}) {self.root()} = p;",
            "else {",
            f"  q = {self.root()};",
            "  for (;;) {",
            f"    if (p->k < q->k) {{ if ({self.is_end('q->l')}) {{ q->l = p; break; }} q = q->l; }}",
            f"    else {{ if ({self.is_end('q->r')}) {{ q->r = p; break; }} q = q->r; }}",
            "  }",
            *([f"  {up}"] if up else []),
            "}",
            *([f"q = {self.root()}; while ({self.inside('q')}) {step};"] if self.random.random() < 0.1 else []),
        ]

    def root(self) -> str:
        return "t.root"

    def remove(self) -> list[str]:
        """The first node of a list; the leftmost one of a tree."""
        if not self.tree:
            free, after = self.slip("free(p);", ""), self.slip("", "p->k = 1;", "t.root->k = 2;")
            test = self.slip(self.inside("t.root"), "1")
            return [f"if ({test}) {{ p = t.root; t.root = p->l; {free} {after} }}"]
        return [
            f"if ({self.inside('t.root')}) {{",
            "  struct node **at = &t.root;",
            f"  while ({self.inside('(*at)->l')}) at = &(*at)->l;",
            f"  p = *at; *at = {self.slip('p->r', 'p->l', self.end)};",
            *(["  if (*at && *at != &nil) (*at)->up = p->up;"] if self.parents else []),
            f"  {self.slip('free(p);', ';')}",
            "}",
        ]

    def refer(self) -> list[str]:
        """A queue of nodes, which owns none of them."""
        return [self.choose(
            f"if ({self.inside('t.root')}) {{ struct ref *x = malloc(sizeof *x); if (!x) return 1; "
            f"x->to = {self.choose('t.root', 't.root', 't.root->l')}; x->next = queue; queue = x; }}",
            "if (queue) { struct ref *x = queue; queue = x->next; "
            f"{self.slip('if (x->to != &nil && x->to) ', '')}i = x->to == t.root; "
            f"{self.slip('', 'x->to->k = 3;', 'free(x->to);')} free(x); }}",
        )]  # fmt: skip

    def use(self) -> list[str]:
        test = f"if ({self.inside('p')})"
        return [self.choose(
            f"if ({self.inside('t.root')}) t.root->k = 1;",
            f"p = t.root; while ({self.inside('p')}) {{ i += p->k; p = p->l; }}",
            f"p = t.root; while ({self.inside('p')} && p->k != i) p = p->l; {self.slip(test, '')} "
            "p->k = 2;",
            f"if ({self.slip(self.inside('t.root'), '1')} && {self.inside('t.root->l')}) t.root->l->k = 5;",
            "nil.k = i;" if self.end == "&nil" else "i++;",
            f"if ({self.is_end('t.root')}) i = 0; else i = t.root->k;",
            *(["p = t.root; while (" + self.inside("p") + ") { q = p; p = p->up; } "] if self.parents else []),
        )]  # fmt: skip

    def finish(self) -> list[str]:
        free = self.slip("free(p);", "", "free(p); p->k = 1;")
        drop = ["while (queue) { struct ref *x = queue->next; free(queue); queue = x; }"] if self.refers else []
        if self.tree:
            return [*drop, f"drop(t.root{', &t.nil' if self.end == '&t.nil' else ''});"]
        return [*drop, f"while ({self.inside('t.root')}) {{ p = t.root; t.root = p->l; {free} }}"]

    def helper(self) -> list[str]:
        if not self.tree:
            return []
        end = "end" if self.end == "&t.nil" else self.end
        more = ", struct node *end" if self.end == "&t.nil" else ""
        pass_on = ", end" if more else ""
        return [
            f"static void drop(struct node *p{more}) {{",
            f"  if (p == {end}) return;",
            f"  drop(p->l{pass_on}); {self.slip(f'drop(p->r{pass_on});', '')}",
            f"  {self.slip('free(p);', ';')}",
            "}",
        ]

    def program(self) -> str:
        members = " ".join(f"*{link}," for link in self.links()).rstrip(",")
        up = " struct node *up;" if self.parents else ""
        first = self.choose("struct node LINKS; int k;", "int k; struct node LINKS;").replace("LINKS", members)
        steps: list[str] = []
        for case in range(1, self.random.choice((3, 4, 4))):
            what = self.random.choices(
                (self.insert, self.remove, self.use, self.refer if self.refers else self.use), (4, 3, 2, 3)
            )[0]
            lines = self.insert() if case == 1 else what()
            steps += [f"case {case}: {{", *indented(lines), "  break; }"]
        ends = [f"{at}.{link} = {self.slip('&' + at, 'NULL')};" for at in ("nil", "t.nil") for link in self.links()]
        return HEADER + "\n".join([
            f"struct node {{ {first}{up} }};",
            "struct ref { struct ref *next; struct node *to; };",
            "struct tree { struct node *root; struct node nil; };",
            "static struct node nil, *last = &nil;",
            "static struct tree t;",
            *self.helper(),
            "int main(void) {",
            "  struct node *p, *q = NULL; struct ref *queue = NULL; int i = 0;",
            *indented(ends if self.random.random() < 0.8 else []),
            f"  t.root = {self.slip(self.end, 'NULL')};",
            "  while (__VERIFIER_nondet_int()) {",
            "    switch (__VERIFIER_nondet_int()) {",
            *indented(indented(steps)),
            "    }",
            "  }",
            *indented(self.finish()),
            "  return 0;",
            "}",
            "",
        ])  # fmt: skip


def program(seed: int) -> str:
    return Ends(seed).program()

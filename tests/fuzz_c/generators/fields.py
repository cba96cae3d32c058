"""Random programs with arrays of bytes in structs, which are no texts for a while.

A run of operations writes names in the nodes of a list by several pointers, some of which are one. The number that
`strlen` gives is an index, and a name is copied into a buffer of its own size: a terminator that is not there shows.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <ctype.h>
extern int __VERIFIER_nondet_int(void);
"""
POINTERS = ("p", "q", "list")
WORDS = ('"ab"', '"abcdefg"', '"abcdefghijkl"', '""')


class Fields(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("fields", seed, share=0.25)
        self.size = self.random.choice((4, 8, 8, 16))
        self.names = self.random.choice((("name",), ("name",), ("name", "other")))
        self.first = self.random.random() < 0.6

    @property
    def pointer(self) -> str:
        return self.choose(*POINTERS)

    @property
    def name(self) -> str:
        return self.choose(*self.names)

    def field(self) -> str:
        return f"{self.pointer}->{self.name}"

    def index(self) -> str:
        return self.slip(str(self.size - 1), "0", "1", "i", str(self.size - 2))

    def opening(self, at: str) -> str:
        """What may leave an array without a terminator."""
        size = str(self.size)
        return self.choose(
            f"strncpy({at}, {self.choose(*WORDS)}, {size});",
            f"strncpy({at}, {self.field()}, {size});",
            f"memset({at}, 'x', {size});",
            f"memcpy({at}, {self.field()}, {self.choose(size, str(self.size - 1))});",
            f"{at}[{size} - 1] = 'y';",
            f"for (i = 0; i < {size}; i++) {at}[i] = 'a' + (i & 3);",
            f"for (i = 0; i < {size} - 1; i++) {at}[i] = {self.field()}[i];",
            f'strncpy({at}, "abcdefghijklmnopq", {size} - 1);',
            f'snprintf({at}, {size}, "%d", i);',
        )

    def closing(self, at: str) -> str:
        last = f"{at}[{self.index()}] = {self.slip('0', '1')};"
        return self.choose(
            last, last, last,
            f"strcpy({at}, \"ab\");",
            f"memset({at}, 0, {self.slip(str(self.size), '1', str(self.size - 1))});",
            f"snprintf({at}, {self.size}, \"%d\", i);",
            f"*({at} + {self.index()}) = 0;",
        )  # fmt: skip

    def between(self) -> list[str]:
        """What may happen while a text is open."""
        return [self.choose(
            ";", ";", ";",
            "i = __VERIFIER_nondet_int() & 3;",
            "p = q;",
            "q = p->next ? p->next : p;",
            f"{self.field()}[0] = 'z';",
            f"{self.field()}[i & 3] = toupper((unsigned char){self.field()}[0]);",
            f"if (__VERIFIER_nondet_int()) {self.closing(self.field())}",
            f"if (__VERIFIER_nondet_int()) {self.opening(self.field())}",
            f"if (p != q) {self.closing(self.field())}",
            "q->k = i;",
        )]  # fmt: skip

    def write(self) -> list[str]:
        at = self.field()
        again = self.slip(at, at, self.field())
        lines = [self.opening(at), *(self.between() if self.random.random() < 0.4 else []), self.closing(again)]
        shape = self.random.random()
        if shape < 0.12:
            test = self.choose("__VERIFIER_nondet_int()", "p == q", "p->next", "i > 1")
            return [f"if ({test}) {{", *indented(lines), "}"]
        if shape < 0.2:
            test = self.choose("__VERIFIER_nondet_int()", "p == q", "p->next", "i > 1")
            return [lines[0], f"if ({test}) {{", f"  {lines[-1]}", f"}} else {{ {self.closing(again)} }}"]
        if shape < 0.28:
            return ["while (__VERIFIER_nondet_int()) {", *indented(lines), "}"]
        if shape < 0.34:
            return ["for (p = list; p->next; p = p->next) {", *indented(lines), "}"]
        return lines

    def new(self) -> list[str]:
        """A node that is linked before or behind it has its names."""
        link = "n->next = list; list = n;"
        fill = []
        for name in self.names:
            fill += self.choose_lines(
                [f"strncpy(n->{name}, {self.choose(*WORDS)}, {self.size});", self.closing(f"n->{name}")],
                [f"memset(n->{name}, 0, sizeof n->{name});"],
                [f"n->{name}[{self.size} - 1] = 0;"],
                [f"strcpy(n->{name}, p->{name});"],
            )
        place = self.random.randrange(len(fill) + 1)
        return [
            "n = malloc(sizeof *n); if (!n) abort();",
            "n->k = 0;",
            *fill[:place],
            link,
            *fill[place:],
            *(self.whole("n") if self.random.random() < 0.6 else []),
            *self.maybe("q = n;"),
        ]

    def choose_lines(self, *options: list[str]) -> list[str]:
        return self.random.choice(options)

    def move(self) -> list[str]:
        name = self.name
        none = "".join(f"s.{n}[0] = 0;" for n in self.names)
        step = self.choose(
            "p = list;", "q = p;", "p = p->next ? p->next : p;", "q = list;",
            "while (q->next && __VERIFIER_nondet_int()) q = q->next;",
            "{ struct node s = *p; s.next = q->next; *q = s; }",
            f"{{ struct node s; s.next = q->next; s.k = 1; memcpy(&s.{name}, {self.field()}, {self.size}); "
            + f"{self.slip(none, ';')} *q = s; }}",
            f"{{ char *c = p->{name}; while (*c) {{ if (*c == 'b') *c = 'c'; c++; }} }}",
            f"{{ char *c = p->{name}; *c = 'k'; c[1] = 0; }}",
        )  # fmt: skip
        return [step]

    def whole(self, pointer: str = "") -> list[str]:
        """The struct as bytes, or as a struct of another type; the room of one that is new is known."""
        pointer = pointer or self.pointer
        keep = f"{{ struct node *next = {pointer}->next; WRITE {self.slip(f'{pointer}->next = next;', ';')} }}"
        return [self.choose(
            keep.replace("WRITE", f"memset({pointer}, {self.choose('0', '1')}, sizeof *{pointer});"),
            keep.replace("WRITE", f"for (i = 0; i < (int)sizeof *{pointer}; i++) ((char *){pointer})[i] = 0;"),
            keep.replace("WRITE", f"memset((char *){pointer} + {self.size}, 0, sizeof *{pointer} - {self.size});"),
            f"{{ struct node s = *{pointer}; s.k = 2; memcpy({pointer}, &s, sizeof s); }}",
            f"{{ char *c = (char *){pointer} + {self.offset()}; c[{self.index()}] = {self.slip('0', '1')}; }}",
            f"{{ char *c = (char *){pointer} + {self.offset()}; strcpy(c, {self.choose(*WORDS)}); }}",
            f"{{ struct view *v = (void *){pointer}; v->half[{self.slip('3', '1')}] = {self.slip('0', '1')}; }}",
            f"{{ char *c = ((struct view *){pointer})->rest; memset(c, 'x', 4); {self.closing(self.field())} }}",
        )]  # fmt: skip

    def offset(self) -> str:
        return f"(long)&((struct node *)0)->{self.name}"

    def use(self) -> list[str]:
        at = self.field()
        return [self.choose(
            f"buffer[strlen({at})] = 'e';",
            f"strcpy(buffer, {at});",
            f"for (i = 0; {at}[i]; i++) buffer[i] = 'f';",
            f"{{ const char *c = {at}; int m = 0; while (*c++) m++; buffer[m] = 'g'; }}",
            f"if (strcmp({at}, {self.field()}) == 0) buffer[strlen({at})] = 'h';",
        )]  # fmt: skip

    def program(self) -> str:
        names = [f"char {name}[{self.size}];" for name in self.names]
        halves = [f"char half[4], rest[{self.size * len(names) - 4 or 1}];"]
        members, view = (
            [" ".join(m if self.first else [*start, *m]) for start in (["struct node *next; int k;"],)]
            for m in (names, halves)
        )
        end = "struct node *next; int k;" if self.first else ""
        body: list[str] = []
        for _ in range(self.random.randrange(3, 8)):
            body += self.random.choices((self.write, self.new, self.move, self.whole, self.use), (5, 4, 3, 2, 2))[0]()
        last = ("[0]", f"[{self.size} - 1]")
        begin = [self.slip(f"n->{name}{last[0]} = 0;", f"n->{name}{last[1]} = 0;", ";") for name in self.names]
        return HEADER + "\n".join([
            f"struct node {{ {members[0]} {end} }};",
            f"struct view {{ {view[0]} {end} }};",
            "int main(void) {",
            f"  char buffer[{self.size}]; int i = 0;",
            "  struct node *list = NULL, *n, *p, *q;",
            "  do {",
            "    n = malloc(sizeof *n); if (!n) abort();",
            f"    n->k = 0; {' '.join(begin)}",
            "    n->next = list; list = n;",
            "  } while (__VERIFIER_nondet_int());",
            "  p = list; q = list->next ? list->next : list;",
            *indented([*body, *self.use()]),
            "  while (list) { n = list->next; free(list); list = n; }",
            "  return 0;",
            "}",
            "",
        ])  # fmt: skip


def program(seed: int) -> str:
    return Fields(seed).program()

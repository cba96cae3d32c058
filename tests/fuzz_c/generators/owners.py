"""Random programs with structs that own an array of pointers: makers that return NULL, growth, moves, insertions.

The struct is a variable, or a block that a maker returns; the size of the array is written in several ways, also
through an allocator that takes fewer bits; elements are moved, exchanged, inserted, removed, compared and dropped.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
"""
INDEX_TYPES = (*["int", "size_t"] * 4, "unsigned", "long", "short", "unsigned char", "signed char")
SIZE_TYPES = (*["size_t"] * 5, "unsigned", "uint16_t", "int", "unsigned char")


class Owners(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("owners", seed, share=0.12)
        self.number = self.choose(*INDEX_TYPES)
        self.on_heap = self.random.random() < 0.6
        self.plain = self.random.random() < 0.6
        """Whether elements are blocks of numbers, and not structs with a pointer."""
        self.most = self.random.choice((4, 100, 1000))

    def program(self) -> str:
        narrow = self.choose(*SIZE_TYPES)
        members = [f"{self.element()} **d;", f"{self.number} n;", f"{self.slip(self.number, 'short')} cap;"]
        self.random.shuffle(members)
        parts = [
            HEADER,
            "struct item { int key; struct item *next; };",
            f"struct vec {{ {' '.join(members)} }};",
            f"static void *get({narrow} size) {{ void *p = malloc(size); return p; }}",
            f"static {self.element()} *make(int k) {{",
            f"  {self.element()} *p = malloc(sizeof *p); if (!p) abort();",
            f"  {'*p = k;' if self.plain else 'p->key = k; p->next = NULL;'}",
            "  return p;",
            "}",
            *self.maker(),
            *self.growth(),
            *self.end(),
            "int main(void) {",
            f"  int size = __VERIFIER_nondet_int(); if (size < {self.slip('1', '0')} || size > {self.most}) return 0;",
            *indented(self.beginning()),
            f"  {self.number} i = 0, j = 0;",
            f"  {self.element()} *t = NULL;",
            "  while (__VERIFIER_nondet_int()) {",
            "    switch (__VERIFIER_nondet_int()) {",
            *[
                f"    case {k}: {{ {self.push() if k == 1 else self.step()} }} break;"
                for k in range(1, self.random.choice((2, 3, 3, 3, 4)))
            ],
            "    }",
            "  }",
            *indented(self.maybe(self.claim())),
            "  finish(v);",
            *indented(self.maybe(self.slip(";", "i = v->n;", "v->n = 0;", "if (v->d) i = 1;"))),
            "  return 0;",
            "}",
            "",
        ]
        return "\n".join(parts)

    def element(self) -> str:
        return "int" if self.plain else "struct item"

    def count(self, n: str) -> str:
        """A number of bytes for so many elements."""
        return self.choose(
            f"{n} * sizeof *v->d",
            f"sizeof(void *) * {n}",
            f"{n} * {self.slip('sizeof(void *)', '4', 'sizeof(struct vec)', '7')}",
            f"sizeof(void *) * {n} * {self.choose('2', '2', '1')}",
        )

    def maker(self) -> list[str]:
        block = self.choose(
            f"malloc({self.count('size')})",
            f"calloc(size, {self.slip('sizeof *v->d', '4')})",
            f"get({self.count('size')})",
        )
        fails = self.choose(
            f"{{ {self.slip('free(v);', '')} return {self.slip('NULL', 'v')}; }}",
            "abort();",
        )
        fill = f"v->n = 0; v->cap = {self.slip('size', 'size + 1')};"
        if not self.on_heap:
            return [
                f"static void start(struct vec *v, int size) {{ {fill} v->d = {block}; if (!v->d) abort(); }}",
            ]
        made = self.choose("malloc(sizeof *v)", "calloc(1, sizeof *v)", "malloc(sizeof(struct vec))")
        return [
            "static struct vec *start(int size) {",
            f"  struct vec *v = {made}; {self.slip('if (!v) return NULL;', '')}",
            *([f"  {fill}"] if self.random.random() < 0.5 else []),
            f"  v->d = {block}; {self.slip(f'if (!v->d) {fails}', '')}",
            f"  {fill}",
            "  return v;",
            "}",
        ]

    def beginning(self) -> list[str]:
        if not self.on_heap:
            return ["struct vec own; struct vec *v = &own; start(v, size);"]
        leave = self.slip("if (!v) return 0;", "")
        return [self.choose(f"struct vec *v = start(size); {leave}", f"struct vec *w = start(size), *v = w; {leave}")]

    def growth(self) -> list[str]:
        more = self.slip("v->cap * 2", "v->cap + 1", "v->cap << 1", "v->cap + v->cap / 2", "v->cap")
        guard = self.slip(f"if (v->cap > {self.choose('1000', '30', '60')}) return 0;", "")
        grown = self.choose(
            f"void *p = realloc(v->d, {self.count('more')}); if (!p) return 0; v->d = p; v->cap = more;",
            f"{self.element()} **p = malloc({self.count('more')}); if (!p) return 0; "
            f"for ({self.number} k = 0; k {self.slip('<', '<=')} v->n; k++) p[k] = v->d[k]; "
            f"{self.slip('free(v->d);', '')} v->d = p; v->cap = more;",
        )
        return [
            "static int room(struct vec *v) {",
            f"  if (v->n {self.slip('<', '<=', '!=')} v->cap) return 1;",
            f"  {self.choose('return 0;', f'{guard} {self.number} more = {more}; {grown} return 1;')}",
            "}",
        ]

    def end(self) -> list[str]:
        free = self.slip("free(v->d[k]);", "", "free(v->d[0]);")
        loop = self.choose(
            f"for ({self.number} k = {self.slip('0', '1')}; k {self.slip('<', '<=')} v->n; k++) {free}",
            f"while (v->n {self.slip('> 0', '>= 0', '> 1')}) free(v->d[{self.slip('--v->n', 'v->n--')}]);",
            f"while (v->n) {{ v->n--; {self.slip('free(v->d[v->n]);', '')} }}",
        )
        last = "free(v);" if self.on_heap else ""
        return [
            "static void finish(struct vec *v) {",
            f"  {loop}",
            f"  {self.slip('free(v->d);', '')} {self.slip(last, '')}",
            "}",
        ]

    def inside(self, index: str) -> str:
        """A test that an index is that of an element."""
        low = f"{index} {self.slip('>= 0', '>= -1')}"
        return self.slip(f"{low} && {index} {self.slip('<', '<=')} v->n", f"{index} < v->n", "v->n > 0", f"{low}")

    def push(self) -> str:
        push = self.slip("v->d[v->n++] = make(1);", "v->d[v->n] = make(1);", "v->d[++v->n] = make(1);")
        return f"{self.slip('if (room(v))', 'room(v);', '')} {push}"

    def step(self) -> str:
        at = self.choose("i", "i", "j", "0")
        other = self.choose("j", "i", "v->n - 1", "0")
        any_index = f"{at} = __VERIFIER_nondet_int();" if at != "0" else ""
        both = f"if ({self.inside(at)} && {self.inside(other)})"
        use = "*t = 1;" if self.plain else "t->key = 1;"
        down = (
            f"for ({self.number} k = {at}; k + 1 {self.slip('<', '<=')} v->n; k++) v->d[k] = v->d[k + 1];",
            f"for ({self.number} k = {at} + 1; k {self.slip('<', '<=')} v->n; k++) v->d[k - 1] = v->d[k];",
            f"v->d[{at}] = v->d[v->n - 1];",
        )
        up = f"for ({self.number} k = v->n; k > {self.slip(at, '0')}; k--) v->d[k] = v->d[k - 1];"
        return self.choose(
            self.push(),
            f"{self.slip('if (v->n > 0)', '')} {{ {self.slip('free(v->d[--v->n]);', 'free(v->d[v->n - 1]);')} }}",
            f"if (v->n > 0) {{ v->n--; t = v->d[v->n]; {use} free(t); {self.slip('', use)} }}",
            f"{any_index} if ({self.inside(at)}) {{ t = v->d[{at}]; {use} }}",
            f"{any_index} if ({self.inside(at)}) {{ free(v->d[{at}]); {self.slip(self.choose(*down), '')} "
            f"{self.slip('v->n--;', '')} }}",
            f"{any_index} if ({self.inside(at)}) {{ t = v->d[{at}]; {self.choose(*down)} v->n--; "
            f"{self.slip('free(t);', '')} }}",
            f"{any_index} if ({self.slip('room(v)', '1')} && {self.inside(at)}) {{ {up} v->d[{at}] = make(2); "
            f"{self.slip('v->n++;', '')} }}",
            f"{any_index} {both} {{ t = v->d[{at}]; v->d[{at}] = v->d[{other}]; v->d[{other}] = "
            f"{self.slip('t', f'v->d[{at}]')}; }}",
            f"{any_index} if ({self.inside(at)}) {{ free(v->d[{at}]); v->d[{at}] = {self.slip('make(3)', 'NULL')}; }}",
            f"{any_index} {both} if (v->d[{at}] {self.choose('==', '!=')} v->d[{other}]) {{ j = 0; {self.claim()} }}",
            f"i = {self.choose('j', 'v->n', 'j + 1', 'v->n - 1')};",
            f"for (i = 0; i {self.slip('<', '<=')} v->n; i++) {{ t = v->d[i]; {use} if (i == j + 1) break; }}",
        )

    def claim(self) -> str:
        return self.choose(
            "assert(v->n <= v->cap);",
            "if (v->n > 0) assert(v->d[0] != NULL);",
            "assert(i >= 0);",
            "assert(v->d);",
            "if (i == j && v->n > i && i >= 0) assert(v->d[i] == v->d[j]);",
        )


def program(seed: int) -> str:
    return Owners(seed).program()

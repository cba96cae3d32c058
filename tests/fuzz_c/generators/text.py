"""Random programs with text: names that are copied, buffers of fixed size, loops over characters."""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct name { char *text; struct name *next; };
static char *copy(const char *s) {
  char *t = malloc(strlen(s) + EXTRA);
  if (!t) abort();
  strcpy(t, s);
  return t;
}
"""


class Text(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("text", seed)
        self.size = self.random.choice((4, 8, 16))

    def read(self) -> list[str]:
        """Characters into a buffer, with a terminator."""
        last = self.slip(f"{self.size - 1}", f"{self.size}")
        return [
            f"char buffer[{self.size}]; int n = 0;",
            f"while (n < {last} && __VERIFIER_nondet_int()) buffer[n++] = 'a' + (__VERIFIER_nondet_int() & 3);",
            self.slip("buffer[n] = 0;", ";", f"buffer[{self.size}] = 0;"),
        ]

    def names(self) -> list[str]:
        text = self.choose("copy(buffer)", "strdup(buffer)")
        other = self.slip("l->next->text", "l->next->next->text")
        return [
            "struct name *l = NULL;",
            "while (__VERIFIER_nondet_int()) {",
            *indented(self.read()),
            "  struct name *p = malloc(sizeof *p); if (!p) abort();",
            f"  p->text = {self.slip(text, 'buffer', 'NULL')}; {'' if self.wrong else 'if (!p->text) abort();'}",
            "  p->next = l; l = p;",
            *indented(self.maybe(f"if (l->next && strcmp(l->text, {other}) == 0) l->text[0] = 'x';")),
            "}",
            "while (l) {",
            "  struct name *p = l; l = l->next;",
            f"  {self.slip('free(p->text);', ';', 'free(p->text + 1);')} free(p);",
            f"  {self.slip(';', 'free(p->text);')}",
            "}",
        ]

    def buffers(self) -> list[str]:
        big = self.slip(f"{2 * self.size}", f"{self.size}", f"{2 * self.size - 2}")
        return [
            *self.read(),
            f"char both[{big}];",
            f"{self.slip('strcpy(both, buffer);', 'strcat(both, buffer);')}",
            f"strcat(both, {self.slip('buffer', 'both')});",
            f"int k = strlen(both); assert(k {self.slip('<', '<=', '>')} {2 * self.size});",
            f"both[{self.slip('k', 'k + 1', f'{2 * self.size}')}] = 0;",
            *self.maybe(f"snprintf(buffer, {self.slip('sizeof buffer', 'sizeof both')}, \"%d\", k);"),
            *self.maybe(f"strncpy(buffer, both, {self.slip('sizeof buffer - 1', 'sizeof buffer')}); "
                        f"{self.slip('buffer[sizeof buffer - 1] = 0;', ';')} k = strlen(buffer);"),
        ]  # fmt: skip

    def walks(self) -> list[str]:
        return [
            *self.read(),
            "char *p = buffer; int k = 0;",
            f"while ({self.slip('*p', '*p != 1', 'p[1]')}) {{ if (*p == 'b') k++; p{self.slip('++', ' += 2')}; }}",
            f"assert(k {self.slip('<=', '<')} n && p {self.choose('>=', '>=')} buffer);",
            f"for (int i = 0; {self.slip('buffer[i]', f'i <= {self.size}', f'i < {self.size}')}; i++) k += buffer[i];",
            f"char *q = strchr(buffer, 'c'); {self.slip('if (q)', '')} *q = 'd';",
            f"char *end = buffer + strlen(buffer); if (end > buffer) end[{self.slip('-1', '1')}] = 0;",
        ]

    def program(self) -> str:
        body = self.random.choice((self.names, self.names, self.buffers, self.walks))()
        header = HEADER.replace("EXTRA", self.slip("1", "0"))
        return header + "\n".join(["int main(void) {", *indented(body), "  return 0;", "}", ""])


def program(seed: int) -> str:
    return Text(seed).program()

#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct name { struct name *next; unsigned flags; char text[1]; };
static void *xmalloc(size_t size) { void *p = malloc(size); if (!p) abort(); return p; }
static void xfree(void *p) { if (p) free(p); }
static void add(struct name **list, const char *text) {
    struct name *n = xmalloc(sizeof *n + strlen(text));
    strcpy(n->text, text);
    n->next = *list;
    *list = n;
}
int main(void) {
    struct name *names = NULL, *n;
    while (__VERIFIER_nondet_int()) {
        add(&names, __VERIFIER_nondet_int() ? "alice" : "bo");
        names->flags = names->text[0] == 'a';
    }
    while (names) { n = names->next; xfree(names); names = n; }
    return 0;
}

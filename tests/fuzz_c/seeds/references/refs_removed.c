#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct page { struct page *next; int used; };
struct mark { struct mark *next; struct page *at; };
static struct page *pages;
static struct mark *marks;
static void forget(struct page *p) {
    for (struct mark *m = marks; m; m = m->next)
        if (m->at == p) m->at = NULL;
}
int main(void) {
    while (__VERIFIER_nondet_int()) {
        int what = __VERIFIER_nondet_int();
        if (what == 0) {
            struct page *p = malloc(sizeof *p);
            if (!p) break;
            p->used = 0;
            p->next = pages;
            pages = p;
        } else if (what == 1 && pages) {
            struct mark *m = malloc(sizeof *m);
            if (!m) break;
            m->at = pages;
            m->next = marks;
            marks = m;
        } else if (what == 2) {
            for (struct mark *m = marks; m; m = m->next)
                if (m->at) m->at->used = 1;
        }
    }
    while (marks) {
        struct mark *m = marks;
        marks = m->next;
        free(m);
    }
    while (pages) {
        struct page *p = pages;
        forget(p);
        pages = p->next;
        free(p);
    }
    return 0;
}

#include <assert.h>
#include <stdlib.h>

struct s {
    struct s *n;
    int v;
};
struct u {
    struct u *n;
    unsigned v;
};
int main(void) {
    struct s *h = 0;
    for (int k = 0; k < 3; k++) {
        struct s *q = malloc(sizeof *q);
        if (!q)
            exit(1);
        q->v = -1;
        q->n = h;
        h = q;
    }
    struct u *p = (struct u *)h;
    int bad = 0;
    while (p) {
        if (p->v == 4294967295u)
            bad = 1;
        p = p->n;
    }
    while (h) {
        struct s *t = h->n;
        free(h);
        h = t;
    }
    assert(!bad);
    return 0;
}

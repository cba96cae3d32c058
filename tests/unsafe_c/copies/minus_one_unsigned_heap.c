#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct s {
    int v;
};
struct u {
    unsigned v;
};
int main(void) {
    struct s *p = malloc(sizeof *p);
    struct u *q = malloc(sizeof *q);
    if (!p || !q)
        return 0;
    p->v = -1;
    memcpy(q, p, sizeof *q);
    unsigned r = q->v;
    free(p);
    free(q);
    assert(r < 5 || r != 4294967295u);
    return 0;
}

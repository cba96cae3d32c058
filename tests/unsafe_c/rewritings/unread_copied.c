/* A member that no expression names is read with the struct around it. */
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next, *other;
};

static struct node *other_of(struct node whole)
{
    return whole.other;
}

int main(void)
{
    struct node *p = malloc(sizeof *p);
    if (!p)
        return 0;
    p->next = NULL;
    p->other = p;
    assert(other_of(*p) == NULL);
    free(p);
    return 0;
}

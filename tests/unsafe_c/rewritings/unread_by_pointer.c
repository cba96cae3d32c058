/* A member that no expression names is read through a pointer to it. */
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next, *other;
};

int main(void)
{
    struct node *p = malloc(sizeof *p), **member;
    if (!p)
        return 0;
    p->next = NULL;
    p->other = p;
    member = &p->next;
    member++;
    assert(*member == NULL);
    free(p);
    return 0;
}

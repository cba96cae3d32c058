// Like acyclic_list_insert_before, but a whole list is put before the node, as a library has it.
#include "list.h"

static void insert_list_before(struct node *n, struct node *place) {
    struct node *last = n;
    while (last->succ != NULL)
        last = last->succ;
    n->pred = place->pred;
    if (place->pred != NULL)
        place->pred->succ = n;
    list_link(last, place);
}

int main(void) {
    struct node *list = list_any();
    struct node *more = list_any();
    struct node *place = list_somewhere(list);
    insert_list_before(more, place);
    if (place == list)
        list = more;
    check_acyclic(list);
    return 0;
}

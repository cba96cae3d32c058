// Table 1, acyclic_list_insert_before: a node is put before any node of a list.
#include "list.h"

int main(void) {
    struct node *list = list_any();
    struct node *place = list_somewhere(list);
    struct node *n = node_alloc(1);
    list_insert_before(place, n);
    if (place == list)
        list = n;
    check_acyclic(list);
    return 0;
}

// Table 1, cancel_list_insert_after: a node is put after any node of a list.
#include "list.h"

int main(void) {
    struct node *list = list_any();
    struct node *place = list_somewhere(list);
    list_insert_after(place, node_alloc(1));
    check_cancel(list);
    return 0;
}

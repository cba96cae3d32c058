// Table 1, cancel_list_remove: any node but the only one is taken out of a list.
#include "list.h"

int main(void) {
    struct node *list = list_any();
    struct node *n = list_somewhere(list);
    if (n == list)
        list = list->succ;
    list_remove(n);
    if (list != NULL)
        check_cancel(list);
    return 0;
}

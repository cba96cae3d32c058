// Table 1, acyclic_list_link: two lists become one.
#include "list.h"

int main(void) {
    struct node *one = list_any();
    struct node *two = list_any();
    list_link(list_last(one), two);
    check_acyclic(one);
    return 0;
}

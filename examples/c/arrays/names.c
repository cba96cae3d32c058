// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list whose nodes own copies of texts; a text that is in it already is not copied again.
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *name;
};

static struct node *find(struct node *list, const char *name) {
    for (; list; list = list->next)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

int main(int argc, char **argv) {
    struct node *list = NULL;
    for (int i = 0; i < argc; i++) {
        if (find(list, argv[i]))
            continue;
        struct node *node = malloc(sizeof *node);
        if (!node)
            break;
        node->name = strdup(argv[i]);
        if (!node->name) {
            free(node);
            break;
        }
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        free(list->name);
        free(list);
        list = next;
    }
    return 0;
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of the arguments of the program, printed and freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    const char *text;
};

int main(int argc, char **argv) {
    struct node *list = NULL;
    for (int i = 1; i < argc; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            break;
        node->text = argv[i];
        node->next = list;
        list = node;
    }
    for (struct node *p = list; p; p = p->next)
        printf("%s %d\n", p->text, (int)strlen(p->text));
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}

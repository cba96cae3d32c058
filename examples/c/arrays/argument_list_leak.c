// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A list of the arguments of the program: where malloc fails, the nodes so far are lost.
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
            return 1;  // FAILS: memory_leak
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

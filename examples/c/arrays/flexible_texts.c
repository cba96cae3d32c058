// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list whose nodes have their texts behind their other members: flexible array members.
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    size_t length;
    char text[];
};

static struct node *make(const char *text) {
    size_t length = strlen(text);
    struct node *node = malloc(sizeof *node + length + 1);
    if (!node)
        return NULL;
    node->length = length;
    memcpy(node->text, text, length + 1);
    node->next = NULL;
    return node;
}

int main(int argc, char **argv) {
    struct node *head = NULL;
    for (int i = 1; i < argc; i++) {
        struct node *node = make(argv[i]);
        if (!node)
            break;
        node->next = head;
        head = node;
    }
    size_t total = 0;
    for (struct node *node = head; node; node = node->next)
        total += strlen(node->text);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return total > 0;
}

/* A list without a header: functions return the new first node. */
#include <stdlib.h>
typedef struct item {
    int key;
    struct item *next;
} item;
item *push(item *head, int key) {
    item *n = malloc(sizeof(item));
    if (!n)
        return head;
    n->key = key;
    n->next = head;
    return n;
}
item *find(item *head, int key) {
    while (head && head->key != key)
        head = head->next;
    return head;
}
item *reverse(item *head) {
    item *r = NULL;
    while (head) {
        item *n = head->next;
        head->next = r;
        r = head;
        head = n;
    }
    return r;
}
item *remove_key(item *head, int key) {
    item *prev = NULL, *p = head;
    while (p && p->key != key) {
        prev = p;
        p = p->next;
    }
    if (!p)
        return head;
    if (prev)
        prev->next = p->next;
    else
        head = p->next;
    free(p);
    return head;
}
int length(const item *head) {
    int n = 0;
    while (head) {
        n++;
        head = head->next;
    }
    return n;
}
item *append(item *a, item *b) {
    if (!a)
        return b;
    item *p = a;
    while (p->next)
        p = p->next;
    p->next = b;
    return a;
}
void free_all(item *head) {
    while (head) {
        item *n = head->next;
        free(head);
        head = n;
    }
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A circle of n people, of whom each k-th leaves: that there is one follows from n. Only the attempt `first rounds` proves it.
#include <stdio.h>
#include <stdlib.h>

struct person {
    int number;
    struct person *next;
};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int n = atoi(argv[1]), k = atoi(argv[2]);
    if (n < 1 || k < 1)
        return 2;
    struct person *last = NULL;
    for (int i = 1; i <= n; i++) {
        struct person *p = malloc(sizeof(struct person));
        if (!p)
            abort();
        p->number = i;
        if (last) {
            p->next = last->next;
            last->next = p;
        } else {
            p->next = p;
        }
        last = p;
    }
    while (last->next != last) {
        for (int i = 1; i < k; i++)
            last = last->next;
        struct person *out = last->next;
        last->next = out->next;
        printf("%d leaves\n", out->number);
        free(out);
    }
    printf("%d stays\n", last->number);
    free(last);
    return 0;
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A topological order: the nodes without predecessors are on a stack, the successors in an array of lists.
#include <stdio.h>
#include <stdlib.h>

struct successor {
    int node;
    struct successor *next;
};

int main(void) {
    int count, from, to, top = 0;
    if (scanf("%d", &count) != 1 || count < 1 || count > 100000)
        return 1;
    struct successor **lists = calloc(count, sizeof *lists);
    int *predecessors = calloc(count, sizeof *predecessors);
    int *stack = malloc(count * sizeof *stack);
    if (!lists || !predecessors || !stack) {
        free(lists);
        free(predecessors);
        free(stack);
        return 1;
    }
    while (scanf("%d %d", &from, &to) == 2) {
        if (from < 0 || from >= count || to < 0 || to >= count)
            continue;
        struct successor *s = malloc(sizeof *s);
        if (!s)
            break;
        s->node = to;
        s->next = lists[from];
        lists[from] = s;
        predecessors[to]++;
    }
    for (int i = 0; i < count; i++)
        if (predecessors[i] == 0)
            stack[top++] = i;
    while (top > 0) {
        int node = stack[--top];
        printf("%d\n", node);
        for (struct successor *s = lists[node]; s; s = s->next)
            if (--predecessors[s->node] == 0 && top < count)
                stack[top++] = s->node;
    }
    for (int i = 0; i < count; i++)
        while (lists[i]) {
            struct successor *s = lists[i];
            lists[i] = s->next;
            free(s);
        }
    free(lists);
    free(predecessors);
    free(stack);
    return 0;
}

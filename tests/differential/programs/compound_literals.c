// Compound literals outside of functions are objects without a name; inside, they end with their block.
#include <stdio.h>

struct node {
    struct node *next;
    int value;
};
static struct node *list = &(struct node){&(struct node){0, 4}, 3};
static struct entry {
    const char *name;
    int *values;
} table[] = {{"one", (int[]){1, 2}}, {"two", (int[]){3}}};
static int *numbers = (int[4]){[2] = 7};

int main(void) {
    int sum = 0;
    for (struct node *p = list; p; p = p->next)
        sum += p->value;
    list->next->value = 5;
    table[0].values[1] += numbers[2];
    printf("%d %d %d %d %s\n", sum, list->next->value, table[0].values[1], table[1].values[0], table[1].name);
    return (&(struct node){0, sum})->value;
}

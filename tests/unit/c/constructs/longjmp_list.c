// TRUE
#include <setjmp.h>
#include <stdlib.h>
struct node { struct node *next; };
static jmp_buf env;
static struct node *list;
static void push(void) { struct node *n = malloc(sizeof *n); if (!n) longjmp(env, 1); n->next = list; list = n; }
int main(void) {
    if (setjmp(env) == 0) while (rand() % 4) push();
    while (list) { struct node *n = list->next; free(list); list = n; }
    return 0;
}

#include <string.h>
typedef const struct node { struct node *next; int data; } fixed_t;
fixed_t fixed = {0, 3};
int main(void) { struct node n = {0, 4}; struct node *p = (struct node *)&fixed; p->data = 4; return 0; }

#include <string.h>
struct node { struct node *next; int data; };
const struct node fixed = {0, 3};
int main(void) { struct node n = {0, 4}; memcpy((void *)&fixed, &n, sizeof n); return 0; }

struct node { struct node *next; int data; };
struct node *list = (struct node *)&(const struct node[]){{0, 1}, {0, 2}}[1];
int main(void) { list->data = 4; return 0; }

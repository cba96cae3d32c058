struct node { struct node *next; int data; };
static struct node *const table[2] = {0, 0};
struct node n;
int main(void) { struct node **p = (struct node **)table; p[1] = &n; return 0; }

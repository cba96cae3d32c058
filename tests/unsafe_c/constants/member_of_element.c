struct in { int a, b; };
struct node { struct node *next; const struct in i; };
const struct node t[2] = {{0,{1,2}},{0,{1,2}}};
int main(void) { struct in i = {3, 4}; *(struct in *)&t[1].i = i; return 0; }

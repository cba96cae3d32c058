// Unknown code changes a global pointer that is not static.
#include <stddef.h>
extern void reach_error(void);
struct node { struct node *next; } first;
struct node *head = &first;
int work(void);
#ifdef WORST_CASE
int work(void) { head = NULL; return 0; }
#endif

int main(void) {
    work();
    if (head == NULL)
        reach_error();
    return 0;
}

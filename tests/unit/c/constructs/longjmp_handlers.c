// TRUE
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
struct handler { struct handler *up; jmp_buf env; };
static struct handler *top;
static int depth;
#define TRY do { struct handler h; h.up = top; top = &h; if (setjmp(h.env) == 0) {
#define CATCH top = h.up; } else { top = h.up;
#define END } } while (0)
static void throw(int code) { assert(top); longjmp(top->env, code); }
static int risky(int n) { if (n == 0) throw(3); return n + 1; }
static int compare(const void *a, const void *b) { if (*(const int *)a == 7) throw(9); return *(const int *)a - *(const int *)b; }
static void nested(int n) { TRY if (n) nested(n - 1); else throw(1); CATCH assert(n == 0); depth++; END; }
int main(void) {
    volatile int x = 5;
    TRY x = risky(0); CATCH assert(x == 5); END;
    TRY x = risky(1); CATCH assert(0); END;
    assert(x == 2);
    int a[3] = {3, 7, 2};
    TRY qsort(a, 3, sizeof *a, compare); assert(0); CATCH END;
    nested(2);
    assert(depth == 1 && !top);
    for (int i = 0; i < 3; i++) {
        int *p = malloc(sizeof *p);
        TRY if (!p) throw(1); *p = i; CATCH END;
        free(p);
    }
    return 0;
}

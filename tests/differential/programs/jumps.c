#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf outer, inner;
static void raise_to(jmp_buf where, int code) {
    char text[8];
    strcpy(text, "raised");
    printf("%s %d\n", text, code);
    longjmp(where, code);
}
static int descend(int n) {
    if (n == 0) raise_to(n ? inner : outer, 5);
    return n + descend(n - 1);
}
static int nested(void) {
    volatile int tries = 0;
    int code = setjmp(inner);
    printf("nested %d after %d\n", code, tries);
    if (++tries < 4) raise_to(inner, tries - 1);
    return tries;
}
static int compare(const void *a, const void *b) {
    if (*(const int *)a + *(const int *)b > 9) longjmp(outer, *(const int *)a);
    return *(const int *)a - *(const int *)b;
}
static void interpret(const char *code) {
    static void *const table[] = {&&add, &&twice, &&end};
    int value = 1;
    goto *table[*code++ - '0'];
add:
    value += 3;
    goto *table[*code++ - '0'];
twice:
    value *= 2;
    goto *table[*code++ - '0'];
end:
    printf("value %d\n", value);
}
int main(void) {
    int numbers[] = {4, 1, 6, 3};
    volatile int step = 0;
    for (int round = 0; round < 3; round++) {
        switch (setjmp(outer)) {
        case 0:
            step++;
            if (round == 0) printf("%d\n", descend(3));
            if (round == 1) printf("%d\n", nested());
            if (round == 2) qsort(numbers, 4, sizeof *numbers, compare);
            break;
        default: printf("back in round %d, step %d\n", round, step);
        }
    }
    interpret("01012");
    interpret("1112");
    return 0;
}

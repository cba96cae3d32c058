// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A copy of a text that was hashed before: two loops have found its end.
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    if (argc < 1) return 0;
    const char *word = argv[0];
    unsigned sum = 0;
    for (const char *c = word; *c != '\0'; c++) sum = 31 * sum + (unsigned char)*c;
    size_t size = strlen(word) + 1;
    char *copy = malloc(size);
    if (!copy) return 1;
    memcpy(copy, word, size);
    sum += strlen(copy);
    free(copy);
    return sum % 2;
}

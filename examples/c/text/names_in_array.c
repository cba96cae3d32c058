// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Copies of lines in an array: each element is a block that is made, tested and filled by way of the array.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100

static int read_names(char *names[]) {
    char line[80];
    int n = 0;
    while (n < MOST && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        names[n] = malloc(strlen(line) + 1);
        if (names[n] == NULL)
            break;
        strcpy(names[n], line);
        n++;
    }
    return n;
}

int main(void) {
    char *names[MOST];
    int n = read_names(names);
    for (int i = 0; i < n; i++) {
        puts(names[i]);
        free(names[i]);
    }
    return 0;
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A struct on the heap without pointers, with a text behind a number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    int number;
    char text[32];
};

int main(void) {
    char line[64];
    int number = 0;
    while (fgets(line, sizeof line, stdin)) {
        struct message *message = malloc(sizeof *message);
        if (!message)
            break;
        message->number = number++;
        strncpy(message->text, line, sizeof message->text - 1);
        message->text[sizeof message->text - 1] = '\0';
        printf("%d: %s", message->number, message->text);
        free(message);
    }
    return 0;
}

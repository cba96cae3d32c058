// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A text that grows: memcpy with the terminator, and single characters, in a block of twice the size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    char *text;
    size_t length, capacity;
};

static int start(struct builder *builder) {
    builder->capacity = 16;
    builder->length = 0;
    builder->text = malloc(builder->capacity);
    if (!builder->text)
        return -1;
    builder->text[0] = '\0';
    return 0;
}

static int grow(struct builder *builder, size_t needed) {
    size_t capacity = builder->capacity;
    while (capacity < needed)
        capacity *= 2;
    if (capacity != builder->capacity) {
        char *text = realloc(builder->text, capacity);
        if (!text)
            return -1;
        builder->text = text;
        builder->capacity = capacity;
    }
    return 0;
}

static int append(struct builder *builder, const char *text) {
    size_t length = strlen(text);
    if (grow(builder, builder->length + length + 1) < 0)
        return -1;
    memcpy(builder->text + builder->length, text, length + 1);
    builder->length += length;
    return 0;
}

static int append_character(struct builder *builder, char c) {
    if (grow(builder, builder->length + 2) < 0)
        return -1;
    builder->text[builder->length++] = c;
    builder->text[builder->length] = '\0';
    return 0;
}

int main(int argc, char **argv) {
    struct builder builder;
    if (start(&builder) < 0)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (i > 1 && append_character(&builder, ' ') < 0)
            break;
        if (append(&builder, argv[i]) < 0)
            break;
    }
    puts(builder.text);
    free(builder.text);
    return 0;
}

/* Bodies of library functions, for programs that call them without defining them. Plain C, from the standard's text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Functions with operations of their own, for calls through pointers. */
void *malloc(size_t size) {
    return malloc(size);
}

void *calloc(size_t count, size_t size) {
    return calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return realloc(block, size);
}

void free(void *block) {
    free(block);
}

void *memset(void *block, int value, size_t size) {
    return memset(block, value, size);
}

void *memcpy(void *target, const void *source, size_t size) {
    return memcpy(target, source, size);
}

void *memmove(void *target, const void *source, size_t size) {
    return memmove(target, source, size);
}

void exit(int status) {
    exit(status);
}

void abort(void) {
    abort();
}

int memcmp(const void *first, const void *second, size_t size) {
    const unsigned char *a = first, *b = second;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

void *memchr(const void *block, int value, size_t size) {
    const unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == (unsigned char)value)
            return (void *)(bytes + i);
    return NULL;
}

void bzero(void *block, size_t size) {
    memset(block, 0, size);
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length] != 0)
        length++;
    return length;
}

size_t strnlen(const char *text, size_t limit) {
    size_t length = 0;
    while (length < limit && text[length] != 0)
        length++;
    return length;
}

char *strcpy(char *target, const char *text) {
    size_t i = 0;
    while ((target[i] = text[i]) != 0)
        i++;
    return target;
}

char *strncpy(char *target, const char *text, size_t size) {
    size_t i = 0;
    for (; i < size && text[i] != 0; i++)
        target[i] = text[i];
    for (; i < size; i++)
        target[i] = 0;
    return target;
}

char *strcat(char *target, const char *text) {
    strcpy(target + strlen(target), text);
    return target;
}

char *strncat(char *target, const char *text, size_t size) {
    char *end = target + strlen(target);
    size_t i = 0;
    for (; i < size && text[i] != 0; i++)
        end[i] = text[i];
    end[i] = 0;
    return target;
}

int strcmp(const char *first, const char *second) {
    size_t i = 0;
    while (first[i] != 0 && first[i] == second[i])
        i++;
    return (unsigned char)first[i] - (unsigned char)second[i];
}

int strncmp(const char *first, const char *second, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (first[i] != second[i])
            return (unsigned char)first[i] - (unsigned char)second[i];
        if (first[i] == 0)
            break;
    }
    return 0;
}

char *strchr(const char *text, int value) {
    for (;; text++) {
        if (*text == (char)value)
            return (char *)text;
        if (*text == 0)
            return NULL;
    }
}

char *strrchr(const char *text, int value) {
    const char *found = NULL;
    for (;; text++) {
        if (*text == (char)value)
            found = text;
        if (*text == 0)
            return (char *)found;
    }
}

char *strstr(const char *text, const char *part) {
    size_t length = strlen(part);
    for (;; text++) {
        if (strncmp(text, part, length) == 0)
            return (char *)text;
        if (*text == 0)
            return NULL;
    }
}

char *strdup(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}

int abs(int value) {
    return value < 0 ? -value : value;
}

long labs(long value) {
    return value < 0 ? -value : value;
}

long long llabs(long long value) {
    return value < 0 ? -value : value;
}

int isdigit(int c) {
    return c >= '0' && c <= '9';
}

int isupper(int c) {
    return c >= 'A' && c <= 'Z';
}

int islower(int c) {
    return c >= 'a' && c <= 'z';
}

int isalpha(int c) {
    return isupper(c) || islower(c);
}

int isalnum(int c) {
    return isalpha(c) || isdigit(c);
}

int isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int toupper(int c) {
    return islower(c) ? c - 'a' + 'A' : c;
}

int tolower(int c) {
    return isupper(c) ? c - 'A' + 'a' : c;
}

int atoi(const char *text) {
    int value = 0, sign = 1;
    while (isspace(*text))
        text++;
    if (*text == '-' || *text == '+')
        sign = *text++ == '-' ? -1 : 1;
    while (isdigit(*text))
        value = value * 10 + (*text++ - '0');
    return sign * value;
}

long atol(const char *text) {
    return atoi(text);
}

int isxdigit(int c) {
    return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int isprint(int c) {
    return c >= ' ' && c <= '~';
}

int isgraph(int c) {
    return c > ' ' && c <= '~';
}

int ispunct(int c) {
    return isgraph(c) && !isalnum(c);
}

int iscntrl(int c) {
    return (c >= 0 && c < ' ') || c == 127;
}

int isblank(int c) {
    return c == ' ' || c == '\t';
}

void *reallocarray(void *block, size_t count, size_t size) {
    if (size != 0 && count > (size_t)-1 / size)
        return NULL;
    return realloc(block, count * size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return malloc(size);
}

int posix_memalign(void **target, size_t alignment, size_t size) {
    void *block = malloc(size);
    if (block == NULL)
        return 12;
    *target = block;
    return 0;
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    const char *start = base;
    while (count > 0) {
        const char *middle = start + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            start = middle + size;
            count--;
        }
        count /= 2;
    }
    return NULL;
}

void __kleene_swap(char *first, char *second, size_t size) {
    if (size % sizeof(void *) == 0) {
        for (size_t i = 0; i < size; i += sizeof(void *)) {
            void *kept = *(void **)(first + i);
            *(void **)(first + i) = *(void **)(second + i);
            *(void **)(second + i) = kept;
        }
    } else {
        for (size_t i = 0; i < size; i++) {
            char kept = first[i];
            first[i] = second[i];
            second[i] = kept;
        }
    }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *start = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(start + (j - 1) * size, start + j * size) > 0; j--)
            __kleene_swap(start + (j - 1) * size, start + j * size, size);
}

/* Bodies of library functions, for programs that call them without defining them. Plain C, from the standard's text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* Bodies of library functions, for programs that call them without defining them. Plain C, from the standard's text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);

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

char *strndup(const char *text, size_t size) {
    size_t length = strnlen(text, size);
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

size_t strspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] != 0 && strchr(set, text[length]) != NULL)
        length++;
    return length;
}

size_t strcspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] != 0 && strchr(set, text[length]) == NULL)
        length++;
    return length;
}

char *strpbrk(const char *text, const char *set) {
    text += strcspn(text, set);
    return *text != 0 ? (char *)text : NULL;
}

char *strtok_r(char *text, const char *set, char **rest) {
    if (text == NULL)
        text = *rest;
    if (text == NULL)
        return NULL;
    text += strspn(text, set);
    if (*text == 0) {
        *rest = NULL;
        return NULL;
    }
    char *end = text + strcspn(text, set);
    if (*end != 0)
        *end++ = 0;
    *rest = end;
    return text;
}

char *strtok(char *text, const char *set) {
    static char *rest;
    return strtok_r(text, set, &rest);
}

int strcasecmp(const char *first, const char *second) {
    size_t i = 0;
    while (first[i] != 0 && tolower((unsigned char)first[i]) == tolower((unsigned char)second[i]))
        i++;
    return tolower((unsigned char)first[i]) - tolower((unsigned char)second[i]);
}

char *fgets(char *target, int size, FILE *file) {
    if (size <= 0)
        return NULL;
    int i = 0;
    if (size > 1) {
        if (__VERIFIER_nondet_int() == 0)
            return NULL;
        do
            target[i] = __VERIFIER_nondet_char();
        while (target[i++] != '\n' && i < size - 1 && __VERIFIER_nondet_int() != 0);
    }
    target[i] = 0;
    return target;
}

size_t __kleene_put_text(char *target, size_t size, size_t at, const char *text) {
    for (; *text != 0; text++, at++)
        if (at + 1 < size)
            target[at] = *text;
    return at;
}

size_t __kleene_put_character(char *target, size_t size, size_t at, int character) {
    if (at + 1 < size)
        target[at] = (char)character;
    return at + 1;
}

size_t __kleene_put_number(char *target, size_t size, size_t at, unsigned long long value, unsigned base) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0)
        at = __kleene_put_character(target, size, at, digits[--count]);
    return at;
}

size_t __kleene_put_signed(char *target, size_t size, size_t at, long long value) {
    if (value >= 0)
        return __kleene_put_number(target, size, at, (unsigned long long)value, 10);
    at = __kleene_put_character(target, size, at, '-');
    return __kleene_put_number(target, size, at, -(unsigned long long)value, 10);
}

int __kleene_end_text(char *target, size_t size, size_t at) {
    if (size > 0)
        target[at < size ? at : size - 1] = 0;
    return (int)at;
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

/* Bodies of library functions, for programs that call them without defining them. Plain C, from the standard's text. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
extern size_t __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
int __kleene_builtin_ffs(int);

/* What is read from streams: lengths of lines (0 and less: there is none), of words, of all that is left, and
   bytes, where a byte or the end (-1) is read. Lengths are any numbers; what is too long is cut by its reader. */
extern int __kleene_line_length(void);
extern int __kleene_word_length(void);
extern int __kleene_outside_length(void);
extern long __kleene_bytes_left(void);
extern char __kleene_read_byte(void);
extern int __kleene_read_or_end(void);

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

/* All bytes are read, also those behind the first difference (C17, 7.24.1). */
int memcmp(const void *first, const void *second, size_t size) {
    const unsigned char *a = first, *b = second;
    if (size > 0) {
        a[size - 1];
        b[size - 1];
    }
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

void *memrchr(const void *block, int value, size_t size) {
    const unsigned char *bytes = block;
    for (size_t i = size; i > 0; i--)
        if (bytes[i - 1] == (unsigned char)value)
            return (void *)(bytes + i - 1);
    return NULL;
}

void *rawmemchr(const void *block, int value) {
    const unsigned char *bytes = block;
    while (*bytes != (unsigned char)value)
        bytes++;
    return (void *)bytes;
}

void *mempcpy(void *target, const void *source, size_t size) {
    memcpy(target, source, size);
    return (char *)target + size;
}

void *memccpy(void *target, const void *source, int value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((char *)target)[i] = ((const char *)source)[i];
        if (((const unsigned char *)source)[i] == (unsigned char)value)
            return (char *)target + i + 1;
    }
    return NULL;
}

void *memmem(const void *block, size_t size, const void *part, size_t length) {
    if (size > 0)
        ((const char *)block)[size - 1];
    if (length > 0)
        ((const char *)part)[length - 1];
    for (size_t i = 0; length <= size && i <= size - length; i++)
        if (memcmp((const char *)block + i, part, length) == 0)
            return (char *)block + i;
    return NULL;
}

void bzero(void *block, size_t size) {
    memset(block, 0, size);
}

void explicit_bzero(void *block, size_t size) {
    memset(block, 0, size);
}

void bcopy(const void *source, void *target, size_t size) {
    memmove(target, source, size);
}

int bcmp(const void *first, const void *second, size_t size) {
    return memcmp(first, second, size);
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

char *strchrnul(const char *text, int value) {
    while (*text != 0 && *text != (char)value)
        text++;
    return (char *)text;
}

char *index(const char *text, int value) {
    return strchr(text, value);
}

char *rindex(const char *text, int value) {
    return strrchr(text, value);
}

char *stpcpy(char *target, const char *text) {
    size_t i = 0;
    while ((target[i] = text[i]) != 0)
        i++;
    return target + i;
}

char *stpncpy(char *target, const char *text, size_t size) {
    strncpy(target, text, size);
    return target + strnlen(text, size);
}

size_t strlcpy(char *target, const char *text, size_t size) {
    size_t length = strlen(text);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(target, text, copied);
        target[copied] = 0;
    }
    return length;
}

size_t strlcat(char *target, const char *text, size_t size) {
    size_t start = strnlen(target, size);
    return start == size ? size + strlen(text) : start + strlcpy(target + start, text, size - start);
}

int strcoll(const char *first, const char *second) {
    return strcmp(first, second);
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
    text += strspn(text, set);
    if (*text == 0) {
        *rest = text;
        return NULL;
    }
    char *end = text + strcspn(text, set);
    if (*end != 0)
        *end++ = 0;
    *rest = end;
    return text;
}

char *__kleene_strtok_rest; /* shared with its summary */

char *strtok(char *text, const char *set) {
    return strtok_r(text, set, &__kleene_strtok_rest);
}

char *strsep(char **rest, const char *set) {
    char *text = *rest;
    if (text == NULL)
        return NULL;
    char *end = text + strcspn(text, set);
    if (*end != 0)
        *end++ = 0;
    else
        end = NULL;
    *rest = end;
    return text;
}

int strcasecmp(const char *first, const char *second) {
    size_t i = 0;
    while (first[i] != 0 && tolower((unsigned char)first[i]) == tolower((unsigned char)second[i]))
        i++;
    return tolower((unsigned char)first[i]) - tolower((unsigned char)second[i]);
}

int strncasecmp(const char *first, const char *second, size_t size) {
    for (size_t i = 0; i < size; i++) {
        int order = tolower((unsigned char)first[i]) - tolower((unsigned char)second[i]);
        if (order != 0 || first[i] == 0)
            return order;
    }
    return 0;
}

char *strcasestr(const char *text, const char *part) {
    size_t length = strlen(part);
    for (;; text++) {
        if (strncasecmp(text, part, length) == 0)
            return (char *)text;
        if (*text == 0)
            return NULL;
    }
}

char *fgets(char *target, int size, FILE *file) {
    if (size <= 0)
        return NULL;
    int i = 0;
    if (size > 1) {
        int length = __kleene_line_length();
        if (length <= 0)
            return NULL;
        if (length >= size)
            length = size - 1;
        for (; i + 1 < length; i++) {
            target[i] = __kleene_read_byte();
            __VERIFIER_assume(target[i] != '\n');
        }
        target[i++] = __kleene_read_byte();
    }
    target[i] = 0;
    return target;
}

/* The parts of scanf and sscanf. Those of sscanf return the rest of the text, or NULL where it does not match. */
void __kleene_scan_field(char *target, int width, const char *set, int inside) {
    int length = __kleene_word_length();
    __VERIFIER_assume(length > 0);
    if (width >= 0 && length > width)
        length = width;
    int i = 0;
    for (; i < length; i++) {
        target[i] = __kleene_read_byte();
        __VERIFIER_assume(target[i] != 0);
        if (inside)
            __VERIFIER_assume(strchr(set, target[i]) != NULL);
        for (int j = 0; !inside && set[j] != 0; j++) /* an assumption each: a run decides nothing here */
            __VERIFIER_assume(target[i] != set[j]);
    }
    target[i] = 0;
}

char *__kleene_scan_spaces(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

int __kleene_scan_failure(char *text, int skips) {
    if (skips)
        text = __kleene_scan_spaces(text);
    return *text == 0 ? -1 : 0;
}

char *__kleene_scan_literal(char *text, const char *literal) {
    for (; *literal != 0; literal++, text++)
        if (*text != *literal)
            return NULL;
    return text;
}

char *__kleene_skip_set(char *text, int width, const char *set, int inside) {
    int i = 0;
    while ((width < 0 || i < width) && text[i] != 0 && (strchr(set, text[i]) != NULL) == (inside != 0))
        i++;
    return i == 0 ? NULL : text + i;
}

char *__kleene_scan_set(char *text, char *target, int width, const char *set, int inside) {
    char *rest = __kleene_skip_set(text, width, set, inside);
    if (rest == NULL)
        return NULL;
    int i = 0;
    for (; text + i != rest; i++)
        target[i] = text[i];
    target[i] = 0;
    return rest;
}

char __kleene_scan_character(char *text) {
    return *text;
}

char *__kleene_scan_behind_character(char *text) {
    return *text == 0 ? NULL : text + 1;
}

int __kleene_digit(int c, int base) {
    int value = isdigit(c) ? c - '0' : islower(c) ? c - 'a' + 10 : isupper(c) ? c - 'A' + 10 : base;
    return value < base ? value : -1;
}

/* The base of the number that a text begins with, where any base is allowed, too. */
int __kleene_scan_base(const char *text, int base, int width) {
    int signs = *text == '-' || *text == '+';
    if (base != 0 || text[signs] != '0')
        return base == 0 ? 10 : base;
    int has_letter = (width < 0 || width > signs + 1) && (text[signs + 1] == 'x' || text[signs + 1] == 'X');
    return has_letter ? 16 : 8;
}

/* How many characters are before the digits of a number: its sign, and 0x. */
int __kleene_scan_prefix(const char *text, int base, int width) {
    int i = *text == '-' || *text == '+';
    int has_room = width < 0 || width > i + 2;
    if (base == 16 && has_room && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X') &&
        __kleene_digit(text[i + 2], base) >= 0)
        i += 2;
    return i;
}

long long __kleene_scan_number(char *text, int base, int width) {
    text = __kleene_scan_spaces(text);
    base = __kleene_scan_base(text, base, width);
    unsigned long long value = 0;
    int i = __kleene_scan_prefix(text, base, width);
    for (; (width < 0 || i < width) && __kleene_digit(text[i], base) >= 0; i++)
        value = value * (unsigned)base + (unsigned)__kleene_digit(text[i], base);
    return (long long)(*text == '-' ? -value : value);
}

char *__kleene_scan_behind_number(char *text, int base, int width) {
    text = __kleene_scan_spaces(text);
    base = __kleene_scan_base(text, base, width);
    int first = __kleene_scan_prefix(text, base, width), i = first;
    while ((width < 0 || i < width) && __kleene_digit(text[i], base) >= 0)
        i++;
    return i == first ? NULL : text + i;
}

/* Whether a number without its sign is infinite, no number, or has the base 16. */
int __kleene_is_special_real(const char *text) {
    return strncasecmp(text, "inf", 3) == 0 || strncasecmp(text, "nan", 3) == 0 || strncasecmp(text, "0x", 2) == 0;
}

/* The end of a number with a fraction and an exponent; NULL where there is none. Where the text ends like an exponent
   without digits, implementations differ (C17, 7.21.6.2): `open` says what becomes of it. */
char *__kleene_behind_real(const char *text, int open) {
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '-' || *text == '+')
        text++;
    if (__kleene_is_special_real(text)) {
        size_t length = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(length <= strlen(text));
        return length == 0 ? NULL : (char *)text + length;
    }
    int digits = 0;
    for (; isdigit(*text); text++)
        digits = 1;
    if (*text == '.')
        for (text++; isdigit(*text); text++)
            digits = 1;
    if (!digits)
        return NULL;
    if (*text != 'e' && *text != 'E')
        return (char *)text;
    int sign = text[1] == '-' || text[1] == '+';
    if (!isdigit(text[1 + sign]))
        return open ? (__VERIFIER_nondet_int() == 0 ? NULL : (char *)text + 1 + sign) : (char *)text;
    for (text += 1 + sign; isdigit(*text);)
        text++;
    return (char *)text;
}

/* The value of a number where one operation computes it without a second rounding: a mantissa and a power of ten that
   both are exact. Any other number may have any value. */
double __kleene_real(const char *text, unsigned long long mantissas, int powers) {
    while (isspace((unsigned char)*text))
        text++;
    int negative = *text == '-', scale = 0, is_behind = 0, exponent = 0;
    unsigned long long mantissa = 0;
    if (*text == '-' || *text == '+')
        text++;
    if (__kleene_is_special_real(text))
        return __VERIFIER_nondet_double();
    for (; isdigit(*text) || (*text == '.' && !is_behind); text++) {
        if (*text == '.') {
            is_behind = 1;
            continue;
        }
        mantissa = mantissa * 10 + (unsigned)(*text - '0');
        scale -= is_behind;
        if (mantissa > mantissas)
            return __VERIFIER_nondet_double();
    }
    if (*text == 'e' || *text == 'E') {
        int sign = text[1] == '-' || text[1] == '+', is_small = text[1] == '-';
        for (text += 1 + sign; isdigit(*text) && exponent <= 2 * powers; text++)
            exponent = 10 * exponent + (*text - '0');
        scale += is_small ? -exponent : exponent;
    }
    if (scale > powers || scale < -powers)
        return __VERIFIER_nondet_double();
    double power = 1, value = (double)mantissa;
    for (int i = scale < 0 ? -scale : scale; i > 0; i--)
        power *= 10;
    value = scale < 0 ? value / power : value * power;
    return negative ? -value : value;
}

char *__kleene_scan_behind_real(char *text) {
    return __kleene_behind_real(text, 1);
}

double strtod(const char *text, char **end) {
    char *behind = __kleene_behind_real(text, 0);
    if (end != NULL)
        *end = behind == NULL ? (char *)text : behind;
    return behind == NULL ? 0 : __kleene_real(text, 1ULL << 53, 22);
}

/* With these limits, rounding to a double first changes nothing (a double has more than twice the digits of a float). */
float strtof(const char *text, char **end) {
    char *behind = __kleene_behind_real(text, 0);
    if (end != NULL)
        *end = behind == NULL ? (char *)text : behind;
    return behind == NULL ? 0 : (float)__kleene_real(text, 1ULL << 24, 10);
}

double atof(const char *text) {
    return strtod(text, NULL);
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

void __kleene_read_text(const char *text, int most) {
    for (int i = 0; (most < 0 || i < most) && text[i] != 0; i++)
        ;
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

/* Whole numbers of floating point: from 2^53 on, every double is one. */
#define KLEENE_WHOLE_FROM 9007199254740992.0

double trunc(double value) {
    return value > -KLEENE_WHOLE_FROM && value < KLEENE_WHOLE_FROM ? (double)(long long)value : value;
}

double floor(double value) {
    double whole = trunc(value);
    return whole > value ? whole - 1 : whole;
}

double ceil(double value) {
    double whole = trunc(value);
    return whole < value ? whole + 1 : whole;
}

double round(double value) {
    double whole = trunc(value), rest = value - whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

double fabs(double value) {
    return value < 0 ? -value : value;
}

double fmax(double left, double right) {
    return left != left || left < right ? right : left;
}

double fmin(double left, double right) {
    return left != left || right < left ? right : left;
}

float floorf(float value) {
    return (float)floor(value);
}

float ceilf(float value) {
    return (float)ceil(value);
}

float fabsf(float value) {
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

unsigned long long __kleene_read_number(const char *text, char **end, int base, unsigned long long most, int *negative) {
    const char *at = text;
    unsigned long long value = 0;
    int any = 0;
    while (isspace((unsigned char)*at))
        at++;
    *negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        __kleene_digit((unsigned char)at[2], 16) >= 0) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (int digit; (digit = __kleene_digit((unsigned char)*at, base)) >= 0; at++) {
        value = value > (most - digit) / base ? most : value * base + digit;
        any = 1;
    }
    if (end != NULL)
        *end = (char *)(any ? at : text);
    return value;
}

long strtol(const char *text, char **end, int base) {
    int negative;
    unsigned long most = (unsigned long)-1 / 2;
    unsigned long value = __kleene_read_number(text, end, base, most + 1, &negative);
    return negative ? -value : value > most ? most : value;
}

unsigned long strtoul(const char *text, char **end, int base) {
    int negative;
    unsigned long value = __kleene_read_number(text, end, base, (unsigned long)-1, &negative);
    return negative ? -value : value;
}

long long strtoll(const char *text, char **end, int base) {
    int negative;
    unsigned long long most = (unsigned long long)-1 / 2;
    unsigned long long value = __kleene_read_number(text, end, base, most + 1, &negative);
    return negative ? -value : value > most ? most : value;
}

unsigned long long strtoull(const char *text, char **end, int base) {
    int negative;
    unsigned long long value = __kleene_read_number(text, end, base, (unsigned long long)-1, &negative);
    return negative ? -value : value;
}

intmax_t strtoimax(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

uintmax_t strtoumax(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

long atol(const char *text) {
    return strtol(text, NULL, 10);
}

long long atoll(const char *text) {
    return strtoll(text, NULL, 10);
}

div_t div(int value, int by) {
    div_t result = {value / by, value % by};
    return result;
}

ldiv_t ldiv(long value, long by) {
    ldiv_t result = {value / by, value % by};
    return result;
}

int ffs(int value) {
    return __kleene_builtin_ffs(value);
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

int isascii(int c) {
    return c >= 0 && c <= 127;
}

int toascii(int c) {
    return c & 127;
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
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
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

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *argument) {
    char *start = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(start + (j - 1) * size, start + j * size, argument) > 0; j--)
            __kleene_swap(start + (j - 1) * size, start + j * size, size);
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
    for (size_t i = 0; i < *count; i++)
        if (compare(key, (const char *)base + i * size) == 0)
            return (char *)base + i * size;
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
    void *found = lfind(key, base, count, size, compare);
    if (found == NULL) {
        found = (char *)base + *count * size;
        memcpy(found, key, size);
        *count = *count + 1;
    }
    return found;
}

/* Doubly linked lists, circular or ended by NULL. */
struct __kleene_links {
    struct __kleene_links *next, *previous;
};

void insque(void *element, void *before) {
    struct __kleene_links *e = element, *b = before;
    if (b == NULL) {
        e->next = e->previous = NULL;
        return;
    }
    e->next = b->next;
    e->previous = b;
    b->next = e;
    if (e->next != NULL)
        e->next->previous = e;
}

void remque(void *element) {
    struct __kleene_links *e = element;
    if (e->next != NULL)
        e->next->previous = e->previous;
    if (e->previous != NULL)
        e->previous->next = e->next;
}

/* Search trees; the key comes first in a node. */
struct __kleene_tree {
    const void *key;
    struct __kleene_tree *left, *right;
};

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct __kleene_tree **place = (struct __kleene_tree **)root;
    if (place == NULL)
        return NULL;
    while (*place != NULL) {
        int order = compare(key, (*place)->key);
        if (order == 0)
            return *place;
        place = order < 0 ? &(*place)->left : &(*place)->right;
    }
    struct __kleene_tree *node = malloc(sizeof *node);
    if (node == NULL)
        return NULL;
    node->key = key;
    node->left = node->right = NULL;
    *place = node;
    return node;
}

void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *)) {
    struct __kleene_tree *node = root != NULL ? *root : NULL;
    while (node != NULL) {
        int order = compare(key, node->key);
        if (order == 0)
            break;
        node = order < 0 ? node->left : node->right;
    }
    return node;
}

void *tdelete(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct __kleene_tree **place = (struct __kleene_tree **)root;
    void *parent = root;
    int order;
    if (place == NULL || *place == NULL)
        return NULL;
    while ((order = compare(key, (*place)->key)) != 0) {
        parent = *place;
        place = order < 0 ? &(*place)->left : &(*place)->right;
        if (*place == NULL)
            return NULL;
    }
    struct __kleene_tree *node = *place;
    if (node->left == NULL) {
        *place = node->right;
    } else {
        struct __kleene_tree **least = &node->left;
        while ((*least)->right != NULL)
            least = &(*least)->right;
        struct __kleene_tree *moved = *least;
        *least = moved->left;
        moved->left = node->left;
        moved->right = node->right;
        *place = moved;
    }
    free(node);
    return parent;
}

void __kleene_walk(const struct __kleene_tree *node, void (*action)(const void *, VISIT, int), int depth) {
    if (node->left == NULL && node->right == NULL) {
        action(node, leaf, depth);
        return;
    }
    action(node, preorder, depth);
    if (node->left != NULL)
        __kleene_walk(node->left, action, depth + 1);
    action(node, postorder, depth);
    if (node->right != NULL)
        __kleene_walk(node->right, action, depth + 1);
    action(node, endorder, depth);
}

void twalk(const void *root, void (*action)(const void *, VISIT, int)) {
    if (root != NULL && action != NULL)
        __kleene_walk(root, action, 0);
}

void tdestroy(void *root, void (*free_key)(void *)) {
    struct __kleene_tree *node = root;
    if (node == NULL)
        return;
    tdestroy(node->left, free_key);
    tdestroy(node->right, free_key);
    free_key((void *)node->key);
    free(node);
}

/* The one table of hsearch: its entries are a list, since the order in a table is not seen. */
struct __kleene_entry {
    ENTRY entry;
    struct __kleene_entry *next;
};
static struct __kleene_entry *kleene_entries;
static size_t kleene_entries_left;
static int kleene_has_table;

int hcreate(size_t size) {
    if (kleene_has_table || __VERIFIER_nondet_int() == 0)
        return 0;
    kleene_has_table = 1;
    kleene_entries_left = size;
    return 1;
}

ENTRY *hsearch(ENTRY item, ACTION action) {
    for (struct __kleene_entry *e = kleene_entries; e != NULL; e = e->next)
        if (strcmp(e->entry.key, item.key) == 0)
            return &e->entry;
    if (action == FIND || !kleene_has_table || kleene_entries_left == 0)
        return NULL;
    struct __kleene_entry *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        return NULL;
    fresh->entry = item;
    fresh->next = kleene_entries;
    kleene_entries = fresh;
    kleene_entries_left--;
    return &fresh->entry;
}

void hdestroy(void) {
    while (kleene_entries != NULL) {
        struct __kleene_entry *next = kleene_entries->next;
        free(kleene_entries);
        kleene_entries = next;
    }
    kleene_has_table = 0;
}

/* Functions of the compiler, on bits. */
int __kleene_builtin_popcountll(unsigned long long value) {
    int count = 0;
    for (; value != 0; value >>= 1)
        count += value & 1;
    return count;
}

int __kleene_builtin_popcountl(unsigned long value) {
    return __kleene_builtin_popcountll(value);
}

int __kleene_builtin_popcount(unsigned value) {
    return __kleene_builtin_popcountll(value);
}

int __kleene_builtin_parity(unsigned value) {
    return __kleene_builtin_popcountll(value) & 1;
}

int __kleene_builtin_ctzll(unsigned long long value) {
    int count = 0;
    for (; (value & 1) == 0; value >>= 1)
        count++;
    return count;
}

int __kleene_builtin_ctzl(unsigned long value) {
    return __kleene_builtin_ctzll(value);
}

int __kleene_builtin_ctz(unsigned value) {
    return __kleene_builtin_ctzll(value);
}

int __kleene_builtin_clzll(unsigned long long value) {
    int count = 64;
    for (; value != 0; value >>= 1)
        count--;
    return count;
}

int __kleene_builtin_clzl(unsigned long value) {
    return __kleene_builtin_clzll(value) - 8 * (int)(sizeof(long long) - sizeof(long));
}

int __kleene_builtin_clz(unsigned value) {
    return __kleene_builtin_clzll(value) - 32;
}

int __kleene_builtin_ffs(int value) {
    return value == 0 ? 0 : __kleene_builtin_ctzll((unsigned)value) + 1;
}

int __kleene_builtin_ffsl(long value) {
    return value == 0 ? 0 : __kleene_builtin_ctzll((unsigned long)value) + 1;
}

unsigned short __kleene_builtin_bswap16(unsigned short value) {
    return (unsigned short)(value << 8 | value >> 8);
}

unsigned __kleene_builtin_bswap32(unsigned value) {
    return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
}

unsigned long long __kleene_builtin_bswap64(unsigned long long value) {
    return (unsigned long long)__kleene_builtin_bswap32((unsigned)value) << 32 |
           __kleene_builtin_bswap32((unsigned)(value >> 32));
}

void *__kleene_builtin_assume_aligned(const void *block, size_t alignment) {
    return (void *)block;
}

unsigned short htons(unsigned short value) {
    return __kleene_builtin_bswap16(value);
}

unsigned short ntohs(unsigned short value) {
    return __kleene_builtin_bswap16(value);
}

unsigned htonl(unsigned value) {
    return __kleene_builtin_bswap32(value);
}

unsigned ntohl(unsigned value) {
    return __kleene_builtin_bswap32(value);
}

/* Functions that run at the exit, the last one first. A program that registers more is not followed further. */
extern void __kleene_many_handlers(void);
extern void __kleene_late_handler(void);
static void (*kleene_handler_1)(void);
static void (*kleene_handler_2)(void);
static void (*kleene_handler_3)(void);
static void (*kleene_handler_4)(void);
static int kleene_exits;

int atexit(void (*handler)(void)) {
    if (kleene_exits != 0)
        __kleene_late_handler();
    if (kleene_handler_1 == NULL)
        kleene_handler_1 = handler;
    else if (kleene_handler_2 == NULL)
        kleene_handler_2 = handler;
    else if (kleene_handler_3 == NULL)
        kleene_handler_3 = handler;
    else if (kleene_handler_4 == NULL)
        kleene_handler_4 = handler;
    else
        __kleene_many_handlers();
    return 0;
}

void __kleene_run_handlers(void) {
    kleene_exits = 1;
    if (kleene_handler_4 != NULL)
        kleene_handler_4();
    if (kleene_handler_3 != NULL)
        kleene_handler_3();
    if (kleene_handler_2 != NULL)
        kleene_handler_2();
    if (kleene_handler_1 != NULL)
        kleene_handler_1();
}

/* Texts of wide characters. */
size_t wcslen(const wchar_t *text) {
    size_t length = 0;
    while (text[length] != 0)
        length++;
    return length;
}

wchar_t *wmemcpy(wchar_t *target, const wchar_t *source, size_t count) {
    for (size_t i = 0; i < count; i++)
        target[i] = source[i];
    return target;
}

wchar_t *wmemset(wchar_t *target, wchar_t value, size_t count) {
    for (size_t i = 0; i < count; i++)
        target[i] = value;
    return target;
}

wchar_t *wcscpy(wchar_t *target, const wchar_t *source) {
    size_t i = 0;
    while ((target[i] = source[i]) != 0)
        i++;
    return target;
}

wchar_t *wcsncpy(wchar_t *target, const wchar_t *source, size_t count) {
    size_t i = 0;
    for (; i < count && source[i] != 0; i++)
        target[i] = source[i];
    for (; i < count; i++)
        target[i] = 0;
    return target;
}

wchar_t *wcscat(wchar_t *target, const wchar_t *source) {
    wcscpy(target + wcslen(target), source);
    return target;
}

int wcsncmp(const wchar_t *first, const wchar_t *second, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
        if (first[i] == 0)
            return 0;
    }
    return 0;
}

int wcscmp(const wchar_t *first, const wchar_t *second) {
    for (size_t i = 0;; i++) {
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
        if (first[i] == 0)
            return 0;
    }
}

wchar_t *wcschr(const wchar_t *text, wchar_t wanted) {
    for (;; text++) {
        if (*text == wanted)
            return (wchar_t *)text;
        if (*text == 0)
            return NULL;
    }
}

wchar_t *wcsrchr(const wchar_t *text, wchar_t wanted) {
    const wchar_t *last = NULL;
    for (;; text++) {
        if (*text == wanted)
            last = text;
        if (*text == 0)
            return (wchar_t *)last;
    }
}

wchar_t *wcsdup(const wchar_t *text) {
    size_t length = wcslen(text) + 1;
    wchar_t *copy = malloc(length * sizeof(wchar_t));
    return copy == NULL ? NULL : wmemcpy(copy, text, length);
}

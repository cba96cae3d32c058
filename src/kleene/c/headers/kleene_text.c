/* Summaries of library functions on text, for the analyses: all that the bodies in kleene_library.c may do, without loops.

   A text is a block of bytes with a terminator. The functions __kleene_text_... and __kleene_bytes_... are operations of
   the analyses (passes/elements/text/rewritten.py). What a summary chooses is any value within the bounds that it states. */
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef struct __kleene_FILE FILE;
#define NULL ((void *)0)

extern void *malloc(size_t);
extern void *realloc(void *, size_t);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
extern size_t __VERIFIER_nondet_ulong(void);
extern ssize_t __VERIFIER_nondet_long(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

/* The distance to the first terminator. */
extern size_t __kleene_text_length(const char *text);
/* The same, or the limit if this is less: no more is read. */
extern size_t __kleene_text_prefix(const char *text, size_t limit);
/* Writes that many bytes, and a terminator behind them. */
extern void __kleene_text_write(char *target, size_t length);
/* Writes, and reads, that many bytes. */
extern void __kleene_bytes_write(void *target, size_t size);
extern void __kleene_bytes_read(const void *source, size_t size);
/* Writes so many bytes at a position of a target of some size, as far as they are before its last byte; where they end. */
extern size_t __kleene_text_put(char *target, size_t size, size_t at, size_t length);
/* Writes a terminator at that position, or at the last one if this is less; the position. */
extern size_t __kleene_text_put_end(char *target, size_t size, size_t at);
/* The number of digits of a number. */
extern size_t __kleene_text_digits(unsigned long long value, unsigned base);

size_t __summary_strlen(const char *text) {
    return __kleene_text_length(text);
}

size_t __summary_strnlen(const char *text, size_t limit) {
    return __kleene_text_prefix(text, limit);
}

char *__summary_strcpy(char *target, const char *text) {
    if (target == text) { /* they overlap, or may do so: an error, and nothing behind it matters */
        __kleene_text_write(target, (size_t)-1);
        __VERIFIER_assume(0);
    }
    size_t length = __kleene_text_length(text);
    __kleene_text_write(target, length);
    return target;
}

char *__summary_strncpy(char *target, const char *text, size_t size) {
    if (target == text) { /* they overlap, or may do so: an error, and nothing behind it matters */
        __kleene_text_write(target, (size_t)-1);
        __VERIFIER_assume(0);
    }
    size_t length = __kleene_text_prefix(text, size);
    __kleene_bytes_write(target, size);
    if (length < size)
        target[length] = 0;
    return target;
}

char *__summary_strcat(char *target, const char *text) {
    if (target == text) { /* they overlap, or may do so: an error, and nothing behind it matters */
        __kleene_text_write(target, (size_t)-1);
        __VERIFIER_assume(0);
    }
    size_t start = __kleene_text_length(target);
    size_t length = __kleene_text_length(text);
    __kleene_text_write(target + start, length);
    return target;
}

char *__summary_strncat(char *target, const char *text, size_t size) {
    if (target == text) { /* they overlap, or may do so: an error, and nothing behind it matters */
        __kleene_text_write(target, (size_t)-1);
        __VERIFIER_assume(0);
    }
    size_t start = __kleene_text_length(target);
    size_t length = __kleene_text_prefix(text, size);
    __kleene_text_write(target + start, length);
    return target;
}

/* The order of two texts, of which equal ones have equal lengths, as far as these are looked at. */
static int __summary_order(size_t length, size_t other) {
    if (__VERIFIER_nondet_int() == 0) {
        __VERIFIER_assume(length == other);
        return 0;
    }
    int order = __VERIFIER_nondet_int();
    __VERIFIER_assume(order != 0);
    return order;
}

int __summary_strcmp(const char *first, const char *second) {
    size_t length = __kleene_text_length(first), other = __kleene_text_length(second);
    return __summary_order(length, other);
}

int __summary_strncmp(const char *first, const char *second, size_t size) {
    size_t length = __kleene_text_prefix(first, size), other = __kleene_text_prefix(second, size);
    return __summary_order(length, other);
}

int __summary_strcasecmp(const char *first, const char *second) {
    size_t length = __kleene_text_length(first), other = __kleene_text_length(second);
    return __summary_order(length, other);
}

/* In some locales texts of different lengths have one place in the order. */
int __summary_strcoll(const char *first, const char *second) {
    __kleene_text_length(first);
    __kleene_text_length(second);
    return __VERIFIER_nondet_int();
}

int __summary_memcmp(const void *first, const void *second, size_t size) {
    __kleene_bytes_read(first, size);
    __kleene_bytes_read(second, size);
    return __VERIFIER_nondet_int();
}

char *__summary_strchr(const char *text, int value) {
    size_t length = __kleene_text_length(text);
    if ((char)value == 0)
        return (char *)text + length;
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at < length);
    return (char *)text + at;
}

char *__summary_strrchr(const char *text, int value) {
    size_t length = __kleene_text_length(text);
    if ((char)value == 0)
        return (char *)text + length;
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at < length);
    return (char *)text + at;
}

char *__summary_strstr(const char *text, const char *part) {
    size_t length = __kleene_text_length(text);
    size_t more = __kleene_text_length(part);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length && more <= length - at);
    return (char *)text + at;
}

char *__summary_strdup(const char *text) {
    size_t length = __kleene_text_length(text);
    char *copy = malloc(length + 1);
    if (copy != NULL)
        __kleene_text_write(copy, length);
    return copy;
}

char *__summary_strndup(const char *text, size_t size) {
    size_t length = __kleene_text_prefix(text, size);
    char *copy = malloc(length + 1);
    if (copy != NULL)
        __kleene_text_write(copy, length);
    return copy;
}

size_t __summary_strspn(const char *text, const char *set) {
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    return at;
}

size_t __summary_strcspn(const char *text, const char *set) {
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    return at;
}

char *__summary_strpbrk(const char *text, const char *set) {
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at < length);
    return (char *)text + at;
}

char *__summary_strtok_r(char *text, const char *set, char **rest) {
    if (text == NULL)
        text = *rest;
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    size_t start = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(start <= length);
    if (start == length) {
        *rest = text + length;
        return NULL;
    }
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(start < end && end <= length);
    if (end == length) {
        *rest = text + end;
    } else {
        text[end] = 0;
        *rest = text + end + 1;
    }
    return text + start;
}

extern char *__kleene_strtok_rest;

char *__summary_strtok(char *text, const char *set) {
    if (text == NULL)
        text = __kleene_strtok_rest;
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    size_t start = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(start <= length);
    if (start == length) {
        __kleene_strtok_rest = text + length;
        return NULL;
    }
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(start < end && end <= length);
    if (end == length) {
        __kleene_strtok_rest = text + end;
    } else {
        text[end] = 0;
        __kleene_strtok_rest = text + end + 1;
    }
    return text + start;
}

char *__summary_strsep(char **rest, const char *set) {
    char *text = *rest;
    if (text == NULL)
        return NULL;
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(end <= length);
    if (end == length) {
        *rest = NULL;
    } else {
        text[end] = 0;
        *rest = text + end + 1;
    }
    return text;
}

ssize_t __summary_getline(char **line, size_t *size, FILE *stream) {
    if (__VERIFIER_nondet_int() == 0) { /* the end; a first buffer has no content */
        if (*line == NULL) {
            char *fresh = malloc(120);
            if (fresh != NULL) {
                *line = fresh;
                *size = 120;
            }
        }
        return -1;
    }
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(0 < length && length < 0x7fffffff);
    if (*line == NULL || *size <= length) {
        size_t wanted = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(length < wanted && wanted <= 0x7fffffff);
        char *moved = realloc(*line, wanted);
        if (moved == NULL)
            return -1;
        __kleene_text_write(moved, length);
        *line = moved;
        *size = wanted;
    } else {
        __kleene_text_write(*line, length);
    }
    return (ssize_t)length;
}

void __summary___kleene_scan_field(char *target, int width, const char *set, int inside) {
    __kleene_text_length(set);
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(0 < length && (width < 0 || length <= (size_t)width));
    __kleene_text_write(target, length);
}

char *__summary___kleene_scan_spaces(char *text) {
    size_t length = __kleene_text_length(text);
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    return text + at;
}

int __summary___kleene_scan_failure(char *text, int skips) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_int() == 0 ? 0 : -1;
}

char *__summary___kleene_scan_literal(char *text, const char *literal) {
    __kleene_text_length(literal);
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    return text + at;
}

char *__summary___kleene_skip_set(char *text, int width, const char *set, int inside) {
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(end <= length);
    __VERIFIER_assume(0 < end && (width < 0 || end <= (size_t)width));
    return text + end;
}

char *__summary___kleene_scan_set(char *text, char *target, int width, const char *set, int inside) {
    __kleene_text_length(set);
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(end <= length);
    __VERIFIER_assume(0 < end && (width < 0 || end <= (size_t)width));
    __kleene_text_write(target, end);
    return text + end;
}

char __summary___kleene_scan_character(char *text) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_char();
}

char *__summary___kleene_scan_behind_character(char *text) {
    size_t length = __kleene_text_length(text);
    return length == 0 ? NULL : text + 1;
}

long long __summary___kleene_scan_number(char *text, int base, int width) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_long();
}

char *__summary___kleene_scan_behind_number(char *text, int base, int width) {
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(end <= length);
    return text + end;
}

char *__summary___kleene_scan_behind_real(char *text) {
    size_t length = __kleene_text_length(text);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t end = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(end <= length);
    return text + end;
}

double __summary_strtod(const char *text, char **end) {
    size_t length = __kleene_text_length(text);
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    if (end != NULL)
        *end = (char *)text + at;
    return __VERIFIER_nondet_double();
}

float __summary_strtof(const char *text, char **end) {
    return (float)__summary_strtod(text, end);
}

double __summary_atof(const char *text) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_double();
}

char *__summary_fgets(char *target, int size, FILE *file) {
    if (size <= 0)
        return NULL;
    if (size > 1 && __VERIFIER_nondet_int() == 0)
        return NULL;
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length < (size_t)size);
    __kleene_text_write(target, length);
    return target;
}

size_t __summary___kleene_put_text(char *target, size_t size, size_t at, const char *text) {
    return __kleene_text_put(target, size, at, __kleene_text_length(text));
}

size_t __summary___kleene_put_character(char *target, size_t size, size_t at, int character) {
    return __kleene_text_put(target, size, at, 1);
}

size_t __summary___kleene_put_number(char *target, size_t size, size_t at, unsigned long long value, unsigned base) {
    return __kleene_text_put(target, size, at, __kleene_text_digits(value, base));
}

int __summary___kleene_end_text(char *target, size_t size, size_t at) {
    return (int)__kleene_text_put_end(target, size, at);
}

void __summary___kleene_read_text(const char *text, int most) {
    if (most < 0)
        __kleene_text_length(text);
    else
        __kleene_text_prefix(text, (size_t)most);
}

int __summary_atoi(const char *text) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_int();
}

long __summary_atol(const char *text) {
    __kleene_text_length(text);
    return __VERIFIER_nondet_long();
}

size_t __summary_fread(void *target, size_t size, size_t count, FILE *stream) {
    size_t done = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(done <= count);
    __kleene_bytes_write(target, done * size);
    return done;
}

ssize_t __summary_read(int number, void *target, size_t size) {
    ssize_t done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && done <= (ssize_t)size);
    if (done > 0)
        __kleene_bytes_write(target, (size_t)done);
    return done;
}

void __summary___kleene_any_bytes(void *target, size_t size) {
    __kleene_bytes_write(target, size);
}

void __summary___kleene_fill_text(char *target, size_t length) {
    __kleene_text_write(target, length);
}

void __summary___kleene_any_text(char *target, size_t size) {
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length < size);
    __kleene_text_write(target, length);
}

char *__summary_strchrnul(const char *text, int value) {
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= __kleene_text_length(text));
    return (char *)text + at;
}

char *__summary_strcasestr(const char *text, const char *part) {
    size_t length = __kleene_text_length(text);
    __kleene_text_length(part);
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    size_t at = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(at <= length);
    return (char *)text + at;
}

int __summary_strncasecmp(const char *first, const char *second, size_t size) {
    size_t length = __kleene_text_prefix(first, size), other = __kleene_text_prefix(second, size);
    return __summary_order(length, other);
}

char *__summary_stpcpy(char *target, const char *text) {
    if (target == text) { /* they overlap, or may do so: an error, and nothing behind it matters */
        __kleene_text_write(target, (size_t)-1);
        __VERIFIER_assume(0);
    }
    size_t length = __kleene_text_length(text);
    __kleene_text_write(target, length);
    return target + length;
}

unsigned long long __summary___kleene_read_number(const char *text, char **end, int base, unsigned long long most, int *negative) {
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length <= __kleene_text_length(text));
    *negative = __VERIFIER_nondet_int();
    if (end != NULL)
        *end = (char *)text + length;
    return __VERIFIER_nondet_ulong();
}

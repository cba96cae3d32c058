/* Bodies of library functions, for programs that call them without defining them. Plain C, from the standard's text. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern FILE *__VERIFIER_nondet_FILE(void);
extern void __VERIFIER_assume(int);

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
void __kleene_scan_word(char *target, int width) {
    int length = __kleene_word_length();
    __VERIFIER_assume(length > 0);
    if (width >= 0 && length > width)
        length = width;
    int i = 0;
    for (; i < length; i++) {
        target[i] = __kleene_read_byte();
        __VERIFIER_assume(!isspace((unsigned char)target[i]));
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

char *__kleene_scan_text_word(char *text, char *target, int width) {
    text = __kleene_scan_spaces(text);
    int i = 0;
    while ((width < 0 || i < width) && text[i] != 0 && !isspace((unsigned char)text[i])) {
        target[i] = text[i];
        i++;
    }
    if (i == 0)
        return NULL;
    target[i] = 0;
    return text + i;
}

char *__kleene_scan_set(char *text, char *target, int width, const char *set, int inside) {
    int i = 0;
    while ((width < 0 || i < width) && text[i] != 0 && (strchr(set, text[i]) != NULL) == (inside != 0)) {
        target[i] = text[i];
        i++;
    }
    if (i == 0)
        return NULL;
    target[i] = 0;
    return text + i;
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

char *__kleene_scan_digits(char *text, int base) {
    text = __kleene_scan_spaces(text);
    if (*text == '-' || *text == '+')
        text++;
    if (base == 16 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && __kleene_digit(text[2], base) >= 0)
        text += 2;
    return text;
}

long long __kleene_scan_number(char *text, int base) {
    char *start = __kleene_scan_spaces(text);
    int negative = *start == '-';
    unsigned long long value = 0;
    for (text = __kleene_scan_digits(text, base); __kleene_digit(*text, base) >= 0; text++)
        value = value * (unsigned)base + (unsigned)__kleene_digit(*text, base);
    return (long long)(negative ? -value : value);
}

char *__kleene_scan_behind_number(char *text, int base) {
    text = __kleene_scan_digits(text, base);
    if (__kleene_digit(*text, base) < 0)
        return NULL;
    while (__kleene_digit(*text, base) >= 0)
        text++;
    return text;
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

/* Models of functions of the machine and of widespread libraries: what they read from the outside world is any value.
   A report lists those that a program uses among its assumptions. */

/* Errors. */
static int kleene_errno;

int *__errno_location(void) {
    kleene_errno = __VERIFIER_nondet_int();
    return &kleene_errno;
}

/* Texts of the system, as long as Linux lets one be (MAX_ARG_STRLEN); each function has one buffer for all of them. */
static char kleene_message[131072];
static char kleene_environment[131072];

void __kleene_outside_text(char *target) {
    int length = __kleene_outside_length();
    __VERIFIER_assume(length >= 0 && length < 131072);
    for (int i = 0; i < length; i++)
        target[i] = __VERIFIER_nondet_char();
    target[length] = 0;
}

char *strerror(int number) {
    __kleene_outside_text(kleene_message);
    return kleene_message;
}

char *getenv(const char *name) {
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    __kleene_outside_text(kleene_environment);
    return kleene_environment;
}

/* Streams: a stream is no memory of the program. */
FILE *fopen(const char *name, const char *mode) {
    return __VERIFIER_nondet_int() != 0 ? __VERIFIER_nondet_FILE() : NULL;
}

FILE *fdopen(int number, const char *mode) {
    return __VERIFIER_nondet_int() != 0 ? __VERIFIER_nondet_FILE() : NULL;
}

FILE *tmpfile(void) {
    return __VERIFIER_nondet_int() != 0 ? __VERIFIER_nondet_FILE() : NULL;
}

FILE *popen(const char *command, const char *mode) {
    return __VERIFIER_nondet_int() != 0 ? __VERIFIER_nondet_FILE() : NULL;
}

int fgetc(FILE *stream) {
    int read = __kleene_read_or_end();
    __VERIFIER_assume(read >= -1 && read <= 255);
    return read;
}

ssize_t getline(char **line, size_t *size, FILE *stream) {
    int length = __kleene_line_length();
    if (*line == NULL || *size == 0) {
        char *fresh = realloc(*line, 120);
        if (fresh == NULL)
            return -1;
        *line = fresh;
        *size = 120;
    }
    if (length <= 0)
        return -1;
    if (*size <= (size_t)length) {
        char *larger = realloc(*line, (size_t)length + 1);
        if (larger == NULL)
            return -1;
        *line = larger;
        *size = (size_t)length + 1;
    }
    int i = 0;
    for (; i + 1 < length; i++) {
        (*line)[i] = __kleene_read_byte();
        __VERIFIER_assume((*line)[i] != '\n');
    }
    (*line)[i++] = __kleene_read_byte();
    (*line)[i] = 0;
    return i;
}

int getc(FILE *stream) {
    return fgetc(stream);
}

int getchar(void) {
    int read = __kleene_read_or_end();
    __VERIFIER_assume(read >= -1 && read <= 255);
    return read;
}

size_t fread(void *target, size_t size, size_t count, FILE *stream) {
    size_t done = (size_t)__kleene_bytes_left();
    if (size > 1)
        done /= size;
    if (size == 0 || done > count)
        done = size == 0 ? 0 : count;
    for (size_t i = 0; i < done * size; i++)
        ((char *)target)[i] = __kleene_read_byte();
    return done;
}

size_t fwrite(const void *source, size_t size, size_t count, FILE *stream) {
    size_t done = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(done <= count);
    if (size != 0 && count != 0) {
        volatile char first = ((const char *)source)[0];
        volatile char last = ((const char *)source)[size * count - 1];
    }
    return done;
}

ssize_t read(int number, void *target, size_t size) {
    ssize_t done = __kleene_bytes_left();
    if (done > (ssize_t)size)
        done = (ssize_t)size;
    if (done < 0)
        return -1;
    for (ssize_t i = 0; i < done; i++)
        ((char *)target)[i] = __kleene_read_byte();
    return done;
}

ssize_t write(int number, const void *source, size_t size) {
    ssize_t done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && done <= (ssize_t)size);
    if (size != 0) {
        volatile char first = ((const char *)source)[0];
        volatile char last = ((const char *)source)[size - 1];
    }
    return done;
}

/* Output of variable arguments: they are assumed to be what the format says. */
int vprintf(const char *format, va_list arguments) {
    return __VERIFIER_nondet_int();
}

int vfprintf(FILE *stream, const char *format, va_list arguments) {
    return __VERIFIER_nondet_int();
}

int vsnprintf(char *target, size_t size, const char *format, va_list arguments) {
    if (size != 0) {
        size_t length = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(length < size);
        for (size_t i = 0; i < length; i++)
            target[i] = __VERIFIER_nondet_char();
        target[length] = 0;
    }
    return __VERIFIER_nondet_int();
}

int fstat(int number, struct stat *result) {
    result->st_mode = __VERIFIER_nondet_uint();
    result->st_size = __VERIFIER_nondet_long();
    return __VERIFIER_nondet_int();
}

int gettimeofday(struct timeval *now, void *zone) {
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_usec = __VERIFIER_nondet_long();
    return 0;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_nsec = __VERIFIER_nondet_long();
    return __VERIFIER_nondet_int();
}

/* Locks, in a program of one thread: they are memory that must live. */
int pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *kind) {
    lock->state[0] = 0;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *lock) {
    lock->state[0] = 0;
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *lock) {
    lock->state[0] = 1;
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *lock) {
    lock->state[0] = 1;
    return __VERIFIER_nondet_int();
}

int pthread_mutex_unlock(pthread_mutex_t *lock) {
    lock->state[0] = 0;
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *kind) {
    condition->state[0] = 0;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) {
    condition->state[0] = 0;
    return 0;
}

int pthread_cond_signal(pthread_cond_t *condition) {
    condition->state[0] = 0;
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    condition->state[0] = 0;
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *kind) {
    lock->state[0] = 0;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    lock->state[0] = 0;
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    lock->state[0] = 1;
    return 0;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    lock->state[0] = 1;
    return 0;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    lock->state[0] = 0;
    return 0;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    *lock = 0;
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    *lock = 0;
    return 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    *lock = 1;
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    *lock = 0;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *kind) {
    kind->state[0] = 0;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *kind, int type) {
    kind->state[0] = type;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *kind) {
    kind->state[0] = 0;
    return 0;
}

/* Allocation that ends the program where malloc fails. */
void *xmalloc(size_t size) {
    void *block = malloc(size);
    if (block == NULL)
        abort();
    return block;
}

void *xcalloc(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block == NULL)
        abort();
    return block;
}

void *xrealloc(void *block, size_t size) {
    void *moved = realloc(block, size);
    if (moved == NULL)
        abort();
    return moved;
}

void *xzalloc(size_t size) {
    void *block = calloc(1, size);
    if (block == NULL)
        abort();
    return block;
}

char *xstrdup(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        abort();
    return copy;
}

void xfree(void *block) {
    free(block);
}

/* GLib. */
void *g_malloc(size_t size) {
    return size == 0 ? NULL : xmalloc(size);
}

void *g_malloc0(size_t size) {
    return size == 0 ? NULL : xzalloc(size);
}

void *g_malloc_n(size_t count, size_t size) {
    return count == 0 || size == 0 ? NULL : xmalloc(count * size);
}

void *g_malloc0_n(size_t count, size_t size) {
    return count == 0 || size == 0 ? NULL : xcalloc(count, size);
}

void *g_try_malloc(size_t size) {
    return size == 0 ? NULL : malloc(size);
}

void *g_realloc(void *block, size_t size) {
    if (size == 0) {
        free(block);
        return NULL;
    }
    return xrealloc(block, size);
}

void g_free(void *block) {
    free(block);
}

void *g_slice_alloc(size_t size) {
    return g_malloc(size);
}

void *g_slice_alloc0(size_t size) {
    return g_malloc0(size);
}

void g_slice_free1(size_t size, void *block) {
    free(block);
}

char *g_strdup(const char *text) {
    return text == NULL ? NULL : xstrdup(text);
}

/* Models of functions of the machine and of widespread libraries, for programs that call them without defining them.
   A model has all effects on the memory of the program; what it reads from the outside world is any value. The report
   lists each one that a program uses. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int);
FILE *__VERIFIER_nondet_FILE(void);

/* Errors. */
static int kleene_errno;

int *__errno_location(void) {
    kleene_errno = __VERIFIER_nondet_int();
    return &kleene_errno;
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
    int read = __VERIFIER_nondet_int();
    __VERIFIER_assume(read >= -1 && read <= 255);
    return read;
}

int getc(FILE *stream) {
    return fgetc(stream);
}

int getchar(void) {
    int read = __VERIFIER_nondet_int();
    __VERIFIER_assume(read >= -1 && read <= 255);
    return read;
}

size_t fread(void *target, size_t size, size_t count, FILE *stream) {
    size_t done = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(done <= count);
    for (size_t i = 0; i < done * size; i++)
        ((char *)target)[i] = __VERIFIER_nondet_char();
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
    ssize_t done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && done <= (ssize_t)size);
    for (ssize_t i = 0; i < done; i++)
        ((char *)target)[i] = __VERIFIER_nondet_char();
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

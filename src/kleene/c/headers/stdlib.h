#ifndef KLEENE_STDLIB_H
#define KLEENE_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);
void *alloca(size_t);
#define alloca(size) __builtin_alloca(size)
void abort(void) __attribute__((noreturn));
void exit(int) __attribute__((noreturn));
void _Exit(int) __attribute__((noreturn));
int atexit(void (*)(void));
void quick_exit(int) __attribute__((noreturn));
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
double strtod(const char *, char **);
float strtof(const char *, char **);
long long strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
int rand(void);
void srand(unsigned int);
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
char *getenv(const char *);
#ifndef __STRICT_ANSI__
#include <sys/types.h>
int setenv(const char *, const char *, int);
int unsetenv(const char *);
char *realpath(const char *, char *);
int mkstemp(char *);
void *reallocarray(void *, size_t, size_t);
int posix_memalign(void **, size_t, size_t);
long random(void);
void srandom(unsigned int);
long lrand48(void);
void srand48(long);
int rand_r(unsigned int *);
#endif
int system(const char *);
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
char *secure_getenv(const char *);
char *mkdtemp(char *);
double drand48(void);
void *valloc(size_t);
#endif

/* Models of functions of the machine and of widespread libraries: what they read from the outside world is any value.
   A report lists those that a program uses among its assumptions. */
#include <dirent.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern void *__kleene_begin_stream(size_t);
extern void __kleene_end_stream(void *);
extern void __VERIFIER_assume(int);

/* Texts and bytes from outside. A text is as long as Linux lets one be (MAX_ARG_STRLEN). */
extern int __kleene_line_length(void);
extern int __kleene_outside_length(void);
extern int __kleene_format_length(void);
extern size_t __kleene_format_size(void);
extern char __kleene_format_byte(void);
extern long __kleene_bytes_left(void);
extern char __kleene_read_byte(void);
extern int __kleene_read_or_end(void);
#define KLEENE_LONGEST_TEXT 131072

void __kleene_any_bytes(void *target, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)target)[i] = __VERIFIER_nondet_char();
}

void __kleene_fill_text(char *target, size_t length) {
    __kleene_any_bytes(target, length);
    target[length] = 0;
}

void __kleene_any_text(char *target, size_t size) {
    int length = __kleene_outside_length();
    __VERIFIER_assume(length >= 0 && (size_t)length < size);
    __kleene_fill_text(target, (size_t)length);
}

/* Errors: the reader of programs sets the variable behind functions that fail (library/errors.py). */
static int kleene_errno;

int *__errno_location(void) {
    return &kleene_errno;
}

/* Texts of the system; each function has one buffer for all of them. */
static char kleene_message[KLEENE_LONGEST_TEXT], kleene_setting[KLEENE_LONGEST_TEXT];

char *strerror(int number) {
    __kleene_any_text(kleene_message, sizeof kleene_message);
    return kleene_message;
}

static char *kleene_any_setting(void) {
    if (__VERIFIER_nondet_int() == 0)
        return NULL;
    __kleene_any_text(kleene_setting, sizeof kleene_setting);
    return kleene_setting;
}

char *getenv(const char *name) {
    strlen(name);
    return kleene_any_setting();
}

char *secure_getenv(const char *name) {
    return getenv(name);
}

char *strsignal(int number) {
    return strerror(number);
}

int system(const char *command) {
    if (command != NULL)
        strlen(command);
    return __VERIFIER_nondet_int();
}

char *setlocale(int kind, const char *name) {
    if (name != NULL)
        strlen(name);
    return kleene_any_setting();
}

char *ttyname(int number) {
    return kleene_any_setting();
}

int strerror_r(int number, char *target, size_t size) {
    if (size > 0)
        __kleene_any_text(target, size);
    return __VERIFIER_nondet_int();
}

int setenv(const char *name, const char *value, int replace) {
    strlen(name);
    strlen(value);
    return __VERIFIER_nondet_int();
}

int unsetenv(const char *name) {
    strlen(name);
    return __VERIFIER_nondet_int();
}

char *getcwd(char *target, size_t size) {
    if (target == NULL) {
        if (size == 0)
            size = 2;
        target = malloc(size);
        if (target == NULL)
            return NULL;
    } else if (size == 0 || __VERIFIER_nondet_int() != 0) {
        return NULL;
    }
    __kleene_any_text(target, size);
    return target;
}

/* A name has 64 characters at most; one that does not fit is an error. */
int gethostname(char *target, size_t size) {
    if (size > 64 || (size > 0 && __VERIFIER_nondet_int() == 0)) {
        __kleene_any_text(target, size);
        return 0;
    }
    __kleene_any_bytes(target, size);
    return -1;
}

ssize_t readlink(const char *name, char *target, size_t size) {
    strlen(name);
    ssize_t done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && done <= (ssize_t)size);
    if (done > 0)
        __kleene_any_bytes(target, (size_t)done);
    return done;
}

char *realpath(const char *name, char *target) {
    strlen(name);
    if (__VERIFIER_nondet_int() != 0)
        return NULL;
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length > 0 && length < 4096);
    if (target == NULL) {
        target = malloc(length + 1);
        if (target == NULL)
            return NULL;
    }
    __kleene_fill_text(target, length);
    return target;
}

int mkstemp(char *name) {
    name[strlen(name) - 1] = __VERIFIER_nondet_char();
    return __VERIFIER_nondet_int();
}

char *mkdtemp(char *name) {
    name[strlen(name) - 1] = __VERIFIER_nondet_char();
    return __VERIFIER_nondet_int() != 0 ? name : NULL;
}

char *basename(char *name) {
    if (name == NULL || *name == 0)
        return ".";
    char *last = strrchr(name, '/');
    return last != NULL && last[1] != 0 ? last + 1 : name;
}

char *dirname(char *name) {
    char *last = name != NULL ? strrchr(name, '/') : NULL;
    if (last == NULL)
        return ".";
    if (last == name)
        return "/";
    *last = 0;
    return name;
}

/* Options: the index goes up to the number of arguments, and the argument of an option is one of them. */
char *optarg;
int optind = 1, opterr = 1, optopt;

/* The next option: one of the letters, or '?'. Several letters may be in one argument, a value may be the rest of its
   argument or the next one. */
int getopt(int count, char *const arguments[], const char *letters) {
    size_t length = strlen(letters), at = __VERIFIER_nondet_ulong();
    optarg = NULL;
    if (optind >= count || __VERIFIER_nondet_int() == 0) {
        if (optind < count && __VERIFIER_nondet_int() != 0)
            optind++;
        return -1;
    }
    if (at >= length || letters[at] == ':') {
        optopt = __VERIFIER_nondet_int();
        __VERIFIER_assume(optopt > 0 && optopt < 256);
        optind += __VERIFIER_nondet_int() != 0;
        return '?';
    }
    optopt = letters[at];
    if (letters[at + 1] != ':') {
        optind += __VERIFIER_nondet_int() != 0;
        return letters[at];
    }
    if (__VERIFIER_nondet_int() != 0) {
        optarg = arguments[optind++];
        return letters[at];
    }
    optind++;
    if (letters[at + 2] == ':')
        return letters[at];
    if (optind >= count)
        return letters[0] == ':' ? ':' : '?';
    optarg = arguments[optind++];
    return letters[at];
}

int getopt_long(int count, char *const arguments[], const char *letters, const struct option *names, int *which) {
    int at = 0;
    while (names[at].name != NULL && __VERIFIER_nondet_int() != 0)
        at++;
    if (names[at].name == NULL || optind >= count)
        return getopt(count, arguments, letters);
    if (which != NULL)
        *which = at;
    optarg = NULL;
    if (names[at].has_arg != no_argument && __VERIFIER_nondet_int() != 0) {
        optarg = arguments[optind];
    } else if (names[at].has_arg == required_argument) {
        if (++optind >= count)
            return '?';
        optarg = arguments[optind];
    }
    optind++;
    if (names[at].flag == NULL)
        return names[at].val;
    *names[at].flag = names[at].val;
    return 0;
}

/* Streams. One is a block that ends when it is closed; one that is never closed is no leak, since `exit` closes it. A
   read of its first member, at the call, stands for every use (c/library/streams.py). */
static FILE kleene_input, kleene_output, kleene_errors;
FILE *stdin = &kleene_input, *stdout = &kleene_output, *stderr = &kleene_errors;

void __kleene_standard_streams(void) {
}

FILE *freopen(const char *name, const char *mode, FILE *stream) {
    if (name != NULL)
        strlen(name);
    strlen(mode);
    return __VERIFIER_nondet_int() != 0 ? stream : NULL;
}

int fseeko(FILE *stream, off_t at, int from) {
    return __VERIFIER_nondet_int();
}

off_t ftello(FILE *stream) {
    return __VERIFIER_nondet_long();
}

void flockfile(FILE *stream) {
}

void funlockfile(FILE *stream) {
}

int fgetc(FILE *stream);

int getc_unlocked(FILE *stream) {
    return fgetc(stream);
}

int getchar_unlocked(void) {
    return getchar();
}

/* A line needs a block that is large enough: the old one, or a new one in its place. */
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

ssize_t getdelim(char **line, size_t *size, int end, FILE *stream) {
    return getline(line, size, stream);
}

/* The text that a format gives; its arguments are read at the call. */
static void fill_formatted(char *target, size_t length) {
    for (size_t i = 0; i < length; i++)
        target[i] = __kleene_format_byte();
    target[length] = 0;
}

int __kleene_new_text(char **target) {
    int length = __kleene_format_length();
    __VERIFIER_assume(length >= 0 && length < KLEENE_LONGEST_TEXT);
    char *text = malloc((size_t)length + 1);
    if (text == NULL)
        return -1;
    fill_formatted(text, (size_t)length);
    *target = text;
    return length;
}

int vasprintf(char **target, const char *format, va_list arguments) {
    return __kleene_new_text(target);
}

int vsprintf(char *target, const char *format, va_list arguments) {
    size_t length = __kleene_format_size();
    __VERIFIER_assume(length < 1 << 20);
    fill_formatted(target, length);
    return (int)length;
}

DIR *opendir(const char *name) {
    strlen(name);
    return __VERIFIER_nondet_int() != 0 ? __kleene_begin_stream(sizeof(DIR)) : NULL;
}

static struct dirent kleene_dirent;

struct dirent *readdir(DIR *folder) {
    kleene_dirent.d_type = (unsigned char)__VERIFIER_nondet_int();
    kleene_dirent.d_ino = __VERIFIER_nondet_ulong();
    __kleene_any_text(kleene_dirent.d_name, sizeof kleene_dirent.d_name);
    return __VERIFIER_nondet_int() != 0 ? &kleene_dirent : NULL;
}

int closedir(DIR *folder) {
    folder->kleene_position;
    __kleene_end_stream(folder);
    return __VERIFIER_nondet_int();
}

FILE *fopen(const char *name, const char *mode) {
    strlen(name);
    strlen(mode);
    return __VERIFIER_nondet_int() != 0 ? __kleene_begin_stream(sizeof(FILE)) : NULL;
}

FILE *fdopen(int number, const char *mode) {
    strlen(mode);
    return __VERIFIER_nondet_int() != 0 ? __kleene_begin_stream(sizeof(FILE)) : NULL;
}

FILE *tmpfile(void) {
    return __VERIFIER_nondet_int() != 0 ? __kleene_begin_stream(sizeof(FILE)) : NULL;
}

FILE *popen(const char *command, const char *mode) {
    strlen(command);
    strlen(mode);
    return __VERIFIER_nondet_int() != 0 ? __kleene_begin_stream(sizeof(FILE)) : NULL;
}

int fgetc(FILE *stream) {
    int read = __kleene_read_or_end();
    __VERIFIER_assume(read >= -1 && read <= 255);
    return read;
}

int fclose(FILE *stream) {
    stream->kleene_position;
    __kleene_end_stream(stream);
    return __VERIFIER_nondet_int();
}

int pclose(FILE *stream) {
    return fclose(stream);
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

ssize_t pread(int number, void *target, size_t size, off_t at) {
    return read(number, target, size);
}

ssize_t pwrite(int number, const void *source, size_t size, off_t at) {
    return write(number, source, size);
}

ssize_t recv(int number, void *target, size_t size, int flags) {
    return read(number, target, size);
}

ssize_t send(int number, const void *source, size_t size, int flags) {
    return write(number, source, size);
}

ssize_t getrandom(void *target, size_t size, unsigned flags) {
    return read(0, target, size);
}

int pipe(int *ends) {
    ends[0] = __VERIFIER_nondet_int();
    ends[1] = __VERIFIER_nondet_int();
    return __VERIFIER_nondet_int();
}

/* Memory of the machine: it is a block like others, and must be given back. */
void *mmap(void *address, size_t size, int protection, int flags, int number, off_t at) {
    void *block = size == 0 || __VERIFIER_nondet_int() == 0 ? NULL : calloc(1, size);
    return block != NULL ? block : MAP_FAILED;
}

int munmap(void *block, size_t size) {
    free(block);
    return 0;
}

void *memalign(size_t alignment, size_t size) {
    return malloc(size);
}

void *valloc(size_t size) {
    return malloc(size);
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
        size_t length = __kleene_format_size();
        __VERIFIER_assume(length < size);
        fill_formatted(target, length);
    }
    return __kleene_format_length();
}

int fstat(int number, struct stat *result) {
    result->st_mode = __VERIFIER_nondet_uint();
    result->st_size = (off_t)(__VERIFIER_nondet_ulong() >> 1);
    return __VERIFIER_nondet_int();
}

int stat(const char *name, struct stat *result) {
    strlen(name);
    return fstat(0, result);
}

int lstat(const char *name, struct stat *result) {
    return stat(name, result);
}

/* Times. */
static struct tm kleene_tm;
static char kleene_time[26];

static void kleene_fill_tm(struct tm *result) {
    result->tm_sec = (int)(__VERIFIER_nondet_uint() % 61);
    result->tm_min = (int)(__VERIFIER_nondet_uint() % 60);
    result->tm_hour = (int)(__VERIFIER_nondet_uint() % 24);
    result->tm_mday = (int)(__VERIFIER_nondet_uint() % 31) + 1;
    result->tm_mon = (int)(__VERIFIER_nondet_uint() % 12);
    result->tm_year = __VERIFIER_nondet_int();
    result->tm_wday = (int)(__VERIFIER_nondet_uint() % 7);
    result->tm_yday = (int)(__VERIFIER_nondet_uint() % 366);
    result->tm_isdst = (int)(__VERIFIER_nondet_uint() % 3) - 1;
}

/* A text of 24 characters and the end of the line. */
static char *kleene_fill_time(void) {
    for (int i = 0; i < 24; i++) {
        kleene_time[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume(kleene_time[i] != 0);
    }
    kleene_time[24] = '\n';
    kleene_time[25] = 0;
    return kleene_time;
}

struct tm *gmtime_r(const time_t *now, struct tm *result) {
    volatile time_t read = *now;
    kleene_fill_tm(result);
    return __VERIFIER_nondet_int() != 0 ? result : NULL;
}

struct tm *localtime_r(const time_t *now, struct tm *result) {
    return gmtime_r(now, result);
}

struct tm *gmtime(const time_t *now) {
    return gmtime_r(now, &kleene_tm);
}

struct tm *localtime(const time_t *now) {
    return gmtime_r(now, &kleene_tm);
}

time_t mktime(struct tm *time) {
    volatile int read = time->tm_sec;
    if (__VERIFIER_nondet_int() == 0)
        return -1;
    kleene_fill_tm(time);
    return __VERIFIER_nondet_long();
}

time_t timegm(struct tm *time) {
    return mktime(time);
}

char *asctime(const struct tm *time) {
    volatile int read = time->tm_sec;
    return kleene_fill_time();
}

char *ctime(const time_t *now) {
    volatile time_t read = *now;
    return kleene_fill_time();
}

size_t strftime(char *target, size_t size, const char *format, const struct tm *time) {
    volatile char first = format[0];
    volatile int second = time->tm_sec;
    size_t length = __VERIFIER_nondet_ulong();
    if (length >= size)
        return 0;
    __kleene_fill_text(target, length);
    return length;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    volatile long read = asked->tv_nsec;
    if (left != NULL) {
        left->tv_sec = __VERIFIER_nondet_long();
        left->tv_nsec = (long)(__VERIFIER_nondet_ulong() % 1000000000);
    }
    return __VERIFIER_nondet_int();
}

int clock_getres(clockid_t which, struct timespec *result) {
    if (result != NULL) {
        result->tv_sec = __VERIFIER_nondet_long();
        result->tv_nsec = (long)(__VERIFIER_nondet_ulong() % 1000000000);
    }
    return __VERIFIER_nondet_int();
}

int rand_r(unsigned *seed) {
    *seed = __VERIFIER_nondet_uint();
    return (int)(__VERIFIER_nondet_uint() >> 1);
}

/* Signals: sets of them, whose bits nothing reads. */
int sigemptyset(sigset_t *set) {
    memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set) {
    memset(set, 0, sizeof *set);
    return 0;
}

int sigaddset(sigset_t *set, int number) {
    volatile char *bytes = (volatile char *)set;
    bytes[0] = 1;
    return 0;
}

int sigdelset(sigset_t *set, int number) {
    return sigaddset(set, number);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    if (old != NULL)
        memset(old, 0, sizeof *old);
    return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_usec = (long)(__VERIFIER_nondet_ulong() % 1000000);
    return 0;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_nsec = (long)(__VERIFIER_nondet_ulong() % 1000000000);
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

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    lock->state[0] = 1;
    return __VERIFIER_nondet_int();
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return pthread_rwlock_tryrdlock(lock);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
    condition->state[0] = 0;
    lock->state[0] = 1;
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until) {
    volatile long read = until->tv_nsec;
    pthread_cond_wait(condition, lock);
    return __VERIFIER_nondet_int();
}

int pthread_once(pthread_once_t *done, void (*function)(void)) {
    if (*done == 0) {
        *done = 1;
        function();
    }
    return 0;
}

int pthread_attr_init(pthread_attr_t *kind) {
    kind->state[0] = 0;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *kind) {
    kind->state[0] = 0;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *kind, int state) {
    kind->state[0] = state;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *kind, size_t size) {
    kind->state[1] = (long)size;
    return 0;
}

/* Values of a thread, for one key. */
extern void __kleene_many_keys(void);
static const void *kleene_specific;
static int kleene_keys;

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (kleene_keys++ > 0)
        __kleene_many_keys();
    *key = 0;
    return 0;
}

int pthread_key_delete(pthread_key_t key) {
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    kleene_specific = value;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    return (void *)kleene_specific;
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

/* Floating point: nothing is said about the result. */
double sqrt(double x) {
    return __VERIFIER_nondet_double();
}

double pow(double x, double y) {
    return __VERIFIER_nondet_double();
}

double fmod(double x, double y) {
    return __VERIFIER_nondet_double();
}

double log(double x) {
    return __VERIFIER_nondet_double();
}

double log2(double x) {
    return __VERIFIER_nondet_double();
}

double log10(double x) {
    return __VERIFIER_nondet_double();
}

double exp(double x) {
    return __VERIFIER_nondet_double();
}

double exp2(double x) {
    return __VERIFIER_nondet_double();
}

double sin(double x) {
    return __VERIFIER_nondet_double();
}

double cos(double x) {
    return __VERIFIER_nondet_double();
}

double tan(double x) {
    return __VERIFIER_nondet_double();
}

double asin(double x) {
    return __VERIFIER_nondet_double();
}

double acos(double x) {
    return __VERIFIER_nondet_double();
}

double atan(double x) {
    return __VERIFIER_nondet_double();
}

double atan2(double x, double y) {
    return __VERIFIER_nondet_double();
}

double sinh(double x) {
    return __VERIFIER_nondet_double();
}

double cosh(double x) {
    return __VERIFIER_nondet_double();
}

double tanh(double x) {
    return __VERIFIER_nondet_double();
}

double hypot(double x, double y) {
    return __VERIFIER_nondet_double();
}

double cbrt(double x) {
    return __VERIFIER_nondet_double();
}

double rint(double x) {
    return __VERIFIER_nondet_double();
}

double nearbyint(double x) {
    return __VERIFIER_nondet_double();
}

double ldexp(double x, int exponent) {
    return __VERIFIER_nondet_double();
}

double frexp(double x, int *exponent) {
    *exponent = __VERIFIER_nondet_int();
    return __VERIFIER_nondet_double();
}

double modf(double x, double *whole) {
    *whole = __VERIFIER_nondet_double();
    return __VERIFIER_nondet_double();
}

long lround(double x) {
    return __VERIFIER_nondet_long();
}

double drand48(void) {
    return __VERIFIER_nondet_double();
}

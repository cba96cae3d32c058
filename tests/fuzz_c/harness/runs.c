/* Runs many programs of one binary on many inputs, each run in a process of its own.

   Standard input has one run per line: the number of the program, which allocation fails (0: none), how many inputs
   there are, and the inputs; 0 follows when they are used up. For each run the first line written is
   `RUN number status`, then what the run said about itself (LIVE, ASSERT, ERROR, or a sanitizer), then a line `END`.
   Blocks are counted exactly: the linker puts our functions in front of malloc, calloc, realloc and free. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_INPUTS = 200,
    MOST_BLOCKS = 3000,       /* a run that allocates more goes on for ever: it shows nothing */
    MILLISECONDS = 30,        /* CPU time of one run; one that takes longer shows nothing */
    MOST_ENDLESS = 2,         /* runs of one program that take longer: after them, it is not run again */
    MOST_TEXT = 700,          /* characters of a report that are passed on: its kind is in the first lines */
    ENDED_BY_ERROR = 77,
    SHOWS_NOTHING = 78
};

extern int (*fuzz_programs[])(int, char **);
extern int __lsan_do_recoverable_leak_check(void);
extern void *__real_malloc(size_t);
extern void *__real_calloc(size_t, size_t);
extern void *__real_realloc(void *, size_t);
extern void __real_free(void *);

static long inputs[MOST_INPUTS];
static int input_count, input_next, fail_at, allocations;
static long live;

static void say(const char *text) { (void)!write(2, text, strlen(text)); }

static long next_input(void) { return input_next < input_count ? inputs[input_next++] : 0; }

static int allocation_fails(size_t size) {
    if (size == 0 || ++allocations > MOST_BLOCKS)
        _exit(SHOWS_NOTHING); /* what a block of size 0 is depends on the library */
    return allocations == fail_at;
}

void *__wrap_malloc(size_t size) {
    if (allocation_fails(size))
        return NULL;
    live++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    if (allocation_fails(count * size))
        return NULL;
    live++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    if (allocation_fails(size))
        return NULL;
    live += block == NULL;
    return __real_realloc(block, size);
}

void __wrap_free(void *block) {
    live -= block != NULL;
    __real_free(block);
}

int __VERIFIER_nondet_int(void) { return (int)next_input(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)next_input(); }
char __VERIFIER_nondet_char(void) { return (char)next_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next_input(); }
short __VERIFIER_nondet_short(void) { return (short)next_input(); }
unsigned short __VERIFIER_nondet_ushort(void) { return (unsigned short)next_input(); }
long __VERIFIER_nondet_long(void) { return next_input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)next_input(); }
_Bool __VERIFIER_nondet_bool(void) { return (_Bool)next_input(); }

void __VERIFIER_assume(int condition) {
    if (!condition)
        _exit(SHOWS_NOTHING);
}

void reach_error(void) {
    say("ERROR\n");
    _exit(ENDED_BY_ERROR);
}

void __VERIFIER_error(void) { reach_error(); }

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    say("ASSERT\n");
    _exit(ENDED_BY_ERROR);
}

static void at_exit(void) {
    if (live <= 0)
        return;
    say("LIVE\n");
    __lsan_do_recoverable_leak_check();
}

static void run(int program, int report) {
    struct itimerval limit = {{0, 0}, {0, MILLISECONDS * 1000}};
    char name[] = "program", *arguments[] = {name, NULL};
    dup2(report, 2);
    if (!freopen("/dev/null", "w", stdout))
        _exit(SHOWS_NOTHING);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    atexit(at_exit);
    exit(fuzz_programs[program](1, arguments));
}

int main(void) {
    int number = 0, program, last = -1, endless = 0;
    while (scanf("%d %d %d", &program, &fail_at, &input_count) == 3) {
        char text[MOST_TEXT + 1];
        int status = 0, report = memfd_create("report", 0);
        for (int i = 0; i < input_count; i++)
            if (i >= MOST_INPUTS || scanf("%ld", &inputs[i]) != 1)
                return 1;
        endless = program == last ? endless : 0;
        last = program;
        fflush(stdout);
        pid_t child = endless < MOST_ENDLESS ? fork() : 0;
        if (child == 0 && endless < MOST_ENDLESS)
            run(program, report);
        if (child < 0 || (child > 0 && waitpid(child, &status, 0) != child))
            return 1;
        endless += WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM;
        ssize_t length = pread(report, text, MOST_TEXT, 0);
        text[length < 0 ? 0 : length] = 0;
        printf("RUN %d %d\n%s\nEND\n", number++, status, text);
        close(report);
    }
    return 0;
}

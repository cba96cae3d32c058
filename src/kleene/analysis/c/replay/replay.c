/* What a replayed program is linked with: inputs come from the file KLEENE_INPUTS, or at random from KLEENE_SEED. With
   KLEENE_MALLOC, every allocation takes an input too: 0 makes it fail. Blocks are counted; at a normal end of the
   program, those that are left are reported. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *inputs;
static int ready, numbers_left = 40;
static long blocks;

static long long next(void) {
    long long value = 0;
    if (!ready) {
        const char *name = getenv("KLEENE_INPUTS"), *seed = getenv("KLEENE_SEED");
        ready = 1;
        inputs = name ? fopen(name, "r") : NULL;
        srand(seed ? (unsigned)atoi(seed) : 1u);
    }
    if (inputs)
        return fscanf(inputs, "%lld", &value) == 1 ? value : 0;
    return numbers_left-- > 0 ? rand() % 4 * (rand() % 5 ? 1 : rand() % 50 - 25) : 0;
}

static int fails(void) {
    int result;
    if (!getenv("KLEENE_MALLOC"))
        return 0;
    result = getenv("KLEENE_INPUTS") ? next() == 0 : rand() % 8 == 0;
    if (result)
        errno = ENOMEM;
    return result;
}

static void *counted(void *block) {
    blocks += block != NULL;
    return block;
}

void *replay_malloc(unsigned long size) { return fails() ? NULL : counted(malloc(size)); }
void *replay_calloc(unsigned long count, unsigned long size) { return fails() ? NULL : counted(calloc(count, size)); }

void *replay_realloc(void *block, unsigned long size) {
    void *moved;
    if (fails())
        return NULL;
    moved = realloc(block, size);
    blocks += block == NULL && moved != NULL;
    return moved;
}

char *replay_strdup(const char *text) {
    char *copy = replay_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

void replay_free(void *block) {
    blocks -= block != NULL;
    free(block);
}

int replay_rand(void) { return (int)next(); }
long replay_random(void) { return (long)next(); }

__attribute__((destructor)) static void count_blocks(void) {
    if (blocks > 0)
        fprintf(stderr, "replay: %ld block%s not freed\n", blocks, blocks == 1 ? " is" : "s are");
}

#define NONDET(name, type) \
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)next(); }
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(bool, _Bool)
NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(size_t, unsigned long)
NONDET(u8, unsigned char)
NONDET(u16, unsigned short)
NONDET(u32, unsigned)

static void reached(const char *name) {
    fprintf(stderr, "replay: %s was called\n", name);
    _Exit(99);
}

__attribute__((weak)) void reach_error(void) { reached("reach_error"); }
__attribute__((weak)) void __VERIFIER_error(void) { reached("__VERIFIER_error"); }
__attribute__((weak)) void __VERIFIER_assume(int holds) {
    if (!holds)
        _Exit(0);
}

/* Called at the entry of every function of the program (-finstrument-functions), so also of its own reach_error. */
void __cyg_profile_func_enter(void *function, void *site) {
    (void)site;
    if (getenv("KLEENE_ERRORS") && function == (void *)reach_error)
        reached("reach_error");
    if (getenv("KLEENE_ERRORS") && function == (void *)__VERIFIER_error)
        reached("__VERIFIER_error");
}

void __cyg_profile_func_exit(void *function, void *site) {
    (void)function;
    (void)site;
}

/* Put before a program by `gcc -include`: inputs come from the file KLEENE_INPUTS, or at random from KLEENE_SEED.
   With KLEENE_MALLOC, every allocation takes an input too: 0 makes it fail. */
#include <stdio.h>
#include <stdlib.h>

static FILE *replay_file;
static int replay_ready, replay_left = 40;

static long replay_next(void) {
    long value = 0;
    if (!replay_ready) {
        const char *name = getenv("KLEENE_INPUTS"), *seed = getenv("KLEENE_SEED");
        replay_ready = 1;
        replay_file = name ? fopen(name, "r") : NULL;
        srand(seed ? (unsigned)atoi(seed) : 1u);
    }
    if (replay_file)
        return fscanf(replay_file, "%ld", &value) == 1 ? value : 0;
    return replay_left-- > 0 ? rand() % 4 * (rand() % 5 ? 1 : rand() % 50 - 25) : 0;
}

static int replay_fails(void) {
    if (!getenv("KLEENE_MALLOC"))
        return 0;
    if (getenv("KLEENE_INPUTS"))
        return replay_next() == 0;
    return rand() % 8 == 0;
}

static inline void *replay_malloc(size_t size) { return replay_fails() ? NULL : malloc(size); }
static inline void *replay_calloc(size_t n, size_t size) { return replay_fails() ? NULL : calloc(n, size); }
static inline void *replay_realloc(void *p, size_t size) { return replay_fails() ? NULL : realloc(p, size); }

#define malloc(size) replay_malloc(size)
#define calloc(n, size) replay_calloc(n, size)
#define realloc(p, size) replay_realloc(p, size)

#ifdef REPLAY_MAIN
int __VERIFIER_nondet_int(void) { return (int)replay_next(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)replay_next(); }
void reach_error(void) {
    fprintf(stderr, "reach_error was called\n");
    exit(99);
}
#endif

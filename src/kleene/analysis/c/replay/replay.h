/* Put before each file of a program by `-include`: allocations and numbers of the library come from replay.c.
   No header is included here, so that preprocessed files, which bring their own declarations, compile too. */
void *replay_malloc(unsigned long size);
void *replay_calloc(unsigned long count, unsigned long size);
void *replay_realloc(void *block, unsigned long size);
char *replay_strdup(const char *text);
void replay_free(void *block);
int replay_rand(void);
long replay_random(void);

#define malloc replay_malloc
#define calloc replay_calloc
#define realloc replay_realloc
#define strdup replay_strdup
#define free replay_free
#define rand replay_rand
#define random replay_random

#ifndef KLEENE_SETJMP_H
#define KLEENE_SETJMP_H
struct kleene_jump {
    int *frame;
    long rest[31];
};
typedef struct kleene_jump jmp_buf[1];
typedef struct kleene_jump sigjmp_buf[1];
int setjmp(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((noreturn));
int sigsetjmp(sigjmp_buf, int);
void siglongjmp(sigjmp_buf, int) __attribute__((noreturn));
#endif

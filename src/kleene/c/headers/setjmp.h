#ifndef KLEENE_SETJMP_H
#define KLEENE_SETJMP_H
typedef long jmp_buf[32];
typedef long sigjmp_buf[32];
int setjmp(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((noreturn));
int sigsetjmp(sigjmp_buf, int);
void siglongjmp(sigjmp_buf, int) __attribute__((noreturn));
#endif

#ifndef KLEENE_SIGNAL_H
#define KLEENE_SIGNAL_H
typedef int sig_atomic_t;
#define SIGABRT 6
#define SIGSEGV 11
#define SIGTERM 15
void (*signal(int, void (*)(int)))(int);
int raise(int);
#endif

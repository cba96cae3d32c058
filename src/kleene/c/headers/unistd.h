#ifndef KLEENE_UNISTD_H
#define KLEENE_UNISTD_H
#include <sys/types.h>
#include <getopt.h>
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
unsigned int sleep(unsigned int);
int usleep(useconds_t);
pid_t getpid(void);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
int close(int);
int dup(int);
int dup2(int, int);
int pipe(int *);
int access(const char *, int);
int unlink(const char *);
int rmdir(const char *);
int chdir(const char *);
int isatty(int);
int fsync(int);
int ftruncate(int, off_t);
off_t lseek(int, off_t, int);
char *getcwd(char *, size_t);
long sysconf(int);
int getpagesize(void);
pid_t fork(void);
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
unsigned int alarm(unsigned int);
int pause(void);
void *sbrk(intptr_t);
int brk(void *);
int gethostname(char *, size_t);
void _exit(int) __attribute__((noreturn));
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
ssize_t readlink(const char *, char *, size_t);
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);
#endif

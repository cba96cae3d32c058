#ifndef KLEENE_STDIO_H
#define KLEENE_STDIO_H
#include <stddef.h>
#include <stdarg.h>
struct kleene_file { long kleene_position; char kleene_rest[208]; };
typedef struct kleene_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define L_tmpnam 20
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
typedef long fpos_t;
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...);
int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int puts(const char *);
int putchar(int);
int putc(int, FILE *);
int fputs(const char *, FILE *);
int fputc(int, FILE *);
int getchar(void);
int getc(FILE *);
int fgetc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *, int, FILE *);
FILE *fopen(const char *, const char *);
int fclose(FILE *);
FILE *tmpfile(void);
void clearerr(FILE *);
void setbuf(FILE *, char *);
int vscanf(const char *, va_list);
int vsscanf(const char *, const char *, va_list);
FILE *freopen(const char *, const char *, FILE *);
#ifndef __STRICT_ANSI__
#include <sys/types.h>
FILE *fdopen(int, const char *);
FILE *popen(const char *, const char *);
int pclose(FILE *);
int fileno(FILE *);
int asprintf(char **, const char *, ...);
int vasprintf(char **, const char *, va_list);
int dprintf(int, const char *, ...);
ssize_t getline(char **, size_t *, FILE *);
ssize_t getdelim(char **, size_t *, int, FILE *);
int getc_unlocked(FILE *);
int putc_unlocked(int, FILE *);
int getchar_unlocked(void);
int putchar_unlocked(int);
#endif
int fflush(FILE *);
int feof(FILE *);
int ferror(FILE *);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int remove(const char *);
int rename(const char *, const char *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int setvbuf(FILE *, char *, int, size_t);
void perror(const char *);
int fseeko(FILE *, long, int);
long ftello(FILE *);
void flockfile(FILE *);
void funlockfile(FILE *);
#endif

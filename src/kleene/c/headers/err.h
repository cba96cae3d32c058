#ifndef KLEENE_ERR_H
#define KLEENE_ERR_H
#include <stdarg.h>
void err(int, const char *, ...) __attribute__((noreturn));
void errx(int, const char *, ...) __attribute__((noreturn));
void warn(const char *, ...);
void warnx(const char *, ...);
#endif

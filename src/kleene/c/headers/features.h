#ifndef KLEENE_FEATURES_H
#define KLEENE_FEATURES_H
#define __GLIBC_PREREQ(major, minor) 0
#include <sys/cdefs.h>
#endif

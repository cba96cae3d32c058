#ifndef KLEENE_SYS_TYPES_H
#define KLEENE_SYS_TYPES_H
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int uid_t, gid_t, mode_t, uint;
typedef unsigned char u_char, u_int8_t;
typedef unsigned short ushort, u_int16_t;
typedef unsigned int u_int, u_int32_t;
typedef unsigned long ulong, u_long;
#endif

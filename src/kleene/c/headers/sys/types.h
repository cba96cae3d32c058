#ifndef KLEENE_SYS_TYPES_H
#define KLEENE_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
typedef long ssize_t;
typedef long off_t;
typedef long time_t;
typedef long suseconds_t;
typedef long clock_t;
typedef int pid_t;
typedef int clockid_t;
typedef int key_t;
typedef int id_t;
typedef unsigned int uid_t, gid_t, mode_t, uint;
typedef unsigned int useconds_t;
typedef unsigned long dev_t, ino_t, nlink_t;
typedef long blksize_t, blkcnt_t;
typedef char *caddr_t;
typedef unsigned char u_char, u_int8_t;
typedef unsigned short ushort, u_short, u_int16_t;
typedef unsigned int u_int, u_int32_t;
typedef unsigned long ulong, u_long;
typedef uint64_t u_int64_t;
typedef unsigned long pthread_t;
#endif

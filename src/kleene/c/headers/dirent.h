#ifndef KLEENE_DIRENT_H
#define KLEENE_DIRENT_H
#include <sys/types.h>
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
struct kleene_folder { long kleene_position; char kleene_rest[264]; };
typedef struct kleene_folder DIR;
struct dirent { unsigned long d_ino; long d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);
#endif

// FALSE: dangling_dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
int main(void) { DIR *d = opendir("."); if (!d) return 1; closedir(d); readdir(d); return 0; }

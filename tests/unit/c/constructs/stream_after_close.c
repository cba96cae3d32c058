// FALSE: dangling_dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { FILE *f = fopen("x", "w"); if (!f) return 1; fclose(f); fprintf(f, "%d", 1); return 0; }

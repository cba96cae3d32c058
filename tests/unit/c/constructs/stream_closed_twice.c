// FALSE: dangling_dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { FILE *f = fopen("x", "r"); if (!f) return 1; fclose(f); fclose(f); return 0; }

// FALSE: null_dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { FILE *f = fopen("x", "w"); if (f) fputs("a", f); fclose(f); return 0; }

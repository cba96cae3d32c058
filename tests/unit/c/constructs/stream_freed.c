// FALSE: invalid_free
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { FILE *f = fopen("x", "r"); if (f) free(f); return 0; }

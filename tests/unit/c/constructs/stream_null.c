// FALSE: null_dereference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { FILE *f = fopen("x", "r"); char b[8]; fgets(b, 8, f); return 0; }

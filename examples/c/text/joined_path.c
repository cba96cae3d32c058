// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two arguments, joined in a block of just the size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char* join(const char* a, const char* b) {
  char* r = malloc(strlen(a) + strlen(b) + 2);
  if (!r) return NULL;
  strcpy(r, a);
  strcat(r, "/");
  strcat(r, b);
  return r;
}
int main(int argc, char** argv) {
  if (argc != 3) {
    printf("usage: %s a b\n", argv[0]);
    return 2;
  }
  char* r = join(argv[1], argv[2]);
  if (!r) return 1;
  puts(r);
  free(r);
  return 0;
}

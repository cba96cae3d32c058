// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// A copy has no room for the terminator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char* join(const char* a, const char* b) {
  char* r = malloc(strlen(a) + strlen(b) + 1);
  if (!r) return NULL;
  strcpy(r, a);
  strcat(r, "/");  // FAILS: out_of_bounds
  strcat(r, b);  // FAILS: out_of_bounds
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

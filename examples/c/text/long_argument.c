// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// An argument that is longer than the buffer for its copy.
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  char name[64];
  if (argc < 2)
    return 1;
  strcpy(name, argv[1]);  // FAILS: out_of_bounds
  printf("hello, %s\n", name);
  return 0;
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Messages in fixed buffers and in arrays of structs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char last_error[128];
static void fail(const char* what, int code) { snprintf(last_error, sizeof last_error, "%s: error %d", what, code); }
struct msg {
  char text[32];
  struct msg* next;
};
int main(int argc, char** argv) {
  char buf[64], small[16];
  struct msg* list = NULL;
  for (int i = 0; i < argc; i++) {
    struct msg* m = malloc(sizeof *m);
    if (!m) {
      fail("malloc", i);
      fprintf(stderr, "%s\n", last_error);
      break;
    }
    strncpy(m->text, argv[i], sizeof m->text - 1);
    m->text[sizeof m->text - 1] = '\0';
    m->next = list;
    list = m;
  }
  sprintf(buf, "%d arguments", argc);
  strcpy(small, "hello");
  strcat(small, " you");
  printf("%s %s\n", buf, small);
  for (struct msg* m = list; m; m = m->next) printf("%s\n", m->text);
  while (list) {
    struct msg* n = list->next;
    free(list);
    list = n;
  }
  return 0;
}

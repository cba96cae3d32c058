// TRUE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct reader { FILE *file; char line[32]; };
static int start(struct reader *r, const char *name) { r->file = fopen(name, "r"); return r->file ? 0 : -1; }
static void stop(struct reader *r) { if (r->file) fclose(r->file); r->file = NULL; }
int main(int argc, char **argv) {
  struct reader r;
  if (start(&r, argc > 1 ? argv[1] : "nothing") != 0) { fprintf(stderr, "no file\n"); return 0; }
  if (fgets(r.line, sizeof r.line, r.file)) puts(r.line);
  stop(&r); stop(&r);
  FILE *in = argc > 1 ? stdin : tmpfile();
  fflush(NULL); fflush(in);
  if (in && in != stdin) fclose(in);
  return 0;
}

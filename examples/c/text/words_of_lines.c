// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// The words of the lines of the input as a list.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
  char* text;
  struct word* next;
};

static void drop(struct word* list) {
  while (list) {
    struct word* next = list->next;
    free(list->text);
    free(list);
    list = next;
  }
}

int main(void) {
  char line[256];
  struct word* list = NULL;
  while (fgets(line, sizeof line, stdin)) {
    for (char* text = strtok(line, " \t\n"); text; text = strtok(NULL, " \t\n")) {
      struct word* word = malloc(sizeof *word);
      if (!word) {
        drop(list);
        return 1;
      }
      word->text = strdup(text);
      if (!word->text) {
        free(word);
        drop(list);
        return 1;
      }
      word->next = list;
      list = word;
    }
  }
  for (struct word* word = list; word; word = word->next)
    puts(word->text);
  drop(list);
  return 0;
}

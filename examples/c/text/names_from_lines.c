// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Names from literals and from lines of the input, copied, searched and removed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct person {
  char* name;
  int age;
  struct person* next;
};
static struct person* add(struct person* list, const char* name, int age) {
  struct person* p = malloc(sizeof(struct person));
  if (p == NULL) return list;
  p->name = strdup(name);
  if (p->name == NULL) {
    free(p);
    return list;
  }
  p->age = age;
  p->next = list;
  return p;
}
static struct person* find(struct person* list, const char* name) {
  for (; list != NULL; list = list->next)
    if (strcmp(list->name, name) == 0) return list;
  return NULL;
}
static struct person* remove_name(struct person* list, const char* name) {
  struct person** link = &list;
  while (*link) {
    struct person* p = *link;
    if (strcmp(p->name, name) == 0) {
      *link = p->next;
      free(p->name);
      free(p);
      break;
    }
    link = &p->next;
  }
  return list;
}
int main(void) {
  char buf[64];
  struct person* list = NULL;
  list = add(list, "Ada", 36);
  list = add(list, "Alan", 41);
  while (fgets(buf, sizeof buf, stdin) != NULL) {
    size_t len = strlen(buf);
    if (len > 0 && buf[len - 1] == '\n') buf[len - 1] = '\0';
    list = add(list, buf, 1);
  }
  struct person* p = find(list, "Ada");
  if (p != NULL) printf("%s is %d\n", p->name, p->age);
  list = remove_name(list, "Alan");
  while (list != NULL) {
    struct person* next = list->next;
    free(list->name);
    free(list);
    list = next;
  }
  return 0;
}

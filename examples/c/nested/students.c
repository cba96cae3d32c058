// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked list of students with names on the heap, each with a list of grades; a menu changes them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct grade {
    char course[16];
    double mark;
    struct grade *next;
} grade;
typedef struct student {
    int id;
    char *name;
    grade *grades;
    struct student *prev, *next;
} student;
static student *head, *tail;
static int count;
static student *lookup(int id) {
    for (student *s = head; s; s = s->next)
        if (s->id == id)
            return s;
    return NULL;
}
static student *enroll(int id, const char *name) {
    student *s = malloc(sizeof(student));
    if (s == NULL)
        return NULL;
    s->name = strdup(name);
    if (s->name == NULL) {
        free(s);
        return NULL;
    }
    s->id = id;
    s->grades = NULL;
    s->next = NULL;
    s->prev = tail;
    if (tail != NULL)
        tail->next = s;
    else
        head = s;
    tail = s;
    count++;
    return s;
}
static int add_grade(student *s, const char *course, double mark) {
    grade *g = malloc(sizeof(grade));
    if (!g)
        return 0;
    strncpy(g->course, course, sizeof(g->course) - 1);
    g->course[sizeof(g->course) - 1] = '\0';
    g->mark = mark;
    g->next = s->grades;
    s->grades = g;
    return 1;
}
static void expel(student *s) {
    if (s->prev)
        s->prev->next = s->next;
    else
        head = s->next;
    if (s->next)
        s->next->prev = s->prev;
    else
        tail = s->prev;
    grade *g = s->grades;
    while (g) {
        grade *n = g->next;
        free(g);
        g = n;
    }
    free(s->name);
    free(s);
    count--;
}
static double average(const student *s) {
    double sum = 0;
    int n = 0;
    for (const grade *g = s->grades; g; g = g->next) {
        sum += g->mark;
        n++;
    }
    return n ? sum / n : 0;
}
int main(void) {
    int choice, id;
    char name[64], course[16];
    double mark;
    while (printf("> "), scanf("%d", &choice) == 1 && choice != 0) {
        switch (choice) {
        case 1:
            if (scanf("%d %63s", &id, name) == 2 && !lookup(id))
                enroll(id, name);
            break;
        case 2:
            if (scanf("%d %15s %lf", &id, course, &mark) == 3) {
                student *s = lookup(id);
                if (s)
                    add_grade(s, course, mark);
            }
            break;
        case 3:
            if (scanf("%d", &id) == 1) {
                student *s = lookup(id);
                if (s)
                    expel(s);
            }
            break;
        case 4:
            for (student *s = head; s; s = s->next)
                printf("%d %s %.1f\n", s->id, s->name, average(s));
            break;
        default:
            puts("?");
        }
    }
    while (head)
        expel(head);
    printf("%d left\n", count);
    return 0;
}

// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// An archive with lists in lists, five deep: rooms, shelves, boxes, folders and pages, each with functions of its own.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct page {
    struct page *next;
};

struct folder {
    struct folder *next;
    struct page *pages;
};

struct box {
    struct box *next;
    struct folder *folders;
};

struct shelf {
    struct shelf *next;
    struct box *boxes;
};

struct room {
    struct room *next;
    struct shelf *shelves;
};

static struct page *add_page(struct page *list) {
    struct page *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = list;
    return new;
}

static struct folder *add_folder(struct folder *list) {
    struct folder *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = list;
    new->pages = NULL;
    while (__VERIFIER_nondet_int()) new->pages = add_page(new->pages);
    return new;
}

static struct box *add_box(struct box *list) {
    struct box *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = list;
    new->folders = NULL;
    while (__VERIFIER_nondet_int()) new->folders = add_folder(new->folders);
    return new;
}

static struct shelf *add_shelf(struct shelf *list) {
    struct shelf *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = list;
    new->boxes = NULL;
    while (__VERIFIER_nondet_int()) new->boxes = add_box(new->boxes);
    return new;
}

static struct room *add_room(struct room *list) {
    struct room *new = malloc(sizeof *new);
    if (!new) abort();
    new->next = list;
    new->shelves = NULL;
    while (__VERIFIER_nondet_int()) new->shelves = add_shelf(new->shelves);
    return new;
}

static void free_pages(struct page *list) {
    while (list) {
        struct page *first = list;
        list = first->next;
        free(first);
    }
}

static void free_folders(struct folder *list) {
    while (list) {
        struct folder *first = list;
        list = first->next;
        free_pages(first->pages);
        free(first);
    }
}

static void free_boxes(struct box *list) {
    while (list) {
        struct box *first = list;
        list = first->next;
        free_folders(first->folders);
        free(first);
    }
}

static void free_shelves(struct shelf *list) {
    while (list) {
        struct shelf *first = list;
        list = first->next;
        free_boxes(first->boxes);
        free(first);
    }
}

static void free_rooms(struct room *list) {
    while (list) {
        struct room *first = list;
        list = first->next;
        free_shelves(first->shelves);
        free(first);
    }
}

int main(void) {
    struct room *archive = NULL;
    while (__VERIFIER_nondet_int()) archive = add_room(archive);
    free_rooms(archive);
    return 0;
}

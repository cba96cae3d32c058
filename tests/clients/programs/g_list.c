/* A doubly linked list with functions for each element, in the manner of GLib. */
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

typedef void *gpointer;
typedef void (*GFunc)(gpointer data, gpointer user_data);
typedef void (*GDestroyNotify)(gpointer data);
typedef int (*GCompareFunc)(gpointer a, gpointer b);

void *g_malloc(size_t size);
void *g_malloc0(size_t size);
void g_free(void *block);

typedef struct GList {
    gpointer data;
    struct GList *next;
    struct GList *prev;
} GList;

static GList *g_list_prepend(GList *list, gpointer data) {
    GList *made = g_malloc(sizeof(GList));
    made->data = data;
    made->prev = NULL;
    made->next = list;
    if (list)
        list->prev = made;
    return made;
}

static GList *g_list_delete_link(GList *list, GList *link) {
    if (link->prev)
        link->prev->next = link->next;
    if (link->next)
        link->next->prev = link->prev;
    if (link == list)
        list = list->next;
    g_free(link);
    return list;
}

static void g_list_foreach(GList *list, GFunc function, gpointer user_data) {
    while (list) {
        GList *next = list->next;
        function(list->data, user_data);
        list = next;
    }
}

static void g_list_free(GList *list) {
    while (list) {
        GList *next = list->next;
        g_free(list);
        list = next;
    }
}

static void g_list_free_full(GList *list, GDestroyNotify destroy) {
    g_list_foreach(list, (GFunc)destroy, NULL);
    g_list_free(list);
}

int main(void) {
    GList *list = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            list = g_list_prepend(list, g_malloc0(4));
        } else if (list) {
            GList *link = list;
            while (link->next && __VERIFIER_nondet_int())
                link = link->next;
            g_free(link->data);
            list = g_list_delete_link(list, link);
        }
    }
    g_list_free_full(list, g_free);
    return 0;
}

/* Settings of a configuration: copied keys and values, one cleanup at the end of a function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    char *key, *value;
    struct setting *next;
};

struct config {
    struct setting *first;
    int count;
};

static struct setting *setting_new(const char *key, const char *value) {
    struct setting *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->key = strdup(key);
    if (s->key == NULL)
        goto fail;
    s->value = strdup(value);
    if (s->value == NULL)
        goto fail;
    return s;
fail:
    free(s->key);
    free(s);
    return NULL;
}

static void setting_free(struct setting *s) {
    free(s->key);
    free(s->value);
    free(s);
}

static int config_set(struct config *c, const char *key, const char *value) {
    for (struct setting *s = c->first; s != NULL; s = s->next)
        if (strcmp(s->key, key) == 0) {
            char *copy = strdup(value);
            if (copy == NULL)
                return -1;
            free(s->value);
            s->value = copy;
            return 0;
        }
    struct setting *fresh = setting_new(key, value);
    if (fresh == NULL)
        return -1;
    fresh->next = c->first;
    c->first = fresh;
    c->count++;
    return 0;
}

static const char *config_get(const struct config *c, const char *key) {
    for (const struct setting *s = c->first; s != NULL; s = s->next)
        if (strcmp(s->key, key) == 0)
            return s->value;
    return NULL;
}

static void config_unset(struct config *c, const char *key) {
    for (struct setting **place = &c->first; *place != NULL; place = &(*place)->next)
        if (strcmp((*place)->key, key) == 0) {
            struct setting *s = *place;
            *place = s->next;
            setting_free(s);
            c->count--;
            return;
        }
}

static void config_free(struct config *c) {
    while (c->first != NULL) {
        struct setting *s = c->first;
        c->first = s->next;
        setting_free(s);
    }
    free(c);
}

int main(void) {
    char line[32];
    struct config *c = malloc(sizeof *c);
    if (c == NULL)
        return 1;
    c->first = NULL;
    c->count = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *equals = strchr(line, '=');
        if (equals == NULL) {
            config_unset(c, line);
            continue;
        }
        *equals = 0;
        if (config_set(c, line, equals + 1) < 0)
            break;
    }
    const char *name = config_get(c, "name");
    if (name != NULL)
        puts(name);
    config_free(c);
    return 0;
}

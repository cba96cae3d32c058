// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Options of the command line: names are copied, values are texts inside of the arguments, or a literal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct define {
    struct define *next;
    char *name;
    const char *value;
};

struct options {
    struct define *defines;
    struct define **last;
    const char *output;
    int verbose;
};

static int add_define(struct options *o, const char *arg)
{
    struct define *d;
    const char *eq = strchr(arg, '=');
    size_t len = eq ? (size_t)(eq - arg) : strlen(arg);

    d = malloc(sizeof *d);
    if (d == NULL)
        return -1;
    d->name = malloc(len + 1);
    if (d->name == NULL) {
        free(d);
        return -1;
    }
    memcpy(d->name, arg, len);
    d->name[len] = '\0';
    d->value = eq ? eq + 1 : "1";
    d->next = NULL;
    *o->last = d;
    o->last = &d->next;
    return 0;
}

static void options_free(struct options *o)
{
    struct define *d, *next;

    for (d = o->defines; d != NULL; d = next) {
        next = d->next;
        free(d->name);
        free(d);
    }
    o->defines = NULL;
    o->last = &o->defines;
}

int main(int argc, char **argv)
{
    struct options o;
    int i, status = 0;

    o.defines = NULL;
    o.last = &o.defines;
    o.output = NULL;
    o.verbose = 0;
    for (i = 1; i < argc; i++) {
        char *arg = argv[i];

        if (arg[0] == '-' && arg[1] == 'D') {
            const char *def = arg + 2;
            if (*def == '\0') {
                if (++i >= argc) {
                    fprintf(stderr, "-D needs a name\n");
                    status = 2;
                    break;
                }
                def = argv[i];
            }
            if (add_define(&o, def) < 0) {
                status = 1;
                break;
            }
        } else if (strcmp(arg, "-o") == 0 && i + 1 < argc) {
            o.output = argv[++i];
        } else if (strcmp(arg, "-v") == 0) {
            o.verbose++;
        } else {
            fprintf(stderr, "unknown option %s\n", arg);
            status = 2;
            break;
        }
    }
    if (status == 0 && o.verbose) {
        struct define *d;
        for (d = o.defines; d; d = d->next)
            printf("%s=%s\n", d->name, d->value);
        printf("output: %s\n", o.output ? o.output : "-");
    }
    options_free(&o);
    return status;
}

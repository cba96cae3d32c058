/* The parts of sscanf, strsep and strtok on texts of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void more(const char *text) {
    int a = -7, b = -7, at = -1, n;
    double real = -7;
    float small = -7;
    char word[8] = "?";
    n = sscanf(text, "%2d%3d", &a, &b);
    printf("  %d:%d,%d", n, a, b);
    n = sscanf(text, "%i %n", &a, &at);
    printf(" %d:%d@%d", n, a, at);
    n = sscanf(text, "%lf,%f", &real, &small);
    printf(" %d:%f,%f", n, real, small);
    n = sscanf(text, "%7[a-z0-9]%*[=,]%d", word, &a);
    printf(" %d:%s:%d", n, word, a);
    n = sscanf(text, "%*s %o%%", (unsigned *)&b);
    printf(" %d:%d\n", n, b);
}

static void scan(const char *text) {
    int a = -7, b = -7, n;
    unsigned x = 99;
    char word[6] = "?", rest[16] = "?", one = '?';
    printf("[%s]", text);
    n = sscanf(text, "%d,%d", &a, &b);
    printf(" %d:%d,%d", n, a, b);
    n = sscanf(text, "%5s %d", word, &a);
    printf(" %d:%s:%d", n, word, a);
    n = sscanf(text, "%5[^=]=%15s", word, rest);
    printf(" %d:%s:%s", n, word, rest);
    n = sscanf(text, "%x", &x);
    printf(" %d:%x", n, x);
    n = sscanf(text, "%c%d", &one, &b);
    printf(" %d:%c:%d", n, one, b);
    n = sscanf(text, "n%d", &a);
    printf(" %d:%d", n, a);
    n = sscanf(text, "%*d %d", &b);
    printf(" %d\n", n);
    if (strncmp(text, "0x", 2) != 0) /* numbers with the base 16 and a fraction may have any value */
        more(text);
}

int main(void) {
    scan("12,-34");
    scan("  +5 , 6");
    scan("name=value and more");
    scan("0x1fG");
    scan("longword 17");
    scan("n42");
    scan("n");
    scan("=");
    scan("   ");
    scan("");
    scan("7 8");
    scan("abc");
    scan("1.5e3,-.25");
    scan("0.1,16777216 ");
    scan("1234567890123456");
    scan("-2.5e-3 10%");
    scan("0x1g");
    scan("0x");
    scan("010 17%");
    scan(".");
    scan("5.");
    scan("a]b=3");
    printf("%f %f %f\n", strtod("12.75xyz", NULL), atof(" -1e2"), atof("none"));
    char line[] = "a::bc:", *rest = line, *part;
    while ((part = strsep(&rest, ":")) != NULL)
        printf("<%s>", part);
    char words[] = "  two words ";
    for (char *w = strtok(words, " "); w != NULL; w = strtok(NULL, " "))
        printf("<%s>", w);
    printf("\n");
    return 0;
}

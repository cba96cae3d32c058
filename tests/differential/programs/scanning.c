/* The parts of sscanf, strsep and strtok on texts of the program. */
#include <stdio.h>
#include <string.h>

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
    char line[] = "a::bc:", *rest = line, *part;
    while ((part = strsep(&rest, ":")) != NULL)
        printf("<%s>", part);
    char words[] = "  two words ";
    for (char *w = strtok(words, " "); w != NULL; w = strtok(NULL, " "))
        printf("<%s>", w);
    printf("\n");
    return 0;
}

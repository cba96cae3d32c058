#include <string.h>
const char text[4] = "abc";
int main(void) { char *s = (char *)text; s[1] = 0; return 0; }

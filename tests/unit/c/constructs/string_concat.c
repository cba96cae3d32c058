// TRUE
#include <assert.h>
#include <string.h>
int main(void){ const char *s="a" "b\x41" "\101\0c"; assert(strlen(s)==4); char t[3]="abc"; assert(t[2]=='c'); assert(sizeof "ab"=="\3"[0]); return 0; }

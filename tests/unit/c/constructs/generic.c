// TRUE
#include <assert.h>
#define name(x) _Generic((x), int:1, long:2, char*:3, default:4)
int main(void){ assert(name(1)==1&&name(1L)==2&&name("a")==3&&name(1.0)==4); return 0; }

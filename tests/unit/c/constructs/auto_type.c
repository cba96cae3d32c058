// TRUE
#include <assert.h>
int main(void){ __auto_type x = 3L; __auto_type p = &x; assert(*p==3 && sizeof x==8); return 0; }

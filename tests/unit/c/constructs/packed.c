// TRUE
#include <assert.h>
#pragma pack(push,1)
struct p{char c; int i; void *q;};
#pragma pack(pop)
struct __attribute__((packed)) r{char c; long l;};
int main(void){ assert(sizeof(struct p)==13&&sizeof(struct r)==9); struct p p={1,2,&p}; assert(p.i==2&&p.q==&p); return 0; }

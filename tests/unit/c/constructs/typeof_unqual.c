// TRUE
#include <stddef.h>
#define container_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__m = (ptr); (type *)((char *)__m - offsetof(type, member)); })
struct n{int a; struct n *l;}; 
int main(void){ struct n x={3,0}; struct n **q=&x.l; return container_of(q,struct n,l)->a-3; }

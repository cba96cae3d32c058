// TRUE
#include <assert.h>
struct p{int x,y; int a[4];};
int main(void){ struct p q={.y=2,.a={[1]=5,[3]=7}}; struct p r={.x=1,.x=3}; int t[]={[5]=1,2}; assert(q.x==0&&q.a[1]==5&&q.a[3]==7&&q.a[2]==0&&r.x==3&&sizeof t==7*sizeof(int)&&t[6]==2); return 0; }

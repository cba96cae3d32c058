// TRUE
#include <assert.h>
#include <stdlib.h>
static int sum(int n,int m,int a[n][m]){ int s=0; for(int i=0;i<n;i++) for(int j=0;j<m;j++) s+=a[i][j]; return s; }
static int last(int n,int m,int (*a)[m]){ a += n - 1; int *row = *a; return row[m-1]; }
static int deep(int n){ int a[n]; a[n-1]=n; int r = n>1 ? deep(n-1) : 0; return r+a[n-1]; }
int main(void){
  int n=2,m=3; int a[n][m]; n=7;
  assert(sizeof a==24 && sizeof a[0]==12 && sizeof *a==12);
  for(int i=0;i<2;i++) for(int j=0;j<m;j++) a[i][j]=10*i+j;
  assert(sum(2,m,a)==36 && last(2,m,a)==12 && *a[1]==10 && (&a[0][0])[5]==12 && deep(3)==6);
  int (*p)[m]=malloc(2*sizeof *p);
  if(p){ p[1][2]=4; (*p)[0]=1; assert(p[1][2]==4); free(p); }
  int c[2][m][2]; c[1][2][1]=5; assert((&c[0][0][0])[11]==5 && sizeof c==48);
  for(int i=1;i<4;i++){ char *b[i]; b[i-1]=malloc(4); if(i==2){ free(b[1]); continue; } free(b[i-1]); }
  return 0;
}

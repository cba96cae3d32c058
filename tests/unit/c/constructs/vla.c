// TRUE
#include <assert.h>
#include <stdlib.h>
int main(void){ int n=rand(); if(n<1||n>4) return 0; int a[n]; for(int i=0;i<n;i++)a[i]=i; assert(a[n-1]==n-1); return 0; }

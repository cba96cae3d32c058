// FALSE: dangling_dereference
int main(void){ int n=3; int *p=0; { int a[n]; a[0]=1; p=a; } return *p; }

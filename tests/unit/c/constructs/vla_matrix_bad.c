// FALSE: out_of_bounds
static int sum(int n,int m,int a[n][m]){ int s=0; for(int i=0;i<=n;i++) s+=a[i][0]; return s; }
int main(void){ int a[2][3]={{1,2,3},{4,5,6}}; return sum(2,3,a); }

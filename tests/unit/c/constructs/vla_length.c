// FALSE: out_of_bounds
extern int __VERIFIER_nondet_int(void);
int main(void){ int n=__VERIFIER_nondet_int(); if(n>100) return 0; char a[n]; return 0; }

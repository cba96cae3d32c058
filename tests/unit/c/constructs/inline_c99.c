// TRUE
extern inline int f(int x){ return x; }
static __inline__ int g(int x){ return f(x); }
int main(void){ return g(0); }

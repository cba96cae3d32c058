// UNKNOWN: operator + on
typedef int v4 __attribute__((vector_size(16)));
int main(void){ v4 a={1,2,3,4}, b=a+a; return b[0]-2; }

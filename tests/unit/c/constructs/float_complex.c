// UNKNOWN: imaginary
#include <complex.h>
#include <assert.h>
int main(void){ double complex z=1+2*I; assert(creal(z)==1.0); return 0; }

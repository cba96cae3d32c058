#ifndef KLEENE_MATH_H
#define KLEENE_MATH_H
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define M_PI 3.14159265358979323846
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
double sqrt(double);
double round(double);
double trunc(double);
double tan(double);
double atan(double);
double atan2(double, double);
double log2(double);
double log10(double);
double ldexp(double, int);
double frexp(double, int *);
double modf(double, double *);
double fmax(double, double);
double fmin(double, double);
float sqrtf(float);
float fabsf(float);
float floorf(float);
float ceilf(float);
double pow(double, double);
double fabs(double);
double floor(double);
double ceil(double);
double sin(double);
double cos(double);
double log(double);
double exp(double);
double fmod(double, double);
#endif

#ifndef KLEENE_MATH_H
#define KLEENE_MATH_H
double sqrt(double);
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

#ifndef KLEENE_WCTYPE_H
#define KLEENE_WCTYPE_H
#include <stddef.h>
int iswalpha(wint_t);
int iswdigit(wint_t);
int iswspace(wint_t);
int iswupper(wint_t);
int iswlower(wint_t);
int iswalnum(wint_t);
int iswprint(wint_t);
int iswpunct(wint_t);
wint_t towlower(wint_t);
wint_t towupper(wint_t);
#endif

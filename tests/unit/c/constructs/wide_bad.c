// FALSE: out_of_bounds
#include <wchar.h>
int main(void){ const wchar_t *w=L"ab"; wchar_t b[3]; wcscpy(b,w); return b[wcslen(w)+1]; }

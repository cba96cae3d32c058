// TRUE
#include <wchar.h>
#include <assert.h>
int main(void){ wchar_t *w=L"ab"; assert(w[1]==L'b'); assert(u8"x"[0]=='x'); return 0; }

// TRUE
#include <assert.h>
#include <stdlib.h>
#include <wchar.h>
int main(void){
  wchar_t w[]=L"a\x20ac" L"\U0001F600z\"\n\\"; assert(sizeof w==32 && w[1]==0x20ac && w[2]==0x1f600 && w[3]=='z' && w[4]=='"' && w[6]=='\\' && !w[7]);
  const unsigned short *s=u"b\U0001F600"; assert(s[1]==0xd83d && s[2]==0xde00 && s[3]==0);
  assert(wcslen(w)==7 && wcscmp(L"ab",L"ac")<0 && wcschr(w,L'z')==w+3 && !wcsncmp(L"abc",L"abd",2) && wcsrchr(w,L'q')==NULL);
  wchar_t *d=wcsdup(L"xy"); if(d){ assert(d[1]==L'y'); free(d); }
  wchar_t b[8]; wcscat(wcscpy(b,L"ab"),L"cd"); assert(!wcscmp(b,L"abcd")); wcsncpy(b,L"z",3); assert(b[2]==0 && b[3]=='d');
  wmemset(b,L'q',2); assert(b[1]==L'q'); wmemcpy(b,L"rs",2); assert(b[1]==L's');
  return 0;
}

// UNKNOWN: threads are not followed
#include <threads.h>
static int run(void*a){ return 0; }
int main(void){ thrd_t t; if(thrd_create(&t,run,0)!=thrd_success) return 1; thrd_join(t,0); return 0; }

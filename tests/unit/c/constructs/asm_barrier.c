// TRUE
int main(void){ int x=1; __asm__ volatile("" ::: "memory"); __asm__("nop"); return x-1; }

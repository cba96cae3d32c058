// TRUE
struct e{}; struct s{struct e e; int x; struct e f[3];};
int main(void){ struct s s={.x=1}; struct e e; (void)e; return s.x-1; }

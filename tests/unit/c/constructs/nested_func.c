// ERROR: function definition is not allowed here
int main(void){ int x=1; int f(int y){ return x+y; } return f(-1); }

// UNKNOWN: constant
static const int c=3;
int main(void){ *(int*)&c=4; return 0; }

extern const int fixed[];
static void set(int *p) { *p = 4; }
int main(void) {
  set((int *)&fixed[1]);
  return 0;
}
const int fixed[2] = {1, 2};

int main(void) {
  static const int fixed[2];
  int *p = (int *)fixed;
  p[1] = 4;
  return 0;
}

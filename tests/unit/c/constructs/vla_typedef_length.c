// FALSE: out_of_bounds
int main(void){ int m=0; typedef int row[m]; return 0; }

// FALSE: out_of_bounds
int main(void){ int m=3; typedef int row[m]; m=5; row r; r[3]=1; return 0; }

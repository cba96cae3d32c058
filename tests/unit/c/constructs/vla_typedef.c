// UNKNOWN: an array 'r' of variable length whose length is not written at its declaration
int main(void){ int m=3; typedef int row[m]; row r; r[0]=1; return 0; }

// UNKNOWN: goto to something else than a label of its function
static void *kept; static int there(void){ here: kept=&&here; return 0; }
int main(void){ there(); void *p=&&end; p=kept; goto *p; end: return 0; }

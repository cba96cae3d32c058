def program(seed: int) -> str:
    return "int main(void) { return 0; }"

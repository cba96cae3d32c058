"""Small programs for batches."""

from __future__ import annotations

from pathlib import Path

SAFE = "#include <stdlib.h>\nint main(void) { free(malloc(4)); return 0; }\n"
LEAK = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); p = 0; return 0; }\n"
HARD = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_int(), b = a * a;
    int *p = 0;
    while (b != 3u) b = b * a + 7u;
    return *p;
}
"""


def write(folder: Path, **texts: str) -> None:
    """Files in a folder: the part of a name behind the last underscore is its ending."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text)

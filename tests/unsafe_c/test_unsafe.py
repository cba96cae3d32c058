"""Programs that fail in a compiled run, one for each assumption that a rewriting or a copy of numbers rests on.

Each analysis is asked alone, since exploration, which `kleene check` does first, would show the failure and hide a
wrong proof. `order`: a comparison whose answer is kept, with a number of which there is no image, was taken for one of
images, and a parameter of the entry for a number that differs from all that the program names. `copies`: numbers were
read as another type than they were written as without being converted, or put together from others. `rewritings`:
an index that has a value from the start had no slot, a function was a number that a program can name. `externs`:
functions without a body, which the compiled run defines as the worst case (`WORST_CASE`). `types`: structure types that
casts or links connect; `conditions`: conditions on integers that are not kept: refinement is asked about both, too.
`ends`: functions that run before the entry and at the exit were not run. `constants`: arrays and named types were not
taken to be constant, and FESA let copies write to what is. `lifetimes`: objects into whose block a jump or a case led,
past their declarations, lived for ever. `names`: FESA took a variable of the entry for the global of the same name;
labels and weak names of the linker were not read.
`values`: an assignment as a value was read from its target again, which a call had changed, or had the bits that a
bit-field has not; large numbers were not rounded to `float`, nor computed as `long double`.
`jumps`: `longjmp` and `goto *`, which become returns and branches.
`words`: pointers with flags in their low bits, which are two values to the analyses.
`addresses`: addresses of no object, which are objects without bytes to the analyses.
`branches`: conditions on numbers that seem to be constants. `tested`: copies of pointers that are only tested.
`outcomes`: comparisons whose outcome is kept, though another pointer changes what was compared.
`optional`: nodes that some structures of a location have, and others have not.
`sizes`: sizes that allocators take in fewer bits, or that callers computed before they changed what is in them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.refinement import RefineSettings, refine
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.refine.loop import SAFE

HERE = Path(__file__).parent
PROGRAMS = {f"{path.parent.name}/{path.stem}": path for path in sorted(HERE.glob("*/*.c"))}
KINDS = kinds_of(["assert", "unreach"])
SECONDS = 20.0
RUNS = 400
"""Compiled runs on random numbers, one of which must fail."""
NUMBERS = (-(2**31), -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 20, 301, 557, 70000, 2**31 - 1)
GCC = shutil.which("gcc")
SANITIZED = {"lifetimes", "sizes", "tested"}
"""The folders of programs whose failure only AddressSanitizer shows."""
REFINED = {"addresses", "conditions", "types", "words"}
"""The folders of programs whose rules refinement has."""
each = pytest.mark.parametrize("name", PROGRAMS)


def prepared_program(name: str) -> Prepared:
    return Prepared(read_program([str(PROGRAMS[name])]))


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the next tests demand would not be soundness."""
    binary, rng = tmp_path / "program", random.Random(0)
    sources = [str(PROGRAMS[name]), str(HERE / "inputs.c")]
    flags = ["-fsanitize=address"] if name.partition("/")[0] in SANITIZED else []
    subprocess.run(
        [str(GCC), "-w", "-O0", "-fno-strict-aliasing", "-DWORST_CASE", *flags, "-o", str(binary), *sources], check=True
    )
    for count in range(RUNS):
        inputs = " ".join(str(rng.choice(NUMBERS)) for _ in range(12))
        command = [str(binary), *["argument"] * (count % 8)]
        environment = {**os.environ, "INPUTS": inputs, "ASAN_OPTIONS": "abort_on_error=1"}
        run = subprocess.run(command, env=environment, capture_output=True, check=False)
        if run.returncode in (-signal.SIGABRT, -signal.SIGSEGV):
            return
    pytest.fail("no run fails")


@each
def test_exploration_does_not_prove_it(name: str) -> None:
    explored = explore(read_program([str(PROGRAMS[name])]), max_states=2_000, seconds=5.0, malloc_may_fail=False)
    assert not explored.proved


@each
def test_the_shape_analysis_does_not_prove_it(name: str) -> None:
    result = analyse(prepared_program(name), malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not result.complete or {alarm.kind for alarm in result.alarms} - {"memory_leak", "memory_cleanup"}


@each
def test_fesa_does_not_prove_it(name: str) -> None:
    result = analyse_fesa(prepared_program(name), malloc_may_fail=False, seconds=SECONDS)
    assert not result.complete or {alarm.kind for alarm in result.alarms} - {"memory_leak", "memory_cleanup"}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.partition("/")[0] in REFINED])
def test_refinement_does_not_prove_it(name: str) -> None:
    result = refine(prepared_program(name), ["assert"], RefineSettings(), malloc_may_fail=False, seconds=SECONDS)
    assert isinstance(result, str) or result.outcome != SAFE

"""Slices of exhaustive tests: `make test` runs every k-th test of these files, `make exam` runs all of them.

The slice depends on the name of a test alone, so that every run and every worker takes the same one.
"""

from __future__ import annotations

import os
import zlib

EXAM = bool(os.environ.get("KLEENE_EXAM"))
ONLY_IN_EXAM = 0
EVERY: dict[str, int] = {
    "tests/unsafe_c/test_blocks.py::test_it_is_not_proved": 24,
    "tests/unsafe_c/test_blocks.py::test_it_fails_in_a_compiled_run": 8,
    "tests/unit/passes/test_relations.py": 3,
    **dict.fromkeys(
        (
            f"tests/corpus/test_corpus.py::test_program[arrays/{name}]"
            for name in (
                "argument_list",
                "counted_list",
                "list_heads",
                "matrix",
                "names",
                "names_terminator",
                "open_addressing_bounds",
                "pointer_stack",
                "trie",
                "trie_bounds",
                "vector_growth",
            )
        ),
        ONLY_IN_EXAM,
    ),
    "tests/cli/test_check_reports.py::test_what_recursive_functions_do_is_checked_again": ONLY_IN_EXAM,
    "tests/oracle/test_machines_agree.py::test_coerce_and_what_it_breaches": 8,
    "tests/oracle_symbolic/test_five_nodes.py": 8,
    "tests/unit/symbolic/test_best_runs.py": 3,
    "tests/unit/symbolic/test_best_transformers.py": 2,
    "tests/corpus/test_corpus.py::test_random_runs_of_safe_programs": 4,
    "tests/unsafe_c/test_unsafe.py": 6,
    "tests/unit/semantics/test_ended_blocks.py": 6,
    "tests/cli/test_time_limits.py": 6,
    "tests/unit/transformers/differencing/test_sound.py": 3,
    "tests/unit/transformers/differencing/test_exact.py": 3,
    "tests/refine/test_covers_runs.py": 4,
    "tests/refine/test_random_programs.py": 3,
    "tests/refine/test_certificates.py": 2,
    "tests/refine/test_library_code.py": 3,
    "tests/oracle/test_specified.py": 3,
    "tests/oracle/test_bodies.py": 3,
    "tests/oracle/test_callers.py": 3,
    "tests/oracle/test_calls_by_rules.py": 3,
    "tests/oracle/test_machines_agree.py": 2,
    "tests/oracle_symbolic/test_vocabularies.py": 2,
    "tests/oracle_symbolic/test_best.py": 2,
    "tests/fesa/test_enumeration.py": 5,
    "tests/fesa/test_programs.py": 2,
    "tests/fesa/test_soundness.py": 2,
    "tests/paths/test_paths_random.py": 3,
    "tests/paths/test_paths_search.py": 2,
    "tests/unit/passes/test_loads.py": 3,
    "tests/unit/passes/test_prepare.py": 3,
    "tests/unit/passes/test_zero_one_images.py": 2,
    "tests/unit/passes/test_representatives.py": 2,
    "tests/unit/semantics/test_trees.py": 2,
    "tests/unit/semantics/test_circular.py": 2,
    "tests/cli/test_contract_formulas.py": 2,
    "tests/cli/test_contract_clients.py": 3,
    "tests/examples/test_sorting_examples.py": 2,
}
"""For the beginning of a test's name, the k of 'every k-th': what is costly and has many cases of one kind."""


def is_in_slice(name: str) -> bool:
    """Whether `make test` runs the test of this name."""
    k = next((k for start, k in EVERY.items() if name.startswith(start)), 1)
    return EXAM or k == 1 or (k != ONLY_IN_EXAM and zlib.crc32(name.encode()) % k == 0)

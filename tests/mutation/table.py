"""The modules whose mutants are tried, and the tests that may notice them; coverage says which execute a line."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SEMANTICS, PASSES = "tests/unit/semantics", "tests/unit/passes"
UNSAFE_C = "tests/unsafe_c/test_unsafe.py"
CONTRACTS = (
    f"{SEMANTICS}/contracts/test_contract_words.py",
    f"{SEMANTICS}/contracts/test_contract_coverage.py",
    f"{SEMANTICS}/contracts/test_contract_specifications.py",
    f"{SEMANTICS}/contracts/test_contract_operations.py",
    "tests/unit/analysis/test_contract_reports.py",
    f"{SEMANTICS}/contracts/test_contracts.py",
    "tests/cli/test_contract_formulas.py",
    "tests/cli/test_contracts.py",
    "tests/cli/test_contract_clients.py",
)
FESA = (
    "tests/fesa/transformers/test_statements.py",
    "tests/fesa/programs/test_small_programs.py",
    "tests/fesa/values/test_expressions.py",
    "tests/fesa/values/test_values_by_hand.py",
    "tests/fesa/programs/test_read_programs.py",
    "tests/fesa/rings/test_inner_structures.py",
    "tests/fesa/transformers/test_options.py",
    "tests/fesa/values/test_numbers.py",
    "tests/fesa/transformers/test_soundness.py",
    "tests/fesa/programs/test_programs.py",
    "tests/fesa/programs/test_local_heaps.py",
    f"{UNSAFE_C}::test_fesa_does_not_prove_it",
)
NUMBERS = (
    PASSES,
    f"{SEMANTICS}/test_integer_model.py",
    f"{SEMANTICS}/test_memory_model.py",
    f"{SEMANTICS}/test_library_calls.py",
    f"{SEMANTICS}/test_byte_ranges.py",
    f"{SEMANTICS}/test_moved_blocks.py",
    f"{SEMANTICS}/test_ended_blocks.py",
    f"{UNSAFE_C}::test_the_shape_analysis_does_not_prove_it",
)
CERTIFICATES = (
    "tests/refine/test_certificate_data.py",
    "tests/refine/test_certificate_tasks.py",
    "tests/refine/test_certificates.py",
    "tests/refine/test_cli.py",
)

TESTS: dict[str, tuple[str, ...]] = {
    "passes/zero_one_images": NUMBERS,
    "passes/facts/integers": NUMBERS,
    "passes/representatives": NUMBERS,
    "semantics/steps/allocation": (*NUMBERS, "tests/refine/test_ghosts_of_unsafe_programs.py"),
    "passes/elements/global_arrays": NUMBERS,
    "passes/facts/intervals": NUMBERS,
    "semantics/contracts/programs": CONTRACTS,
    "semantics/contracts/words": CONTRACTS,
    "semantics/contracts/formulas": CONTRACTS,
    "semantics/contracts/parts": CONTRACTS,
    "semantics/contracts/shapes": CONTRACTS,
    "semantics/contracts/specifications": CONTRACTS,
    "analysis/c/contracts": CONTRACTS,
    "c/contracts": ("tests/unit/c/test_contract_syntax.py", f"{SEMANTICS}/contracts/test_contracts.py"),
    "analysis/c/certificates": CERTIFICATES,
    "refine/certificate": CERTIFICATES,
    "domains/fesa/transfer": FESA,
    "domains/fesa/evaluate": FESA,
}


def module_file(module: str) -> Path:
    return ROOT / "src" / "kleene" / f"{module}.py"

"""Which tests are to notice a change of which module: the quick ones that fail most often come first."""

from __future__ import annotations

SEMANTICS, PASSES = "tests/unit/semantics", "tests/unit/passes"
UNSAFE_C = "tests/unsafe_c/test_unsafe.py"
CONTRACTS = (f"{SEMANTICS}/test_contracts.py", "tests/cli/test_contract_formulas.py", "tests/cli/test_contracts.py")
FESA = ("tests/fesa/test_soundness.py", f"{UNSAFE_C}::test_fesa_does_not_prove_it", "tests/fesa/test_programs.py")
MEMORY = (
    f"{SEMANTICS}/test_integer_model.py",
    f"{SEMANTICS}/test_memory_model.py",
    f"{SEMANTICS}/test_library_calls.py",
    f"{SEMANTICS}/test_ended_blocks.py",
)
UNSAFE = (f"{UNSAFE_C}::test_the_shape_analysis_does_not_prove_it",)

TESTS: dict[str, tuple[str, ...]] = {
    "passes/zero_one_images": (f"{PASSES}/test_zero_one_images.py", *UNSAFE),
    "passes/facts/integers": (*MEMORY, *UNSAFE),
    "passes/representatives": (f"{PASSES}/test_representatives.py", *UNSAFE),
    "semantics/steps/allocation": (*MEMORY, *UNSAFE),
    "passes/elements/global_arrays": (f"{PASSES}/test_prepare.py", *UNSAFE),
    "passes/facts/intervals": (
        f"{PASSES}/test_prepare.py",
        f"{PASSES}/test_representatives.py",
        f"{PASSES}/test_zero_one_images.py",
        *UNSAFE,
    ),
    "semantics/contracts/programs": CONTRACTS,
    "semantics/contracts/words": CONTRACTS,
    "semantics/contracts/formulas": CONTRACTS,
    "semantics/contracts/parts": CONTRACTS,
    "semantics/contracts/shapes": CONTRACTS,
    "analysis/c/contracts": ("tests/cli/test_contracts.py", "tests/cli/test_contract_formulas.py"),
    "c/contracts": CONTRACTS,
    "analysis/c/certificates": ("tests/refine/test_certificates.py", "tests/refine/test_cli.py"),
    "refine/certificate": ("tests/refine/test_certificates.py", "tests/refine/test_cli.py"),
    "domains/fesa/transfer": FESA,
    "domains/fesa/evaluate": FESA,
}

"""Which tests are to notice a change of which module: the quick ones that fail most often come first."""

from __future__ import annotations

UNIT = "tests/unit/semantics"
CONTRACTS = (f"{UNIT}/test_contracts.py", "tests/cli/test_contract_formulas.py", "tests/cli/test_contracts.py")
FESA = ("tests/fesa/test_soundness.py", "tests/fesa/test_programs.py")
MEMORY = (f"{UNIT}/test_memory_model.py", f"{UNIT}/test_library_calls.py")

TESTS: dict[str, tuple[str, ...]] = {
    "semantics/order": (f"{UNIT}/test_order.py",),
    "semantics/integers": (f"{UNIT}/test_integer_model.py", *MEMORY),
    "semantics/representatives": (f"{UNIT}/test_representatives.py",),
    "semantics/allocation": (*MEMORY, f"{UNIT}/test_integer_model.py"),
    "semantics/slots": (f"{UNIT}/test_prepare.py",),
    "semantics/intervals": (f"{UNIT}/test_prepare.py", f"{UNIT}/test_representatives.py", f"{UNIT}/test_order.py"),
    "semantics/contracts": CONTRACTS,
    "semantics/contract_words": CONTRACTS,
    "semantics/contract_formulas": CONTRACTS,
    "semantics/contract_parts": CONTRACTS,
    "semantics/contract_shapes": CONTRACTS,
    "analysis/contracts_of_c": ("tests/cli/test_contracts.py", "tests/cli/test_contract_formulas.py"),
    "c/contracts": CONTRACTS,
    "analysis/certificates": ("tests/refine/test_cli.py",),
    "refine/certificate": ("tests/refine/test_cli.py", "tests/refine/test_loop.py"),
    "domains/fesa/transfer": FESA,
    "domains/fesa/evaluate": FESA,
}

"""Random clients of the list functions in `examples/c/contracts`: contracts never hide what a real run shows."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.fuzz_c.generators.contracts import FORMULAS, WORDS, client

from kleene.analysis.c.check import check_program
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.passes.preparation import Prepared
from kleene.semantics.contracts.programs import by_contracts


@pytest.mark.parametrize("seed", range(20))
def test_what_a_run_shows_is_not_proved_away(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "client.c"
    path.write_text(client(random.Random(seed), "list.c", WORDS), encoding="utf-8")
    program = read_program(path)
    real = check_program(program, check_options(timeout=3.0, domain="explicit"), time.monotonic())
    called = by_contracts(program, read_contracts(program))
    by_contract = check_program(called, check_options(timeout=3.0), time.monotonic())
    for name, verdict in real.properties.items():
        if verdict is Verdict.FALSE:
            assert by_contract.properties[name] is not Verdict.TRUE, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(24))
def test_what_a_run_shows_is_not_proved_away_by_formulas(seed: int, tmp_path: Path) -> None:
    """The abstract analysis alone: exact exploration would run the functions themselves."""
    path = tmp_path / "client.c"
    path.write_text(client(random.Random(seed), "formulas.c", FORMULAS), encoding="utf-8")
    program = read_program(path)
    real = check_program(program, check_options(timeout=3.0, domain="explicit"), time.monotonic())
    contracts = read_contracts(program)
    meant = {name: read_specification(program, contract) for name, contract in contracts.items()}
    found = analyse(Prepared(by_contracts(program, contracts, meant)), malloc_may_fail=True, seconds=6.0)
    if found.complete and real.properties["memsafety"] is Verdict.FALSE:
        assert found.alarms, path.read_text(encoding="utf-8")

"""The inference of readings alone, without the check of a client."""

from __future__ import annotations

import time
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.inference.attempts import Inferred
from kleene.analysis.c.library.inference.selection import Inference
from kleene.analysis.c.library.inference.trials import ClientFolder
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.c.options import DEFAULT


def inferred_of(text: str, folder: Path) -> Inferred:
    """The readings of the functions in the text of a file."""
    return inference_of(text, folder).run()


def inference_of(text: str, folder: Path) -> Inference:
    """The inference for the text of a file."""
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    interface = read_interface(str(file), DEFAULT)
    clients = ClientFolder(folder, interface, DEFAULT)
    budget = Budget(time.monotonic(), 60.0)
    return Inference(interface, clients, budget, StoredContracts(), malloc_may_fail=True)


def wrong_functions(inferred: Inferred) -> set[str]:
    """The functions all of whose readings have an error."""
    return {r.operation.function.name for r in inferred.rejected}

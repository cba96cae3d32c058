"""Functions that do not test what they allocate: they are wrong, and the others are checked on what they make else.

Runs of the clients end where there is no memory for such a function (`spared`). So what executes it is not proved.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.library.blame.allocations import executes_spared, failed_allocations
from kleene.analysis.c.library.inference.attempts import Rejected
from kleene.analysis.c.library.inference.trials import TRIAL_STATES
from kleene.analysis.c.library.inference.tries import Tries


def spare(tries: Tries, rejected: Rejected) -> bool:
    """Reject the function that does not test what it allocates, if that is the error; false if it is not.

    Where there is no memory, runs of the clients end from now on: the function whose trial has failed is tried again.
    """
    inferred, spared = tries.inferred, tries.clients.spared
    for failed in failed_allocations(rejected.error, rejected.client):
        if failed.place in spared:
            continue
        spared.add(failed.place)
        tries.forget()
        again = tries.one(rejected.operation, TRIAL_STATES).rejected
        own = failed.operation.function == rejected.operation.function
        if again is None or (own and again.error.fault.place != rejected.error.fault.place):
            name = failed.operation.function.name
            if name not in {r.operation.function.name for r in inferred.rejected}:
                inferred.rejected.append(replace(rejected, operation=failed.operation))
            inferred.spared.add(name)
            return True
        spared.remove(failed.place)
        tries.forget()
    return False


def reject_sharing(tries: Tries) -> None:
    """Reject the functions that execute the same allocation without a test as one that is rejected."""
    clients, inferred = tries.clients, tries.inferred
    spared, accepted = clients.spared, inferred.accepted
    if not spared:
        return
    program = clients.write(inferred.types, accepted)[1]
    sharing = [o for o in accepted if executes_spared(program, o.function.name, spared)]
    for operation in sharing:
        name = operation.function.name
        if name in inferred.spared or tries.is_over:
            continue
        clients.spared = {place for place in spared if not executes_spared(program, name, [place])}
        inferred.accepted = [o for o in accepted if o not in sharing or (o.makes and o != operation)]
        tries.forget()
        rejected = tries.one(operation, TRIAL_STATES).rejected
        if rejected is not None:
            inferred.rejected.append(rejected)
            inferred.spared.add(name)
    clients.spared, inferred.accepted = spared, accepted
    tries.forget()

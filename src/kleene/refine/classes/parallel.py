"""FineTune's simulations in parallel processes: the paper's most expensive part, and the simulations are independent.

Only texts and numbers cross the border between processes: the workers are forked, and have the task already.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection

from kleene.refine.classes.finetune import PATH, Answer, Tester, sequential, simulate_once
from kleene.refine.classes.generators import Generator
from kleene.refine.model import Abstraction, Models
from kleene.refine.tree.reachability_tree import ErrorPath


def parallel(models: Models, abstraction: Abstraction, path: ErrorPath, *, level: int = PATH) -> Tester:
    """Simulations side by side; one after the other where processes cannot be forked."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return sequential(models, abstraction, path, level=level)
    context = multiprocessing.get_context("fork")

    def test(generators: Sequence[Generator], most: int) -> list[Answer]:
        if len(generators) == 1:
            return sequential(models, abstraction, path, level=level)(generators, most)
        workers = []
        for generator in generators:
            here, there = context.Pipe(duplex=False)
            tuned = abstraction.with_generator(generator)
            process = context.Process(target=_answer, args=(there, models, tuned, path, most, level))
            process.start()
            there.close()
            workers.append((process, here))
        answers: list[Answer] = []
        try:
            for _, end in workers:
                try:
                    answers.append(end.recv())
                except EOFError:  # the worker died, for want of memory perhaps: it ruled nothing out
                    answers.append(Answer(rules_out=False))
        finally:  # a limit that is reached here ends the workers too
            for process, _ in workers:
                if len(answers) < len(workers):
                    process.kill()
                process.join()
        return answers

    return test


def _answer(end: Connection, models: Models, abstraction: Abstraction, path: ErrorPath, most: int, level: int) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)  # the parent watches the time
    end.send(simulate_once(models, abstraction, path, most, level=level))

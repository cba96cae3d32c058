"""Nodes with a function and its argument: which function a node has is known also where numbers tell no nodes apart.

The attempt without numbers is asked alone (`semantics/vocabulary/predicates.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

CALLBACKS = """
#include <stdlib.h>
extern int nondet(void);
struct job { void (*run)(void *); void *argument; int due; struct job *next; };
static void count(void *at) { ++*(int *)at; }
static void nothing(void *at) { (void)at; }
int main(void) {
    struct job *jobs = 0;
    int number = 0;
    while (nondet()) {
        struct job *job = malloc(sizeof *job);
        if (!job) break;
        int counts = nondet();
        job->run = counts ? count : nothing;
        job->argument = counts ? &number : 0;
        job->due = nondet() ? 3 : 5;
        job->next = jobs;
        jobs = job;
    }
    while (jobs) {
        struct job *job = jobs;
        jobs = job->next;
        if (job->due < 4) job->run(job->argument);
        free(job);
    }
    return 0;
}
"""
CHANGED = {
    "the other argument": ("counts ? &number : 0", "counts ? 0 : &number"),
    "the other function": ("counts ? count : nothing", "counts ? nothing : count"),
    "a function of none": ("counts ? count : nothing", "counts ? count : 0"),
    "another function later": ("job->next = jobs;", "job->next = jobs; if (jobs) jobs->run = count;"),
    "another argument later": ("job->next = jobs;", "job->next = jobs; if (jobs) jobs->argument = 0;"),
}


def test_callbacks_in_nodes_are_proved(tmp_path: Path) -> None:
    assert is_proved_by("no numbers", CALLBACKS, tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in CALLBACKS
    assert not is_proved_by("no numbers", CALLBACKS.replace(*CHANGED[name]), tmp_path)

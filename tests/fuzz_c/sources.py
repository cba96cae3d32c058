"""Where programs come from: mutants of the corpus, and generators by topic; all deterministic in a seed."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path

from tests.fuzz_c.candidates import Candidate
from tests.fuzz_c.generators import (
    arenas,
    bits,
    blocks,
    chosen,
    contracts,
    copies,
    counts,
    elements,
    ends,
    fields,
    followed,
    lengths,
    members,
    numbers,
    owners,
    recursive,
    results,
    rounds,
    several,
    steps,
    structures,
    tables,
    text,
)
from tests.fuzz_c.mutants import Edit, edits, whole_text

ROOT = Path(__file__).resolve().parents[2]
GENERATORS: Mapping[str, Callable[[int], str]] = {
    "structures": structures.program,
    "recursive": recursive.program,
    "numbers": numbers.program,
    "members": members.program,
    "copies": copies.program,
    "tables": tables.program,
    "contracts": contracts.program,
    "counts": counts.program,
    "blocks": blocks.program,
    "elements": elements.program,
    "several": several.program,
    "chosen": chosen.program,
    "text": text.program,
    "fields": fields.program,
    "owners": owners.program,
    "followed": followed.program,
    "results": results.program,
    "bits": bits.program,
    "rounds": rounds.program,
    "arenas": arenas.program,
    "ends": ends.program,
    "steps": steps.program,
    "lengths": lengths.program,
}
TOPICS = ("mutant", "near", *GENERATORS)
SEEDS = ROOT / "tests" / "fuzz_c" / "seeds"
"""Right programs in folders that name the attempts that prove them."""
_SECOND_EDIT = 0.15
"""The share of mutants with two edits."""


def candidates(topics: tuple[str, ...], start: int) -> Iterator[Candidate]:
    """Programs of the topics in turn, without end."""
    streams = [_stream(topic, start) for topic in topics]
    while True:
        for stream in streams:
            yield next(stream)


def _stream(topic: str, start: int) -> Iterator[Candidate]:
    if topic == "mutant":
        return _mutants(corpus(), start)
    if topic == "near":
        return (replace(c, origin=c.origin.replace("mutant", "near", 1)) for c in _mutants(seeds(), start))
    return _generated(topic, start)


def _generated(topic: str, start: int) -> Iterator[Candidate]:
    for seed in count(start):
        yield Candidate(f"{topic}:{seed}", GENERATORS[topic](seed), malloc_may_fail=topic in ("contracts", "owners"))


@cache
def corpus() -> tuple[Path, ...]:
    """The programs of the corpus that are right, those that do not say, and those that were once proved wrongly."""
    tests = ROOT / "tests"
    folders = (ROOT / "examples" / "c", tests / "corpus_c", tests / "unsafe_c")
    files = sorted(file for folder in folders for file in folder.rglob("*.c"))
    return tuple(file for file in files if _whole(file) is not None)


@cache
def seeds() -> tuple[Path, ...]:
    """Right programs that one attempt proves alone: their mutants are nearest to what it could prove wrongly."""
    return tuple(sorted(SEEDS.rglob("*.c")))


@cache
def _whole(file: Path) -> str | None:
    """The text of a program with its other files; None for one that is known to be wrong, or is a part of another."""
    text = file.read_text(encoding="utf-8")
    expected = re.search(r"^// EXPECT: (.*)$", text, re.MULTILINE)
    if (expected and "FALSE" in expected[1]) or "// FAILS:" in text or not re.search(r"\bmain\b", text):
        return None
    if re.search(r"structor|atexit|\bstdin\b|getchar|scanf", text):
        return None  # all programs of a binary would run them; the inputs of the harness are its standard input
    if re.search(r"\balias\b|\bweakref\b|\basm\b|\b__asm__\b", text):
        return None  # names in texts: those of the harness have numbers (`renamed`)
    run = re.match(r"// RUN: kleene check ?(.*)\n", text)
    more = [word for word in (run[1].split() if run else []) if word.endswith(".c")]
    return whole_text([file, *(file.parent / name for name in more)])


@cache
def _edits(file: Path) -> tuple[Edit, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(_whole(file) or "", encoding="utf-8")
        return tuple(edits(path))


def _mutants(files: tuple[Path, ...], start: int) -> Iterator[Candidate]:
    """The n-th mutant is one of the n-th program; the kinds of edits are equally likely."""
    for seed in count(start):
        file = files[seed % len(files)]
        yield mutant(file, seed)


def mutant(file: Path, seed: int) -> Candidate:
    """One mutant of a program of the corpus."""
    chooser = random.Random(seed)
    source = (_whole(file) or "").encode()
    first = _choose(chooser, _edits(file))
    text, kind = first.apply(source), first.kind
    if chooser.random() < _SECOND_EDIT:
        second = _choose(chooser, tuple(e for e in _edits(file) if e.end <= first.start) or (first,))
        if second is not first:
            text, kind = second.apply(text), f"{second.kind} and {kind}"
    never_fails = re.search(rb"^// RUN:.*(--malloc-never-fails|--svcomp)", source) is not None
    name = file.relative_to(ROOT)
    return Candidate(f"mutant:{seed}: {name}: {kind}", text.decode(), malloc_may_fail=not never_fails)


def _choose(chooser: random.Random, among: tuple[Edit, ...]) -> Edit:
    kind = chooser.choice(sorted({edit.kind for edit in among}))
    return chooser.choice([edit for edit in among if edit.kind == kind])

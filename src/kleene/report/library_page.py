"""The result of `kleene check --library` as one self-contained page.

A row for each function, the errors with the runs that show them, the invariants in words and pictures, the contracts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from kleene.core.verdict import Verdict
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.report.check.film_view import sources_of
from kleene.report.check.finding_articles import film_places, finding_article
from kleene.report.check.page import MOST_SHAPES, VERDICT_CLASSES, loop_article
from kleene.report.check.shape_words import Invariant, for_drawing
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.library_report import WORDS
from kleene.report.pages import Album, render
from kleene.results.library import LibraryReport
from kleene.structures.structure import Structure, StructureBuilder


def of_objects(structure: Structure, labels: Iterable[str]) -> Structure:
    """The blocks of a drawn structure that objects lead to, with the pointers to objects and the members.

    The client has numbers, texts and other variables that the library does not have.
    """
    named = [p for p in structure.vocabulary.declared if p.pointer and p.arity == 1 and p.name in set(labels)]
    members = [p for p in structure.vocabulary.declared if p.arity > 1]
    waiting = [u for p in named for (u,), value in structure.entries(p.name) if value is not Kleene.FALSE]
    kept: dict[int, None] = {}
    while waiting:
        node = waiting.pop(0)
        if node not in kept:
            kept[node] = None
            entries = (
                nodes for p in members for nodes, value in structure.entries(p.name) if value is not Kleene.FALSE
            )
            waiting += [nodes[1] for nodes in entries if nodes[0] == node]
    numbers = {old: new for new, old in enumerate(kept)}
    builder = StructureBuilder(Vocabulary((*named, *members)), len(kept))
    for p in (*named, *members):
        for nodes, value in structure.entries(p.name):
            if set(nodes) <= numbers.keys():
                builder.set(p.name, tuple(numbers[u] for u in nodes), value)
    for node in kept:
        if structure.is_summary(node):
            builder.set("sm", (numbers[node],), Kleene.UNKNOWN)
    return builder.build()


def library_html(report: LibraryReport, head: Invariant | None) -> str:
    """The page of a library; `head` has the structures at the head of the client's loop."""
    if head is not None:
        pictures = {
            of_objects(for_drawing(s, head.names), report.labels.values()): s for s in reversed(head.structures)
        }
        head = replace(head, structures=list(reversed(pictures.values())))
    drawn = [] if head is None else list(reversed(pictures))[:MOST_SHAPES]
    album = Album(DrawingOptions(rotate=True, names=False), drawn)
    films: list[dict[str, Any]] = []
    findings = [
        (f.sequence, finding_article(f.finding, f.run, films))
        for f in report.functions
        if f.finding is not None and f.verdict is Verdict.FALSE
    ]
    shapes = None if head is None else loop_article(head, drawn, album)
    return render(
        "library.html.j2",
        album,
        data={"films": films, "sources": sources_of(film_places(films)), "lines": []},
        title=f"{report.file}: {report.verdict}",
        report=report,
        classes=VERDICT_CLASSES,
        words=WORDS,
        proved=sum(f.verdict is Verdict.TRUE for f in report.functions),
        findings=findings,
        shapes=shapes,
        contracts=[f for f in report.functions if f.contract],
        **({} if drawn else {"legend": ()}),
    )

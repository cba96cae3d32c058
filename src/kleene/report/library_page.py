"""The result of `kleene check --library` as one self-contained page.

A row for each function, the errors with the runs that show them, the invariants in words and pictures, the contracts.
"""

from __future__ import annotations

from typing import Any

from kleene.core.verdict import Verdict
from kleene.report.check.film_view import sources_of
from kleene.report.check.finding_articles import film_places, finding_article
from kleene.report.check.page import MOST_SHAPES, VERDICT_CLASSES, loop_article
from kleene.report.check.shape_words import Invariant, for_drawing
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.library_report import WORDS
from kleene.report.pages import Album, render
from kleene.results.library import LibraryReport


def library_html(report: LibraryReport, head: Invariant | None) -> str:
    """The page of a library; `head` has the structures at the head of the client's loop."""
    drawn = [] if head is None else [for_drawing(s, head.names) for s in head.structures[:MOST_SHAPES]]
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

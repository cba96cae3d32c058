"""Table, JSON and HTML of a run, and the pages of `kleene show`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_samples import build, empty_structure, list_structure, ring_structure, run_report

from kleene.report.run.json import run_document, run_json, schema, structure_document
from kleene.report.run.page import HtmlOptions, html_report
from kleene.report.run.result import LocationReport
from kleene.report.run.table import run_table
from kleene.report.show import show_dot, show_html, show_svg, show_text

ROOT = Path(__file__).parents[3]

TABLE = """\
reverse.tvp: messages
warning: something is odd

location  structures  max nodes  messages
--------  ----------  ---------  --------
L1                 2          2         -
L2                 2          2         2
exit               0          -         -

x may be null: 2 times at L2
    reverse.tvp:12:3

4 structures stored, 9 generated, 3 discarded; at most 2 nodes; 2 messages
0.75 s; load 0.25 s, analysis 0.50 s; 18 structures a second; 64 MiB
focus 0.12 s; rest 0.38 s
"""


class WellFormed(HTMLParser):
    """Checks that elements nest, ids are unique, and collects what a page refers to."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "action", "xlink:href", "data", "srcset"):
                self.references.append(value or "")


def check_page(page: str) -> WellFormed:
    parsed = WellFormed(page)
    assert all(reference.startswith("#") for reference in parsed.references)
    assert {reference[1:] for reference in parsed.references} <= set(parsed.ids)
    assert "url(" not in page
    assert "@import" not in page
    outside = re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", page)
    assert "http:" not in outside
    assert "https:" not in outside
    return parsed


def test_table() -> None:
    assert run_table(run_report()) == TABLE
    assert "\x1b[31mmessages" in run_table(run_report(), color=True)


def test_json_follows_its_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    for options in ({"structures": True}, {"structures": False}):
        jsonschema.validate(json.loads(run_json(run_report(), **options)), schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(run_document(run_report()) | {"verdict": "fine"}, schema())


def test_the_shipped_schema_is_the_documented_one() -> None:
    documented = (ROOT / "docs" / "reference" / "run.schema.json").read_text(encoding="utf-8")
    assert json.loads(documented) == schema()


def test_json_of_a_run() -> None:
    document = json.loads(run_json(run_report()))
    assert document == run_document(run_report())
    assert list(document)[:7] == ["schema", "program", "verdict", "reason", "locations", "totals", "seconds"]
    assert document["locations"]["L2"]["structures"] == 2
    assert document["locations"]["L2"]["messages"][0]["text"] == "x may be null"
    assert document["totals"]["structures_per_second"] == 18.0
    assert [s["nodes"] for s in document["structures"]["L1"]] == [0, 2]


def test_json_of_a_structure() -> None:
    assert structure_document(list_structure()) == {
        "nodes": 2,
        "summary": [1],
        "maybe_active": [],
        "predicates": {
            "x": {"1": [[0]]},
            "y": {"1/2": [[1]]},
            "n": {"1/2": [[0, 1], [1, 1]]},
            "r[n,x]": {"1": [[0]], "1/2": [[1]]},
            "t[n]": {"1": [[0, 0]], "1/2": [[0, 1], [1, 1]]},
            "nn[x]": {"1": [[]]},
        },
    }


def test_json_does_not_depend_on_the_order_of_structures() -> None:
    report = run_report()
    turned = tuple(replace(loc, structures=loc.structures[::-1]) for loc in report.locations)
    assert run_json(replace(report, locations=turned)) == run_json(report)


def test_html_is_one_well_formed_page() -> None:
    page = html_report(run_report())
    parsed = check_page(page)
    text = "".join(parsed.text)
    assert "breached at u0" in text
    assert "x may be null" in text
    assert "reverse.tvp:12:3" in text
    assert "use" in parsed.tags  # the list is drawn once and shown several times
    assert "symbol" in parsed.tags
    assert 'data-predicate="p-t_5b_n_5d_"' in page


def test_html_escapes_what_it_is_given() -> None:
    evil = "<script>alert(1)</script>\"'&"
    report = replace(
        run_report(program=evil, text=evil),
        warnings=(evil,),
        options={evil: evil},
        edges=(("L1", evil, "L2"),),
        reason=evil,
    )
    parsed = check_page(html_report(report))
    assert parsed.tags.count("script") == 2, "the data of the page and its own script"
    assert evil in "".join(parsed.text)


def test_html_says_what_it_does_not_draw() -> None:
    many = tuple(build(n, []) for n in range(1, 13))
    report = replace(run_report(), locations=(LocationReport("L1", many),), explanations=())
    text = "".join(check_page(html_report(report, HtmlOptions(structures_per_location=5))).text)
    assert "7 more structures are not drawn here" in text
    text = "".join(check_page(html_report(report, HtmlOptions(structures_in_total=2, cfg_locations=1))).text)
    assert "10 more structures are not drawn here" in text
    assert "is not drawn" in text


def test_html_respects_the_print_list() -> None:
    text = "".join(check_page(html_report(replace(run_report(), shown_locations=("L2",)))).text)
    assert text.count("print list leaves this location out") == 2


def test_show() -> None:
    structures = [list_structure(), ring_structure(), empty_structure()]
    text = show_text(structures)
    assert text.startswith("structure 1 (2 nodes)\n  x -> u0")
    assert "structure 3 (0 nodes)\n  (no nodes)" in text
    assert show_dot(structures).count("digraph") == 3
    assert [svg[:4] for svg in show_svg(structures)] == ["<svg"] * 3
    page = "".join(check_page(show_html(structures, title="a.tvs", limit=2)).text)
    assert "a.tvs" in page
    assert "1 more structure is not drawn here" in page


def test_reports_do_not_depend_on_hashes() -> None:
    code = (
        "from report_samples import *\n"
        "from kleene.report.run.page import html_report\n"
        "from kleene.report.run.json import run_json\n"
        "from kleene.report.run.table import run_table\n"
        "import hashlib\n"
        "r = run_report()\n"
        "text = html_report(r) + run_json(r) + run_table(r)\n"
        "assert text == html_report(r) + run_json(r) + run_table(r)\n"
        "import sys; sys.stdout.write(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    digests = set()
    for seed in ("0", "1", "77"):
        path = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent)])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        digests.add(run.stdout)
    assert len(digests) == 1

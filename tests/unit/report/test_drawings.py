"""DOT, SVG and terminal drawings of single structures."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from report_samples import F, H, T, build, empty_structure, list_structure, ring_structure

from kleene.diagnostics import KleeneError
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.drawing.dot import CfgDrawing, cfg_dot, predicate_class, structure_dot
from kleene.report.drawing.picture import DrawingOptions, picture_of, predicates_in
from kleene.report.drawing.svg import SvgPainter, structure_svg, svg_of_dot
from kleene.report.drawing.terminal import structure_line, structure_text
from kleene.structures.structure import StructureBuilder

LIST_DOT = """\
  n0 [label="u0\\nr[n,x]", class="individual named"];
  n1 [peripheries=2, style=dotted, label="u1\\nr[n,x] = 1/2", class="individual named summary"];
  b0 [shape=box, width=0.25, height=0.25, label="x", class="pointer k p-x"];
  b0 -> n0 [class="pointer k p-x"];
  b1 [shape=box, width=0.25, height=0.25, label="y", class="pointer k p-y"];
  b1 -> n1 [class="pointer k p-y", style=dotted];
  n0 -> n1 [label=" n, t[n] ", class="k p-n p-t_5b_n_5d_", style=dotted];
  n1 -> n1 [label=" n ", class="k p-n", style=dotted];
"""


def test_dot_of_a_list() -> None:
    assert LIST_DOT in structure_dot(list_structure())


def test_dot_of_a_ring() -> None:
    dot = structure_dot(ring_structure())
    assert 'n0 -> n1 [label=" n ", class="k p-n", dir=both];' in dot
    assert 'n0 -> n1 [label=" b ", class="k p-b"];' in dot
    assert 'color="#2c9f4b"' in dot
    assert "between(u0, u1, u1) = 1/2\\l" in dot
    assert "nn[y] = 1/2" in dot


def test_implied_self_loops_are_drawn_on_request() -> None:
    loops = [e for e in picture_of(list_structure(), DrawingOptions(reflexive=True)).edges if "t[n]" in e.predicates]
    assert [(e.source, e.target) for e in loops] == [(0, 0), (0, 1), (1, 1)]
    edges = picture_of(build(1, [("t[n]", (0, 0), H)])).edges  # 1/2 on a node says more than reflexivity
    assert [e.predicates for e in edges] == [("t[n]",)]


def test_only_and_hide() -> None:
    structure = list_structure()
    assert predicates_in(picture_of(structure, DrawingOptions(only=frozenset({"n", "x"})))) == {"n", "x"}
    assert "t[n]" not in structure_dot(structure, DrawingOptions(hide=frozenset({"t[n]"})))
    assert "rankdir=LR" in structure_dot(structure, DrawingOptions(rotate=True))


def test_values_that_are_shown_follow_the_declaration() -> None:
    vocabulary = Vocabulary().extend(
        [Predicate("e", 2, shown=frozenset((F,))), Predicate("u", 1, shown=frozenset((T,)))]
    )
    builder = StructureBuilder(vocabulary, 2)
    builder.set("e", (0, 1), T)
    builder.set("u", (0,), H)
    picture = picture_of(builder.build())
    assert [(e.source, e.target, e.both) for e in picture.edges] == [
        (0, 0, False),
        (1, 0, False),
        (1, 1, False),
    ]
    assert all(not node.labels for node in picture.nodes)
    assert 'color="#d23b3b"' in structure_dot(builder.build())


def test_text_drawing() -> None:
    assert structure_text(list_structure()).splitlines() == [
        "x -> u0 {r[n,x]}   u1* {r[n,x]=1/2}   y .> u1*",
        "u0 .n,t[n].> u1*   u1* .n.> u1*",
        "nn[x]   nn[y]=0",
    ]
    assert structure_line(ring_structure()) == (
        "x -> u0   u1?   u0 -b-> u1?   u0 <-n-> u1?   nn[x]   nn[y]=1/2   between(u0,u1?,u1?)=1/2"
    )
    assert structure_text(empty_structure()).startswith("(no nodes)")
    assert all(len(line) <= 40 for line in structure_text(list_structure(), width=40).splitlines())


@pytest.mark.parametrize("make", [list_structure, ring_structure, empty_structure])
def test_svg_can_be_put_inline(make) -> None:  # type: ignore[no-untyped-def]
    svg = structure_svg(make())
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert svg.startswith("<svg")
    assert ' id="' not in svg
    assert "xlink" not in svg
    assert "black" not in svg
    assert not [e for e in root.iter() if e.get("fill") == "white"]


def test_every_predicate_of_an_svg_has_its_class() -> None:
    svg = structure_svg(list_structure())
    for name in predicates_in(picture_of(list_structure())):
        assert predicate_class(name) in svg
    assert '<tspan class="k p-n">n</tspan><tspan class="comma">, </tspan>' in svg


def test_equal_structures_are_drawn_once() -> None:
    painter = SvgPainter()
    assert painter.structure(list_structure()) is painter.structure(list_structure())


def test_a_layout_that_fails_is_a_clear_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KleeneError, match="Graphviz could not lay out"):
        svg_of_dot("digraph { a -> ")
    assert capfd.readouterr().err == ""


HOSTILE = [
    '<script>alert("1")</script>',
    'a\\N"b',
    "&lt;x&gt;",
    "]]>",
    "a, b",
    "\x00\x1b",
    "\N{SNOWMAN}",
    "</svg>",
    "\\",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str) -> None:
    vocabulary = Vocabulary().extend(
        [Predicate(f"{name}{arity}", arity) for arity in range(4)] + [Predicate(f"{name}p", 1, pointer=True)]
    )
    builder = StructureBuilder(vocabulary, 2, (name, name + "'"))
    for p in vocabulary.declared:
        builder.fill(p.name, T)
    root = ET.fromstring(structure_svg(builder.build()))
    assert not [e for e in root.iter() if "script" in e.tag]
    text = "".join(root.itertext())
    if name.isprintable():
        assert f"{name}1" in text
        assert f"{name}2" in text
        assert f"{name}0" in text


def test_classes_of_different_predicates_differ() -> None:
    names = ["n", "t[n]", "t_n_", "t_5b_n_5d_", "t", "t[n,m]", "t.n", "é"]
    assert len({predicate_class(name) for name in names}) == len(names)


def test_dot_of_a_control_flow_graph() -> None:
    edges = (("L1", "x = y", "L2"), ("L1", "y = x", "L2"), ("L2", 'say "hi"', "L1"))
    drawing = CfgDrawing({"L1": "2 structures"}, {"L1": "#location-0"}, flagged=["L2"])
    dot = cfg_dot("L1", edges, drawing)
    assert 'l0 [label="L1\\n2 structures", shape=box, style="rounded", URL="#location-0", class="location"];' in dot
    assert 'l0 -> l1 [label=" x = y \\n y = x "];' in dot
    assert 'label=" say \\"hi\\" "' in dot
    svg = svg_of_dot(dot, ids="cfg")
    assert '<a href="#location-0"' in svg
    assert ET.fromstring(svg).tag.endswith("svg")

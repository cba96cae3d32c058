"""Certificates that are damaged are refused; those that are forged, with a digest that fits, prove nothing wrong."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.refine.helpers import written

from kleene.analysis.c.certificates import digest_of, recheck
from kleene.cli import run_main
from kleene.diagnostics import InputError, UsageError

Document = dict[str, Any]
SAFE = """
#include <stdlib.h>
#include <assert.h>
#include "word.h"
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
void reach_error(void) { }
int fails(void) { struct node *n = NULL; n->next = n; return 0; }
int main(void) {
    struct node *list = NULL, *n;
#ifndef KIND
    fails();
#endif
    if (__VERIFIER_nondet_int()) { reach_error(); fails(); }
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    while (list) { n = list->next; free(list); list = n; }
    return 0;
}
"""
OPTIONS = ("-D", "KIND", "--malloc-never-fails", "--property", "memsafety", "--property", "unreach")
WRONG_PROPERTIES = ("memcleanup", "assert", "unreach")


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Document]:
    """A program that is safe only as it is read, up to a call of reach_error, and its certificate."""
    folder = tmp_path_factory.mktemp("proof")
    (folder / "word.h").write_text("typedef int word;\n", encoding="utf-8")
    program, certificate = written(folder, SAFE), folder / "proof.json"
    run_main(["check", str(program), *OPTIONS, "--certificate", str(certificate)])
    return certificate, json.loads(certificate.read_text(encoding="utf-8"))


def signed(document: Document) -> Document:
    body = {key: value for key, value in document.items() if key != "digest"}
    return {**body, "digest": digest_of(body)}


def accepts(folder: Path, document: Document) -> bool:
    """Whether a document is accepted as a proof; a problem is one of its kinds, never another exception."""
    path = folder / "forged.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        return not recheck(str(path)).problems
    except (InputError, UsageError):
        return False


def test_what_is_proved_is_printed(proof: tuple[Path, Document], capsys: pytest.CaptureFixture[str]) -> None:
    certificate, _ = proof
    assert run_main(["recheck", str(certificate)]) == 0
    out = capsys.readouterr().out
    assert "proves memsafety" in out
    assert "up to a call of reach_error, which it does not exclude" in out
    assert "read with entry main, LP64, malloc that never fails, abort as no exit, -DKIND" in out


def test_every_damage_is_refused_in_one_line(
    proof: tuple[Path, Document], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate, document = proof
    text = certificate.read_text(encoding="utf-8")
    damaged = [text[: len(text) // 2], "", text.replace('"main"', '"fails"'), text[:-20], "null", "3", '"x"']
    damaged += [json.dumps({k: v for k, v in document.items() if k != key}) for key in document]
    damaged += [json.dumps({**document, key: None}) for key in document]
    damaged += [json.dumps({**document, "more": 1}), json.dumps(signed({**document, "more": 1}))]
    others = [(key, value) for key in document for value in (None, 7, "x", [], {}) if document[key] != value]
    damaged += [json.dumps(signed({**document, key: value})) for key, value in others if key != "digest"]
    path = tmp_path / "damaged.json"
    for content in damaged:
        path.write_text(content, encoding="utf-8")
        code = run_main(["recheck", str(path)])
        captured = capsys.readouterr()
        assert code in (1, 2), f"accepted: {content[:2000]}"
        assert "Traceback" not in captured.err
        assert len(captured.err.strip().splitlines()) == (1 if code == 2 else 0), captured.err


def test_another_version_is_refused(proof: tuple[Path, Document], tmp_path: Path) -> None:
    _, document = proof
    path = tmp_path / "old.json"
    for key, value in (("tool", "0.0.1"), ("schema", "kleene.certificate/3")):
        path.write_text(json.dumps(signed({**document, key: value})), encoding="utf-8")
        with pytest.raises(InputError, match="prove the program again"):
            recheck(str(path))


@pytest.mark.parametrize("name", ["program.c", "word.h"])
def test_files_that_change_are_refused(proof: tuple[Path, Document], name: str) -> None:
    certificate, _ = proof
    changed = certificate.parent / name
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text + "\n", encoding="utf-8")
    try:
        with pytest.raises(InputError, match="is not the file that was proved"):
            recheck(str(certificate))
    finally:
        changed.write_text(text, encoding="utf-8")


FORGED: dict[str, Callable[[Document], Document]] = {
    "malloc may fail": lambda d: {**d, "options": {**d["options"], "malloc_may_fail": True}},
    "a flag that is a text": lambda d: {**d, "options": {**d["options"], "malloc_may_fail": "false"}},
    "no macro": lambda d: {**d, "options": {**d["options"], "flags": []}},
    "another entry": lambda d: {**d, "options": {**d["options"], "entry": "fails"}},
    "another machine": lambda d: {**d, "options": {**d["options"], "data_model": "PDP11"}},
    "errors of its own": lambda d: {**d, "options": {**d["options"], "errors": []}},
    "not asked about reach_error": lambda d: {**d, "asked": ["memsafety"]},
    "nothing proved": lambda d: {**d, "properties": []},
    "a property that is not known": lambda d: {**d, "properties": ["everything"]},
    "no file": lambda d: {**d, "files": []},
    "no header": lambda d: {**d, "headers": []},
    "no graphs": lambda d: {**d, "locations": {}},
    "a location that is not there": lambda d: {**d, "locations": {**d["locations"], "nowhere": []}},
    "as if with images": lambda d: {**d, "images": True},
    **{
        f"also {name}": lambda d, name=name: {**d, "properties": [*d["properties"], name], "asked": ["memsafety", name]}
        for name in WRONG_PROPERTIES
    },
    **{
        f"also {name}, asked before": lambda d, name=name: {
            **d, "properties": ["memsafety", name], "asked": ["memsafety", "unreach", "assert", "memcleanup"]
        }
        for name in ("unreach",)
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_claim_is_not_accepted(proof: tuple[Path, Document], tmp_path: Path, name: str) -> None:
    """The errors that count, the macros and whether malloc fails were believed: an added property was 'proved'."""
    _, document = proof
    assert accepts(tmp_path, signed(document))
    assert not accepts(tmp_path, signed(FORGED[name](document)))


def test_no_location_and_no_graph_can_be_left_out(proof: tuple[Path, Document], tmp_path: Path) -> None:
    _, document = proof
    locations = document["locations"]
    for name, graphs in locations.items():
        if name.endswith("exit"):  # nothing follows the last location
            continue
        assert not accepts(tmp_path, signed({**document, "locations": {**locations, name: []}})), name
        less = {**locations, name: graphs[1:]}
        others = [g for g in graphs[1:] if g[0] >= graphs[0][0]]
        if not others:  # else another graph may cover the one that is gone
            assert not accepts(tmp_path, signed({**document, "locations": less})), name


def _bits(rng: random.Random, document: Document) -> Document:
    """Some rails of some graphs changed: stronger, weaker, contradictory."""
    locations = json.loads(json.dumps(document["locations"]))
    for _ in range(rng.choice((1, 1, 2, 5))):
        graphs = locations[rng.choice(sorted(locations))]
        if graphs:
            size, rails = rng.choice(graphs)
            number = rng.randrange(len(rails))
            rails[number] = format(int(rails[number], 16) ^ (1 << rng.randrange(max(1, size * size))), "x")
    return {**document, "locations": locations}


def _choices(rng: random.Random, document: Document) -> Document:
    """A part of the abstraction changed."""
    forged = json.loads(json.dumps(document))
    part = rng.choice((forged["tracking"], forged["generators"][0]["roles"], forged["active"]))
    if part:
        values = part[rng.choice(sorted(part))]
        values.pop(rng.randrange(len(values))) if values and rng.random() < 0.6 else values.append("next")
    return forged


UNSAFE = {
    "a list that is freed twice": ("free(list); list = n;", "free(list); free(list); list = n;"),
    "a node that is used after it": (
        "{ n = list->next; free(list); list = n; }",
        "{ n = list; free(list); list = n->next; }",
    ),
    "a node that is lost": ("n->next = list;", "n->next = NULL;"),
}


def of_unsafe(folder: Path, document: Document, name: str) -> Document:
    """The certificate of the safe program, for the file of a program with an error."""
    old, new = UNSAFE[name]
    assert old in SAFE
    program = written(folder, SAFE.replace(old, new))
    (folder / "word.h").write_text("typedef int word;\n", encoding="utf-8")
    entries = {
        key: [{"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}]
        for key, path in (("files", program), ("headers", folder / "word.h"))
    }
    return {**document, **entries}


@pytest.mark.parametrize("name", UNSAFE)
def test_no_forged_proof_of_an_unsafe_program(proof: tuple[Path, Document], tmp_path: Path, name: str) -> None:
    """The graphs of the safe program, mutated, for the file of a program with an error."""
    document = of_unsafe(tmp_path, proof[1], name)
    rng = random.Random(f"forged {name}")
    for _ in range(25):
        assert not accepts(tmp_path, signed(rng.choice((_bits, _choices))(rng, document)))


Graph = tuple[int, list[str]]


def _each_graph(document: Document, change: Callable[[int, list[str], list[str]], Graph]) -> Document:
    """Every graph changed; `change` gets the number of nodes, the names of the predicates and the rails."""
    names = [name for name, _ in document["predicates"]]
    locations = {
        place: [change(size, names, list(rails)) for size, rails in graphs]
        for place, graphs in document["locations"].items()
    }
    return {**document, "locations": locations}


def _without_nodes(size: int, names: list[str], rails: list[str]) -> Graph:
    """No node is active: none of them is in a state, says the graph."""
    at = 2 * names.index("ac")
    rails[at : at + 2] = "0", "0"
    return size, rails


def _doubtful_nodes(size: int, names: list[str], rails: list[str]) -> Graph:
    """Every node may be absent."""
    rails[2 * names.index("ac")] = "0"
    return size, rails


def _one_of_each(size: int, names: list[str], rails: list[str]) -> Graph:
    """No node stands for several."""
    rails[2 * names.index("sm") + 1] = "0"
    return size, rails


def _nothing_known(size: int, names: list[str], rails: list[str]) -> Graph:
    """Nothing is certain."""
    active = 2 * names.index("ac")
    return size, [rail if k in (active, active + 1) or k % 2 else "0" for k, rail in enumerate(rails)]


def _nothing_holds(size: int, names: list[str], rails: list[str]) -> Graph:
    """Every predicate is false, of all nodes that there are."""
    kept = {2 * names.index(name) + k for name in ("ac", "sm") for k in (0, 1)}
    return size, [rail if k in kept else "0" for k, rail in enumerate(rails)]


def _part(document: Document, key: str, **values: object) -> Document:
    return {**document, key: {**document[key], **values}}


def _roles(document: Document, **values: object) -> Document:
    first, *others = document["generators"]
    return {**document, "generators": [_part(first, "roles", **values), *others]}


def _forward(document: Document) -> list[str]:
    return sorted({*document["generators"][0]["roles"]["forward"], "next"})


def _graphs_of_the_entry(document: Document) -> Document:
    first, *_ = (graphs for graphs in document["locations"].values() if graphs)
    return {**document, "locations": dict.fromkeys(document["locations"], first)}


BY_HAND: dict[str, Callable[[Document], Document]] = {
    "as it is": lambda d: d,
    "no node is active": lambda d: _each_graph(d, _without_nodes),
    "every node may be absent": lambda d: _each_graph(d, _doubtful_nodes),
    "no summary": lambda d: _each_graph(d, _one_of_each),
    "nothing is certain": lambda d: _each_graph(d, _nothing_known),
    "nothing holds": lambda d: _each_graph(d, _nothing_holds),
    "the same graphs everywhere": _graphs_of_the_entry,
    "no graph at all": lambda d: {**d, "locations": {name: [] for name in d["locations"]}},
    "nothing is tracked": lambda d: _part(d, "tracking", tracked=[], separating=[], fields=[], data=[], integers=[]),
    "the links are not used": lambda d: _roles(d, unused=_forward(d), forward=[]),
    "the links lead back": lambda d: _roles(d, back=_forward(d)),
    "nothing is active": lambda d: {**d, "active": {name: [] for name in d["active"]}},
}


@pytest.mark.parametrize("name", BY_HAND)
def test_no_proof_of_an_unsafe_program_by_hand(proof: tuple[Path, Document], tmp_path: Path, name: str) -> None:
    for unsafe in UNSAFE:
        document = of_unsafe(tmp_path, proof[1], unsafe)
        assert not accepts(tmp_path, signed(BY_HAND[name](document))), unsafe


def test_stronger_graphs_of_the_safe_program_are_closed_or_refused(
    proof: tuple[Path, Document], tmp_path: Path
) -> None:
    """A mutation that is accepted must be a proof: it has as many locations, and it is stable under `recheck`."""
    _, document = proof
    rng = random.Random("stronger")
    refused = sum(not accepts(tmp_path, signed(_bits(rng, document))) for _ in range(25))
    assert refused >= 15

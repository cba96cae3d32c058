"""The parts of a certificate as data: each is read back as it was written, and what is not of its kind is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kleene import __version__
from kleene.analysis.c.certificates import _KEYS, SCHEMA, _Check, _document, digest_of, file_digest
from kleene.c.options import ReadOptions
from kleene.diagnostics import InputError
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.passes.facts.memory import StructureType
from kleene.refine.certificate import (
    _graph,
    _names,
    abstraction_document,
    abstraction_of,
    graphs_document,
)
from kleene.refine.classes.generators import Generator, Roles
from kleene.refine.classes.library import library
from kleene.refine.model import Abstraction
from kleene.refine.tracking.definition import Activity, TrackingDefinition
from kleene.structures.layout import MOST_NODES, layout_for
from kleene.structures.structure import SM_MUST, Structure, StructureBuilder

LIST = StructureType("list", frozenset({"next", "prev"}), frozenset({16}))
VOCABULARY = Vocabulary((Predicate("p", 1, ("v",)), Predicate("n", 2, ("v", "w")), Predicate("f", 0, ())))


def sample(size: int = 2) -> Structure:
    builder = StructureBuilder(VOCABULARY, size)
    builder.set("p", (0,), Kleene.TRUE)
    builder.set("p", (1,), Kleene.UNKNOWN)
    builder.set("n", (0, 1), Kleene.UNKNOWN)
    builder.set("sm", (1,), Kleene.UNKNOWN)
    return builder.build()


def texts(values: tuple[int, ...] | list[int]) -> list[str]:
    return [format(value, "x") for value in values]


def test_a_graph_is_read_back() -> None:
    structure = sample()
    document = graphs_document({"L1": [structure], "L2": []})
    assert document["predicates"] == [[p.name, p.arity] for p in VOCABULARY]
    ((size, values),) = document["locations"]["L1"]
    assert _graph(VOCABULARY, size, values, "L1") == structure
    assert document["locations"]["L2"] == []
    assert graphs_document({}) == {"predicates": [], "locations": {}}


def test_each_bit_of_a_graph() -> None:
    """A value that is 1 is not 0 too; nodes exist; a node is never known to stand for several."""
    structure = sample()
    values, full = list(structure.values), [layout_for(2).full(2, p.arity) for p in VOCABULARY]
    for rail in range(len(values)):
        for bit in range(70):
            changed = list(values)
            changed[rail] ^= 1 << bit
            fine = all(
                changed[2 * k] & ~changed[2 * k + 1] == 0 and changed[2 * k + 1] & ~full[k] == 0
                for k in range(len(full))
            ) and not changed[SM_MUST]  # fmt: skip
            if fine:
                assert _graph(VOCABULARY, 2, texts(changed), "L1").values == tuple(changed)
            else:
                with pytest.raises(InputError, match="is damaged"):
                    _graph(VOCABULARY, 2, texts(changed), "L1")


@pytest.mark.parametrize("size", [-1, MOST_NODES + 1, True, "2", 2.0, None])
def test_numbers_of_nodes_that_are_none(size: Any) -> None:
    with pytest.raises(InputError, match="nodes"):
        _graph(VOCABULARY, size, texts(sample().values), "L1")


def test_rails_that_are_none() -> None:
    values = list(sample().values)
    for wrong in (values[:-2], [*values, 0, 0]):
        with pytest.raises(InputError, match="is damaged"):
            _graph(VOCABULARY, 2, texts(wrong), "L1")
    negative = texts(values)
    negative[2:4] = ["-1", "-1"]
    with pytest.raises(InputError, match="is damaged"):
        _graph(VOCABULARY, 2, negative, "L1")
    zeros = ["0"] * len(values)
    assert _graph(VOCABULARY, 0, zeros, "L1").size == 0
    assert _graph(VOCABULARY, MOST_NODES, zeros, "L1").size == MOST_NODES
    assert _graph(VOCABULARY, 1, zeros, "L1").size == 1


def abstraction(**roles: frozenset[str]) -> Abstraction:
    entry = library()[0]
    definition = TrackingDefinition(
        frozenset({"x", "y"}), frozenset({"y"}), frozenset({"next"}), frozenset({8, 0}), frozenset({"i"})
    )
    families = frozenset(f.name for f in entry.families[:1])
    made = Roles(**(dict.fromkeys(("forward", "back", "circular", "looping", "unused"), frozenset()) | roles))
    return Abstraction(definition, (Generator(entry, families, made, LIST),), Activity({"x": frozenset({"L1", "L2"})}))


def test_an_abstraction_is_read_back() -> None:
    for role in ("forward", "back", "circular", "looping", "unused"):
        made = abstraction(**{role: frozenset({"next", "prev"})})
        document = abstraction_document(made)
        assert json.loads(json.dumps(document)) == document
        again = abstraction_of(document, library(), [LIST])
        assert again.definition == made.definition
        assert again.generators == made.generators
        assert again.active.at == made.active.at


def test_shapes_that_are_not_in_the_library() -> None:
    document = abstraction_document(abstraction())

    def changed(**values: object) -> dict[str, object]:
        return {**document, "generators": [{**document["generators"][0], **values}]}

    with pytest.raises(InputError, match="which is not in the library"):
        abstraction_of(changed(shape="none of these"), library(), [LIST])
    with pytest.raises(InputError, match="other families"):
        abstraction_of(changed(families=["none of these"]), library(), [LIST])
    without = abstraction_of(changed(shape=None, families=[]), library(), [LIST])
    assert without.generators[0].entry is None


@pytest.mark.parametrize("values", ["x", [1], ["x", 1], None, {"x": 1}])
def test_names_that_are_none(values: object) -> None:
    with pytest.raises(TypeError):
        _names(values)


def document(**changes: object) -> dict[str, Any]:
    made: dict[str, Any] = dict.fromkeys(_KEYS - {"digest"}, "")
    made |= {"schema": SCHEMA, "tool": __version__} | changes
    return {**made, "digest": digest_of(made)}


def read(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "c.json"
    path.write_text(text, encoding="utf-8")
    return _document(str(path))


def test_a_document_is_read(tmp_path: Path) -> None:
    made = document(files=[1])
    assert read(tmp_path, json.dumps(made)) == made


WRONG = {
    "not JSON": ("{", "c.json:1:2: not JSON"),
    "no document": ("[]", "not a certificate of kleene"),
    "no schema": ("{}", "not a certificate of kleene"),
    "another schema": (json.dumps(document(schema="other/4")), "not a certificate of kleene"),
    "another version of the schema": (json.dumps(document(schema="kleene.certificate/3")), "made by version"),
    "another tool": (json.dumps(document(tool="0.0.1")), r"made by version 0.0.1 \(kleene.certificate/5\)"),
    "a key too many": (json.dumps(document(more=1)), "'more' is not known"),
    "a digest": (json.dumps(document() | {"files": [1]}), "its digest is not that of its content"),
}


@pytest.mark.parametrize("name", WRONG)
def test_documents_that_are_refused(tmp_path: Path, name: str) -> None:
    text, why = WRONG[name]
    with pytest.raises(InputError, match=why):
        read(tmp_path, text)


def test_keys_that_are_missing(tmp_path: Path) -> None:
    for key in _KEYS - {"schema", "tool"}:
        made = document()
        del made[key]
        with pytest.raises(InputError, match=f"'{key}' is missing"):
            read(tmp_path, json.dumps(made))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="not a text file"):
        _document(str(tmp_path / "bytes"))
    with pytest.raises(InputError, match="cannot be read"):
        _document(str(tmp_path / "none"))


def options_document(**changes: object) -> dict[str, Any]:
    names = [name for name in ReadOptions.__dataclass_fields__ if name != "errors"]
    values = {name: getattr(ReadOptions(), name) for name in names}
    return {n: list(v) if isinstance(v, tuple) else v for n, v in values.items()} | changes


def test_options_are_read_back() -> None:
    given = options_document(defines=["A=1"], malloc_may_fail=False, entry="f")
    options = _Check("c", {"options": given, "asked": ["memsafety", "assert"]})._options()
    assert options.properties == ("memsafety", "assert")
    assert (options.read.defines, options.read.malloc_may_fail, options.read.entry) == (("A=1",), False, "f")
    assert options.read == ReadOptions(defines=("A=1",), malloc_may_fail=False, entry="f", errors=options.read.errors)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"entry": 3}, "'entry' is no str"),
        ({"malloc_may_fail": 1}, "'malloc_may_fail' is no bool"),
        ({"defines": "A"}, "'defines' is no tuple"),
        ({"defines": [1]}, "'defines' is no list of texts"),
        ({"defines": ["A", 1]}, "'defines' is no list of texts"),
        ({"errors": ["x"]}, "there is no option 'errors'"),
        ({"other": 1}, "there is no option 'other'"),
    ],
)
def test_options_that_are_none(changes: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        _Check("c", {"options": options_document(**changes), "asked": ["memsafety"]})._options()
    given = options_document()
    for name in list(given):
        with pytest.raises(KeyError):
            _Check("c", {"options": {n: v for n, v in given.items() if n != name}, "asked": []})._options()


def test_properties() -> None:
    check = _Check(
        "c", {"a": ["memsafety", "unreach"], "b": [], "c": ["other"], "d": "assert", "e": [1], "f": ["assert", "x"]}
    )
    assert check._properties("a") == ("memsafety", "unreach")
    assert check._properties("b") == ()
    for key in "cdef":
        with pytest.raises(InputError, match=f"'{key}' must be a list"):
            check._properties(key)


def test_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.c", tmp_path / "two.c"
    one.write_text("int a;")
    two.write_text("int b;")
    entries = [{"path": str(p), "sha256": file_digest(str(p))} for p in (one, two)]
    assert _Check("c", {"files": entries})._check_files("files") == (str(one), str(two))
    assert _Check("c", {"headers": []})._check_files("headers") == ()
    for wrong in ([], tuple(entries), [{"path": 1, "sha256": ""}]):
        with pytest.raises(InputError, match="does not name its files"):
            _Check("c", {"files": wrong})._check_files("files")
    two.write_text("int c;")
    with pytest.raises(InputError, match=r"two\.c is not the file that was proved"):
        _Check("c", {"files": entries})._check_files("files")
    assert file_digest(str(tmp_path / "none")) == ""

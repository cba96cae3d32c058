"""`kleene lsp`, asked by a client of the protocol over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kleene.cli.lsp.tvp_index import declarations, declarations_of, word_at

pytest.importorskip("pygls")
from lsprotocol import types
from pygls.lsp.client import LanguageClient

EXAMPLES = Path(__file__).parents[2] / "examples"
START = "from kleene.cli import main; main()"
MOST_SECONDS = 90
"""For one conversation, on a machine that does other work."""


class Editor:
    """A client that waits for the diagnostics of a file."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.marks: dict[str, asyncio.Queue[list[types.Diagnostic]]] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.queue(params.uri).put_nowait(list(params.diagnostics))

    def queue(self, uri: str) -> asyncio.Queue[list[types.Diagnostic]]:
        return self.marks.setdefault(uri, asyncio.Queue())

    async def open(self, path: Path, text: str | None = None) -> list[types.Diagnostic]:
        text = path.read_text() if text is None else text
        item = types.TextDocumentItem(path.as_uri(), path.suffix[1:], 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.queue(path.as_uri()).get()

    async def change(self, path: Path, text: str) -> list[types.Diagnostic]:
        document = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
        return await self.queue(path.as_uri()).get()

    def at(self, path: Path, line: int, character: int) -> tuple[types.TextDocumentIdentifier, types.Position]:
        return types.TextDocumentIdentifier(path.as_uri()), types.Position(line - 1, character)


def converse(talk: Callable[[Editor], Awaitable[None]], **settings: object) -> None:
    async def conversation() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client)
        await client.start_io(sys.executable, "-c", START, "lsp")
        given = types.InitializeParams(types.ClientCapabilities(), initialization_options=settings)
        await client.initialize_async(given)
        client.initialized(types.InitializedParams())
        await talk(editor)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    with ThreadPoolExecutor(1) as pool:  # another test of this process may have left a running loop in this thread
        pool.submit(asyncio.run, asyncio.wait_for(conversation(), MOST_SECONDS)).result()


def test_tvp_mistakes_completion_hover_and_definition(tmp_path: Path) -> None:
    folder = tmp_path / "sll"
    folder.mkdir()
    for name in ("reverse.tvp", "reverse.tvs", "sll_pred.tvp", "sll_stat.tvp", "sll_var.tvp", "sll_check.tvp"):
        (folder / name).write_text((EXAMPLES / "tvp" / "sll" / name).read_text())
    (folder / "ptr_cond.tvp").write_text((EXAMPLES / "tvp" / "sll" / "ptr_cond.tvp").read_text())
    path = folder / "reverse.tvp"
    text = path.read_text()
    line = next(n for n, t in enumerate(text.splitlines(), 1) if "Get_Next_L(x, x)" in t)

    async def talk(editor: Editor) -> None:
        client = editor.client
        assert await editor.open(path) == []
        (mistake,) = await editor.change(path, text.replace("Get_Next_L(x, x)", "Get_Nest_L(x, x)"))
        assert "Get_Nest_L" in mistake.message and mistake.severity is types.DiagnosticSeverity.Error
        assert mistake.range.start.line == line - 1
        assert await editor.change(path, text) == []
        place = editor.at(path, line, 6)
        (target,) = await client.text_document_definition_async(types.DefinitionParams(*place))
        assert target.uri.endswith("sll_var.tvp")
        hover = await client.text_document_hover_async(types.HoverParams(*place))
        assert "%action Get_Next_L(x1, x2)" in hover.contents.value
        items = await client.text_document_completion_async(types.CompletionParams(*place))
        kinds = {item.label: item.kind for item in items.items}
        assert kinds["Set_Null_L"] == types.CompletionItemKind.Function
        assert kinds["r[n,var]"] == types.CompletionItemKind.Field
        included = folder / "sll_pred.tvp"
        assert await editor.open(included) == [], "a part of a program has no mistakes of its own"

    converse(talk)


def test_findings_of_c_with_their_run_and_shapes_at_a_line(tmp_path: Path) -> None:
    path = tmp_path / "delete all é.c"
    path.write_text((EXAMPLES / "c" / "sll" / "delete_all.c").read_text())

    async def talk(editor: Editor) -> None:
        marks = await editor.open(path)
        (finding,) = [mark for mark in marks if mark.code == "dangling_dereference"]
        assert finding.severity is types.DiagnosticSeverity.Error
        assert finding.range.start.line == 23
        texts = [information.message for information in finding.related_information]
        assert "it is freed here" in texts
        assert any(text.startswith("step ") and "free" in text for text in texts)
        assert all(i.location.uri == path.as_uri() for i in finding.related_information)

    converse(talk, timeout=30)


def test_hover_in_c_shows_the_shapes(tmp_path: Path) -> None:
    path = tmp_path / "reverse.c"
    path.write_text((EXAMPLES / "c" / "sll" / "reverse.c").read_text())

    async def talk(editor: Editor) -> None:
        assert await editor.open(path) == []
        place = editor.at(path, 21, 4)
        hover = await editor.client.text_document_hover_async(types.HoverParams(*place))
        assert "acyclic list of 2 or more nodes" in hover.contents.value
        nothing = editor.at(path, 1, 0)
        assert await editor.client.text_document_hover_async(types.HoverParams(*nothing)) is None
        path.write_text("int main(void) { return 0 }\n")
        document = types.TextDocumentIdentifier(path.as_uri())
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        (mistake,) = await editor.queue(path.as_uri()).get()
        assert "';'" in mistake.message and mistake.range.start.line == 0

    converse(talk, timeout=30)


def test_words_and_families_of_predicates() -> None:
    text = "%s PVar {x}\n%p n(v, w) function\n%i r[n, z](v) = n*(v, v)\n/* %p hidden(v) */\n%%\n%%\nL1 a() L2\n"
    known = declarations(text, "somewhere.tvp")
    assert [(d.name, d.kind) for d in known] == [
        ("PVar", "set"),
        ("n", "predicate"),
        ("r[n,z]", "predicate"),
        ("L1", "location"),
    ]
    assert [d.name for d in declarations_of("r[n,x]", known)] == ["r[n,z]"]
    assert word_at("  r[n, x](v)", 3) == "r[n, x]"
    assert word_at("  r[n, x](v)", 7) == "x"
    assert word_at("  ", 1) == ""


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError(\"No module named 'pygls'\", name='pygls')\n")
    done = subprocess.run(
        [sys.executable, "-c", START, "lsp"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        check=False,
    )
    assert done.returncode == 2
    assert "kleene[lsp]" in done.stderr and "Traceback" not in done.stderr

"""What an editor asks for, and the answers (Language Server Protocol 3.17, by pygls).

TVP and TVS are read at every change. A C program is checked when it is opened and saved, in a process of its own, which
is ended when the file is saved again.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from kleene import __version__
from kleene.batch import child
from kleene.cli.lsp.c_answers import diagnostics_of, shapes_at
from kleene.cli.lsp.checked import START
from kleene.cli.lsp.places import range_of, uri_of
from kleene.cli.lsp.tvp_index import Declaration, declarations, declarations_of, word_at
from kleene.diagnostics import Diagnostic, InputError, KleeneError
from kleene.structures.tvs_reader import parse_tvs
from kleene.tvp.program import load_program, parse_program

DEFAULT_SECONDS = 20.0
"""The limit of a check in an editor, unless the client's setting `timeout` says otherwise: a person waits."""
_GRACE = 10.0
"""Seconds that a process may take beyond its limit, to start and to write."""
_MEMORY = 4096
"""Mebibytes that a check may take: an editor must stay usable beside it."""
_KEYWORDS = ("action", "clone", "f", "i", "message", "new", "p", "r", "retain", "s", "t")
_KINDS = {
    "predicate": types.CompletionItemKind.Field,
    "action": types.CompletionItemKind.Function,
    "set": types.CompletionItemKind.Enum,
    "location": types.CompletionItemKind.Reference,
}


class KleeneServer(LanguageServer):
    """The server: outcomes of checks by address, and the checks that run."""

    def __init__(self) -> None:
        super().__init__("kleene", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.outcomes: dict[str, Mapping[str, Any]] = {}
        self.running: dict[str, asyncio.subprocess.Process] = {}
        self.settings: Mapping[str, Any] = {}

    def publish(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))

    def look_at(self, uri: str) -> None:
        """Read a TVP or TVS file as the editor has it, and mark what is wrong."""
        document = self.workspace.get_text_document(uri)
        self.publish(uri, [_mark(d, document.path) for d in problems(document.source, document.path)])

    async def check(self, uri: str) -> None:
        """Check a C program as it is on disk; a check of an older version is ended."""
        path = self.workspace.get_text_document(uri).path
        if uri in self.running:
            self.running[uri].kill()
        options = [str(option) for option in self.settings.get("options", ())]
        seconds = float(self.settings.get("timeout", DEFAULT_SECONDS))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", START, "--timeout", f"{seconds:g}", *options, "--", path),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, child.VARIABLE: f"{os.getpid()}:{_MEMORY}"},
        )
        self.running[uri] = process
        try:
            written, _ = await asyncio.wait_for(process.communicate(), seconds + _GRACE)
        except TimeoutError:
            process.kill()
            written = b""
        if self.running.get(uri) is not process:
            return
        del self.running[uri]
        self.outcomes[uri] = _read(written)
        self.publish(uri, diagnostics_of(self.outcomes[uri], path))


def _read(written: bytes) -> Mapping[str, Any]:
    try:
        document: Mapping[str, Any] = json.loads(written)
    except ValueError:
        return {"verdict": "UNKNOWN", "reason": "the check ended early; 'kleene check' on the command line says more"}
    return document


def problems(text: str, path: str) -> list[Diagnostic]:
    """Everything that is wrong with a TVP or TVS text, and warnings. A part that others include is not a program."""
    try:
        if path.endswith(".tvs"):
            program = Path(path).with_suffix(".tvp")
            return list(parse_tvs(text, load_program(program).vocabulary, path).warnings) if program.is_file() else []
        if "\n%%" not in text:
            return []
        return list(parse_program(text, file=path).warnings)
    except InputError as error:
        return list(error.diagnostics)
    except KleeneError as error:
        return [Diagnostic(str(error))]


def _mark(diagnostic: Diagnostic, path: str) -> types.Diagnostic:
    position, message = diagnostic.position, diagnostic.message
    if position is not None and Path(position.file) != Path(path):
        message = f"{position}: {message}"
        position = None
    severity = types.DiagnosticSeverity.Error
    if diagnostic.severity != "error":
        severity = types.DiagnosticSeverity.Warning
    return types.Diagnostic(range_of(position), message, severity=severity, source="kleene")


def _is_tvp(uri: str) -> bool:
    return uri.endswith((".tvp", ".tvs"))


def _line(document: TextDocument, line: int) -> str:
    return document.lines[line].rstrip("\r\n") if line < len(document.lines) else ""


def _declarations(document: TextDocument) -> list[Declaration]:
    path = Path(document.path)
    if path.suffix == ".tvs":  # its names are those of the program beside it
        program = path.with_suffix(".tvp")
        text = program.read_text(encoding="utf-8", errors="replace") if program.is_file() else ""
        return declarations(text, str(program))
    return declarations(document.source, str(path))


def make_server() -> KleeneServer:
    """A server with all features; `start_io` of it serves an editor."""
    server = KleeneServer()

    @server.feature(types.INITIALIZED)
    def confirm_initialization(ls: KleeneServer, params: types.InitializedParams) -> None:
        pass

    @server.feature(types.INITIALIZE)
    def initialize(ls: KleeneServer, params: types.InitializeParams) -> None:
        given = params.initialization_options
        ls.settings = given if isinstance(given, Mapping) else {}

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def open_document(ls: KleeneServer, params: types.DidOpenTextDocumentParams) -> None:
        await _look_again(ls, params.text_document.uri, saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def change_document(ls: KleeneServer, params: types.DidChangeTextDocumentParams) -> None:
        await _look_again(ls, params.text_document.uri, saved=False)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def save_document(ls: KleeneServer, params: types.DidSaveTextDocumentParams) -> None:
        await _look_again(ls, params.text_document.uri, saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def close_document(ls: KleeneServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.outcomes.pop(params.text_document.uri, None)
        ls.publish(params.text_document.uri, [])

    _add_questions(server)
    return server


def _add_questions(server: KleeneServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: KleeneServer, params: types.HoverParams) -> types.Hover | None:
        text = _hover(ls, params.text_document.uri, params.position)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["%"]))
    def completion(ls: KleeneServer, params: types.CompletionParams) -> types.CompletionList:
        return types.CompletionList(False, _completions(ls, params.text_document.uri, params.position))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: KleeneServer, params: types.DefinitionParams) -> list[types.Location]:
        return [
            types.Location(uri_of(d.position.file), range_of(d.position, len(d.name)))
            for d in _declarations_at(ls, params.text_document.uri, params.position)
        ]


async def _look_again(ls: KleeneServer, uri: str, *, saved: bool) -> None:
    if _is_tvp(uri):
        ls.look_at(uri)
    elif saved and uri.endswith((".c", ".i")):
        await ls.check(uri)


def _declarations_at(ls: KleeneServer, uri: str, position: types.Position) -> list[Declaration]:
    """The declarations of the name at a position of a TVP or TVS file."""
    if not _is_tvp(uri):
        return []
    document = ls.workspace.get_text_document(uri)
    word = word_at(_line(document, position.line), position.character)
    meant = declarations_of(word, _declarations(document)) if word else []
    places = {d.position.line for d in meant if d.kind == "location"}
    return [d for d in meant if d.kind != "location" or d.position.line == min(places)]


def _hover(ls: KleeneServer, uri: str, position: types.Position) -> str:
    if _is_tvp(uri):
        meant = [d for d in _declarations_at(ls, uri, position) if d.kind != "location"]
        return "\n\n".join(f"```tvp\n{d.text}\n```" for d in meant)
    document = ls.workspace.get_text_document(uri)
    return shapes_at(ls.outcomes.get(uri, {}), document.path, position.line + 1)


def _completions(ls: KleeneServer, uri: str, position: types.Position) -> list[types.CompletionItem]:
    if not _is_tvp(uri):
        return []
    document = ls.workspace.get_text_document(uri)
    before = _line(document, position.line)[: position.character]
    if before.rstrip("abcdefghijklmnopqrstuvwxyz").endswith("%"):
        return [types.CompletionItem(word, kind=types.CompletionItemKind.Keyword) for word in _KEYWORDS]
    items = {d.name: d for d in reversed(_declarations(document))}
    return [
        types.CompletionItem(d.name, kind=_KINDS[d.kind], detail=d.text.partition("\n")[0])
        for d in sorted(items.values(), key=lambda d: (d.kind, d.name))
    ]

"""The pages of the reference that are made from the code: options, the Python library, keys of JSON documents."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import click

from kleene import api
from kleene.cli import program
from kleene.cli.help_examples import epilog_of

SCHEMAS = {
    "check": "kleene check",
    "run": "kleene run",
    "batch": "kleene batch",
    "symbolic": "kleene assume, alpha, meet, transform",
    "contracts": "kleene contracts",
}
SCHEMA_FOLDER = files("kleene.report") / "schemas"


def pages() -> dict[str, str]:
    """The pages by name."""
    return {"options": options_page(), "python": python_page(), "schemas": schemas_page()}


# Options -------------------------------------------------------------------------------------


def options_page() -> str:
    """Every command with its arguments, options and examples."""
    lines = ["# Commands and options", ""]
    context = click.Context(program, info_name="kleene")
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        lines += [f"## kleene {name}", "", _paragraphs(command.help or ""), ""]
        inner = click.Context(command, info_name=name, parent=context)
        rows = [row for parameter in command.get_params(inner) for row in _option(parameter, inner)]
        lines += ["```text", f"kleene {name} {' '.join(command.collect_usage_pieces(inner))}", "```", ""]
        if rows:
            lines += ["| option | |", "|---|---|", *rows, ""]
        examples = [line.strip() for line in epilog_of(name).splitlines()[2:]]
        lines += ["```text", *examples, "```", ""]
    return "\n".join(lines)


def _option(parameter: click.Parameter, context: click.Context) -> Iterator[str]:
    record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
    if record is not None:
        names, text = record
        yield f"| `{_cell(names)}` | {_cell(text)} |"


def _paragraphs(text: str) -> str:
    return inspect.cleandoc(text).replace("\b\n", "")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


# Python --------------------------------------------------------------------------------------


def python_page() -> str:
    """The library: functions first, then the values."""
    lines = [
        "# The Python library",
        "",
        "`import kleene` gives these names. A tutorial is [here](../tutorials/three-valued-logic.ipynb).",
        "",
        "## Functions",
        "",
    ]
    values = {name: getattr(api, name) for name in api.__all__}
    for name, value in values.items():
        if inspect.isfunction(value):
            lines += [f"### kleene.{name}", "", "```python", _signature(name, value), "```", "", _doc(value), ""]
    lines += ["## Values", ""]
    for name, value in values.items():
        if inspect.isclass(value):
            lines += [f"### kleene.{name}", "", _doc(value), "", *_members(value), ""]
    return "\n".join(lines).rstrip() + "\n"


def _signature(name: str, function: Any) -> str:
    text = str(inspect.signature(function)).replace("'", "")
    return f"{name}{text}"


def _doc(value: Any) -> str:
    """Docstrings; those of dataclasses that have none would be their signature."""
    return (inspect.getdoc(value) or "").replace("``", "`")


def _members(value: type) -> list[str]:
    """The fields and public methods of a class, with what their docstrings say."""
    if issubclass(value, enum.Enum):
        return [f"- `{member.name}` is written `{member}`" for member in value]
    rows: list[str] = []
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                kind = str(field.type).replace("|", "\\|")
                rows.append(f"| `{field.name}` | `{kind}` |")
    for name, member in vars(value).items():
        if name.startswith("_") or (not isinstance(member, property) and not inspect.isfunction(member)):
            continue
        summary = (inspect.getdoc(member) or "").partition("\n")[0].replace("|", "\\|").replace("``", "`")
        shown = name if isinstance(member, property) else f"{name}(...)"
        rows.append(f"| `{shown}` | {summary} |")
    return ["| member | |", "|---|---|", *rows] if rows else []


# JSON ----------------------------------------------------------------------------------------


def schemas_page() -> str:
    """The keys of the JSON documents, from their schemas."""
    lines = ["# Keys of JSON documents", ""]
    for name, command in SCHEMAS.items():
        schema = json.loads((SCHEMA_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
        lines += [f"## {command} --json", "", f"The schema is [{name}.schema.json]({name}.schema.json).", ""]
        lines += ["| key | type | |", "|---|---|---|"]
        lines += [f"| `{key}` | {kind} | {text} |" for key, kind, text in _keys(schema, schema, "", 0)]
        lines.append("")
    return "\n".join(lines)


MOST_DEPTH = 3
"""Levels of keys that are listed: below are structures, which the page about JSON describes."""


def _keys(node: dict[str, Any], root: dict[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str, str]]:
    node = _resolved(node, root)
    required = set(node.get("required", ()))
    for name, inner in node.get("properties", {}).items():
        value = _resolved(inner, root)
        kind = _kind(inner, root)
        optional = "" if name in required else "may be missing"
        text = ". ".join(filter(None, (value.get("description", "").rstrip("."), optional)))
        yield f"{prefix}{name}", kind, _cell(text)
        if depth < MOST_DEPTH:
            yield from _keys(value, root, f"{prefix}{name}.", depth + 1)
            if isinstance(value.get("items"), dict):
                yield from _keys(value["items"], root, f"{prefix}{name}[].", depth + 1)
            if isinstance(value.get("additionalProperties"), dict):
                yield from _keys(value["additionalProperties"], root, f"{prefix}{name}.*.", depth + 1)


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref", "")
    for part in reference.removeprefix("#/").split("/") if reference else ():
        root = root[part]
    return root if reference else node


def _kind(node: dict[str, Any], root: dict[str, Any]) -> str:
    value = _resolved(node, root)
    if "enum" in value:
        return " or ".join(f"`{json.dumps(x)}`" for x in value["enum"])
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    kinds = value.get("type", "")
    alternatives = value.get("anyOf", value.get("oneOf", ()))
    if alternatives:
        return " or ".join(dict.fromkeys(_kind(x, root) for x in alternatives))
    text = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    return re.sub(r"\barray\b", "list", text)

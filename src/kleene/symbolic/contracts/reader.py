"""Reading contracts files: procedures with their clauses, and bodies as control-flow graphs in the manner of TVP::

    procedure append(p, q)                    // p is a list, q another one
      %s Pointers {p, q, t}                   // the body's variables; t is its own
      modifies n, p, q
      requires A(v) !(r[p](v) & r[q](v))
      ensures  !(E(v) q(v)) & (A(v) (r[p](v) <-> old[r[p]](v) | old[r[q]](v)))
      body
        start Is_Null(p) empty                // locations without an edge that leaves them are exits
        ...

Without `body` a procedure is assumed to keep its specification. Comments as in TVP.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kleene.diagnostics import InputError, Position
from kleene.symbolic.contracts.specifications import BodyEdge, ClauseText, Contracts, Procedure

_HEADER = re.compile(r"procedure\s+([A-Za-z_]\w*)\s*\(([^)]*)\)\s*\Z")
_CLAUSES = ("modifies", "requires", "ensures", "allocates", "frees", "body", "%s")
_CLAUSE = re.compile(rf"({'|'.join(_CLAUSES)})(?!\w)\s*(.*)\Z", re.DOTALL)
_START = re.compile(rf"(?m)^[ \t]*(?=(?:procedure|{'|'.join(_CLAUSES)})(?!\w))")
_SET = re.compile(r"([A-Za-z_]\w*)\s*\{([^{}]*)\}\s*\Z")
_EDGE = re.compile(r"\s*(\"[^\"\n]*\"|[\w$.]+)\s+([A-Za-z_$][\w$.]*)\s*\(([^()]*)\)\s*(\"[^\"\n]*\"|[\w$.]+)")


def read_contracts(path: Path) -> Contracts:
    """Read a contracts file; `InputError` names the line."""
    return parse_contracts(path.read_text(encoding="utf-8"), str(path))


def parse_contracts(text: str, file: str = "<contracts>") -> Contracts:
    """The procedures of a text."""
    return _Reader(text, file).contracts()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.shown = text.split("\n")
        self.file = file
        blank = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
        self.text = blank.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        self.procedures: dict[str, Procedure] = {}

    def at(self, offset: int) -> Position:
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        return Position(self.file, line, column, self.shown[line - 1])

    def contracts(self) -> Contracts:
        current: dict[str, Any] | None = None
        for start, end in self._parts():
            part = self.text[start:end].rstrip()
            opening, clause = _HEADER.match(part), _CLAUSE.match(part)
            if opening is not None:
                self._close(current)
                current = self._header(opening, start)
            elif clause is not None and current is not None:
                self._clause(current, clause, start)
            else:
                raise InputError(
                    "expected 'procedure NAME(PARAMETERS)', or a clause: " + ", ".join(_CLAUSES),
                    self.at(start),
                )
        self._close(current)
        return Contracts(self.procedures)

    def _parts(self) -> list[tuple[int, int]]:
        """The start and end of each clause; text before the first keyword is a separate clause, and an error."""
        places = sorted({m.end() for m in _START.finditer(self.text)})
        if self.text[: places[0] if places else len(self.text)].strip():
            places.insert(0, len(self.text) - len(self.text.lstrip()))
        return list(zip(places, [*places[1:], len(self.text)], strict=True))

    def _header(self, opening: re.Match[str], start: int) -> dict[str, Any]:
        name = opening[1]
        parameters = tuple(p.strip() for p in opening[2].split(",") if p.strip())
        if name in self.procedures:
            raise InputError(f"procedure '{name}' is specified twice", self.at(start))
        for number, parameter in enumerate(parameters):
            if not re.fullmatch(r"[A-Za-z_$][\w$]*", parameter) or parameter in parameters[:number]:
                raise InputError(f"'{parameter}' cannot be a parameter here", self.at(start + opening.start(2)))
        return {"name": name, "parameters": parameters, "position": self.at(start)}

    def _clause(self, current: dict[str, Any], clause: re.Match[str], start: int) -> None:
        word, text = clause[1], clause[2]
        place = start + clause.start(2)
        if word == "%s":
            match = _SET.match(text)
            if match is None:
                raise InputError("a set is written %s NAME {member, ...}", self.at(start))
            members = tuple(m.strip() for m in match[2].split(",") if m.strip())
            current["sets"] = (*current.get("sets", ()), (match[1], members))
            return
        if word in current:
            raise InputError(f"'{word}' is given twice", self.at(start))
        if word == "modifies":
            current[word] = tuple(m.strip() for m in re.split(r",(?![^\[\]]*\])", text) if m.strip())
        elif word == "allocates":
            if text:
                raise InputError("'allocates' stands alone", self.at(place))
            current[word] = True
        elif word == "body":
            current[word] = self._edges(place, start + clause.end(2))
            if not current[word]:
                raise InputError("a body has at least one edge", self.at(start))
        elif not text:
            raise InputError(f"a formula is missing after '{word}'", self.at(start))
        else:
            current[word] = ClauseText(text, self.at(place))

    def _edges(self, start: int, end: int) -> tuple[BodyEdge, ...]:
        edges = []
        while self.text[start:end].strip():
            match = _EDGE.match(self.text, start, end)
            if match is None:
                start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
                raise InputError("expected an edge: LOCATION ACTION(ARGUMENTS) LOCATION", self.at(start))
            arguments = tuple(a.strip() for a in re.split(r",(?![^\[\]]*\])", match[3]) if a.strip())
            source, target = match[1].strip('"'), match[4].strip('"')
            edges.append(BodyEdge(source, match[2], arguments, target, self.at(match.start(2))))
            start = match.end()
        return tuple(edges)

    def _close(self, current: dict[str, Any] | None) -> None:
        if current is not None:
            self.procedures[current["name"]] = Procedure(**current)

"""Whether a document is SARIF 2.1.0: two libraries on PyPI stand for the schema, which neither of them ships.

sarif-om's classes are generated from the schema: they have every property of every object, and those without a default
are required. sarif-pydantic has the types and the enumerations. Neither checks what the other does.
"""

from __future__ import annotations

from typing import Any

import sarif_om
from sarif_pydantic import Sarif

CLASSES = {
    "runs": "Run",
    "tool": "Tool",
    "driver": "ToolComponent",
    "rules": "ReportingDescriptor",
    "shortDescription": "MultiformatMessageString",
    "fullDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString",
    "defaultConfiguration": "ReportingConfiguration",
    "invocations": "Invocation",
    "toolExecutionNotifications": "Notification",
    "results": "Result",
    "message": "Message",
    "locations": "Location",
    "location": "Location",
    "relatedLocations": "Location",
    "physicalLocation": "PhysicalLocation",
    "artifactLocation": "ArtifactLocation",
    "region": "Region",
    "logicalLocations": "LogicalLocation",
    "codeFlows": "CodeFlow",
    "threadFlows": "ThreadFlow",
    "suppressions": "Suppression",
}
FREE = ("properties", "partialFingerprints", "state")
"""Objects whose keys the schema does not fix."""


def problems(document: dict[str, Any]) -> list[str]:
    """What is wrong with a document; nothing if it is SARIF."""
    found = _names(document, "SarifLog", "")
    try:
        Sarif.model_validate(document)
    except ValueError as problem:
        found.append(str(problem))
    for run in document.get("runs", ()):
        rules = run["tool"]["driver"]["rules"]
        found += [f"rule {r['ruleId']}" for r in run["results"] if rules[r["ruleIndex"]]["id"] != r["ruleId"]]
    return found


def _names(value: Any, kind: str, path: str) -> list[str]:
    attributes = getattr(sarif_om, kind).__attrs_attrs__
    known = {a.metadata["schema_property_name"]: a for a in attributes}
    found = [f"{path}: there is no property {key} of {kind}" for key in value if key not in known]
    found += [
        f"{path}: {name} is missing" for name, a in known.items() if str(a.default) == "NOTHING" and name not in value
    ]
    for key, inner in value.items():
        if key in FREE or not isinstance(inner, dict | list):
            continue
        # the steps of a thread flow are called like the locations of a result
        what = "ThreadFlowLocation" if (kind, key) == ("ThreadFlow", "locations") else CLASSES[key]
        for number, item in enumerate(inner if isinstance(inner, list) else [inner]):
            if isinstance(item, dict):
                found += _names(item, what, f"{path}/{key}/{number}")
    return found

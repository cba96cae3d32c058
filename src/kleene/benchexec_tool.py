"""The tool-info module for BenchExec: how to start Kleene on a task of SV-COMP, and how to read its answer.

Named as the tool `kleene.benchexec_tool` in a benchmark definition. BenchExec is no dependency of Kleene: it imports
this module, which imports it.
"""

from __future__ import annotations

import re

from benchexec import result
from benchexec.tools.template import BaseTool2

_FINDING = re.compile(r"^.*:\d+:\d+: (\w+): (.*) \(confirmed\)$", re.MULTILINE)
_RESULTS = {
    "unreach_call": result.RESULT_FALSE_REACH,
    "null_dereference": result.RESULT_FALSE_DEREF,
    "dangling_dereference": result.RESULT_FALSE_DEREF,
    "out_of_bounds": result.RESULT_FALSE_DEREF,
    "uninitialized_pointer": result.RESULT_FALSE_DEREF,
    "double_free": result.RESULT_FALSE_FREE,
    "invalid_free": result.RESULT_FALSE_FREE,
    "memory_leak": result.RESULT_FALSE_MEMTRACK,
}
_MARGIN = 0.9
"""Share of the processor time that the check is told: the rest is for starting and for writing the result."""
_VERIFIED, _VIOLATION, _BAD_INPUT, _INCONCLUSIVE = range(4)


class Tool(BaseTool2):  # type: ignore[misc]
    """BenchExec's view of `kleene check`."""

    def executable(self, tool_locator: BaseTool2.ToolLocator) -> str:
        return str(tool_locator.find_executable("kleene"))

    def name(self) -> str:
        return "Kleene"

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="kleene, version"))

    def cmdline(
        self, executable: str, options: list[str], task: BaseTool2.Task, rlimits: BaseTool2.ResourceLimits
    ) -> list[str]:
        """The command for one task; the limit of processor time becomes the limit of the check."""
        words = [executable, "check", "--svcomp", *options]
        if task.property_file:
            words += ["--property", task.property_file]
        if isinstance(task.options, dict) and task.options.get("data_model") == "LP64":
            words += ["--64"]
        if rlimits.cputime:
            words += ["--timeout", f"{rlimits.cputime * _MARGIN:g}"]
        return [*words, *task.input_files_or_identifier]

    def determine_result(self, run: BaseTool2.Run) -> str:
        """The verdict of the exit code; for a violation the kind of the first confirmed finding."""
        if run.was_timeout:
            return str(result.RESULT_TIMEOUT)
        code = run.exit_code.value
        if code == _VERIFIED:
            return str(result.RESULT_TRUE_PROP)
        if code == _INCONCLUSIVE:
            return str(result.RESULT_UNKNOWN)
        if code != _VIOLATION:
            return str(result.RESULT_ERROR) + (" (bad input)" if code == _BAD_INPUT else "")
        match = _FINDING.search("\n".join(line.rstrip("\n") for line in run.output))
        if match is None:
            return str(result.RESULT_FALSE_PROP)
        if match[1] == "memory_leak" and match[2].endswith("not freed at the end"):
            return str(result.RESULT_FALSE_MEMCLEANUP)
        return str(_RESULTS.get(match[1], result.RESULT_FALSE_PROP))

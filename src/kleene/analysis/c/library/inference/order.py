"""The order in which functions are read."""

from __future__ import annotations

from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.analysis.c.library.interface.object_types import ObjectTypes
from kleene.analysis.c.library.readings.candidates import readings, says_add
from kleene.analysis.c.library.readings.operations import OBJECTS


def place_in_order(function: ExportedFunction, types: ObjectTypes) -> tuple[bool, bool, bool]:
    """A key by which functions that make objects come first, then those that end them: they show what others break.

    Then come those that add something: of the others, parts need elements.
    """
    first = readings(function, types)[:1]
    makes = bool(first) and bool(first[0].makes) and not first[0].records_in(*OBJECTS)
    ends = bool(first) and first[0].ends
    return not makes, not ends, not says_add(function)

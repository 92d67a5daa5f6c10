"""Subjects in the SQL expressions of a plan: these are shown, and signed, as they are."""

from __future__ import annotations

from hive_acid_erasure.subjects.expressions import blank_names, find_literals
from hive_acid_erasure.subjects.spotting import Spotter


def names_subject(expression: str, spotter: Spotter) -> bool:
    """True if a literal, a quoted name, a pattern or a comment of the expression spells a value of a subject.

    Names of columns and functions, and numbers of up to four digits, are none.
    """
    return spotter.spells(blank_names(expression)) or any(map(spotter.names_person, find_literals(expression)))

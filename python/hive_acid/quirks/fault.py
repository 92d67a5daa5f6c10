"""The description of a fault, which each file of a quirk has as its `FAULT`; a table of the documents shows them."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.metastore.types import MetastoreLine


@dataclass(frozen=True)
class Fault:
    """A fault of a server or of another engine.

    `title` is what that does, `releases` those of which it is known, and `lines` the metastores beside which the quirk
    acts. `ticket` is where the project at fault speaks of it, "" if no such place is known. `harm` is what would happen
    without the quirk, `until` when its file can go. `called_by` is who calls it beside the
    hooks of a statement, or in their place, and why.
    """

    title: str
    releases: str
    lines: tuple[MetastoreLine, ...]
    harm: str
    until: str
    ticket: str = ""
    called_by: str = ""

"""The first lines of a certificate: what it states, of whom, where and when, for a terminal and for the page."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hive_acid_erasure.certificate.limits import find_limits
from hive_acid_erasure.times import show_time

_FORMER_COLUMNS = "Columns that tables no longer have were not searched."
HEADS = ("table", "as of write ID", "rows deleted", "files removed", "files searched", "seconds")


@dataclass(frozen=True)
class Summary:
    """`statement` is a sentence. `rows` has one of texts for each table, under `HEADS`."""

    statement: str
    rows: tuple[tuple[str, ...], ...]

    def lines(self) -> list[str]:
        """The sentence, and the table below it in columns."""
        table = [HEADS, *self.rows]
        widths = [max(len(row[at]) for row in table) for at in range(len(HEADS))]
        return [self.statement, *("  ".join(map(_pad, row, widths, range(len(HEADS)))).rstrip() for row in table)]


def summarize(payload: Mapping[str, Any]) -> Summary:
    """The summary of a certificate's payload."""
    tables = payload["tables"]
    seconds = _find_seconds(payload["phases"])
    rows = tuple(
        (
            table["table"],
            _show_write_id(table),
            str(sum(deletion["rows"] for deletion in table.get("deletions", ()))),
            str(len(table.get("files_removed", ()))),
            str(sum(file["searched"] != "not" for file in table["files"])),
            f"{seconds[table['table']]:.0f}" if table["table"] in seconds else "",
        )
        for table in tables
    )
    readers = describe_readers([table["cross_check"] for table in tables if "cross_check" in table])
    told = state_result(payload), readers, *_describe_limits(payload)
    return Summary(" ".join(filter(None, told)), rows)


def _describe_limits(payload: Mapping[str, Any]) -> Iterator[str]:
    """The parts of the files that were not searched."""
    shown = sum(file["searched"] == "visible" for table in payload["tables"] for file in table["files"])
    if shown:
        yield f"In {_count(shown, 'file')}, only the rows that queries show were searched."
    if not payload["plan"].get("former_columns", True):
        yield _FORMER_COLUMNS


def state_result(payload: Mapping[str, Any]) -> str:
    """The sentence that says what was found, of how many, and of which moment it speaks.

    Certificates of earlier releases speak of each table when that was searched last.
    """
    people, where = _count(payload["subjects"]["count"], "subject"), _describe_tables(payload)
    after = "after an erasure" if payload["kind"] == "erasure" else "without an erasure"
    missing = _count(len(payload["verdict"]["missing"]), "place")
    if "as_of" in payload:
        moment, later = show_time(payload["as_of"]), "What came later is not part of this."
    else:
        moment, later = "the last search of each", f"That was before {show_time(payload['issued_at'])}."
    later += _describe_nobody(payload)
    if payload["verdict"]["state"] == "erased":
        return f"erased: {after}, nothing of {people} was found in {where} as of {moment}. {later}"
    return f"pending: {after}, {missing} in {where} may still hold something of {people} as of {moment}. {later}"


def describe_kind(payload: Mapping[str, Any]) -> str:
    """The few words above all others that say what a certificate is."""
    is_good = payload["verdict"]["state"] == "erased"
    if payload["kind"] != "erasure":
        return "Searched: nothing was found" if is_good else "Searched: something was found, or could not be searched"
    limited = " in the partitions that the plan chooses" if find_limits(payload) else ""
    return f"Erased and verified{limited}" if is_good else "Pending: not everything is erased and verified"


def _describe_tables(payload: Mapping[str, Any]) -> str:
    number = len(payload["tables"])
    limited = len(find_limits(payload))
    if not limited:
        return _count(number, "table")
    if limited >= number:
        return f"the partitions that the plan chooses of {_count(number, 'table')}"
    return f"{_count(number, 'table')} (of {limited} only the partitions that the plan chooses)"


def _describe_nobody(payload: Mapping[str, Any]) -> str:
    """A sentence if no table had a row of any subject: who made the list may have spelled them otherwise."""
    tables = [table for table in payload["tables"] if "found" in table]
    rows = sum(table["found"]["matched"] + sum(each["rows"] for each in table.get("deletions", ())) for table in tables)
    return " No query showed a row of theirs at the beginning, and none was deleted." if tables and not rows else ""


def _show_write_id(table: Mapping[str, Any]) -> str:
    """Empty for tables of plain Hive, which have none."""
    write_id = table.get("snapshot", {}).get("high_write_id")
    return "" if write_id is None else str(write_id)


def describe_readers(checks: Sequence[Mapping[str, Any]]) -> str:
    """The files and keys that two readers have read, and whether they agree, as sentences; empty if there are none.

    `checks` are the entries of tables in a certificate. One of before the differences were counted claims nothing.
    """
    read = sum(check["files"] for check in checks)
    others = sum(each["files"] for check in checks for each in check["not_checked"])
    keys = sum(len(check.get("one_reader", ())) for check in checks)
    is_same = all(check.get("differences") == 0 for check in checks)
    agree = "Two readers agree on" if is_same else "A second reader has read"
    told = []
    if others:
        alone = f"{_count(others, 'file')} {'was' if others == 1 else 'were'} read by one alone"
        told.append(f"{agree} {read} of {_count(read + others, 'file')} that hold rows: {alone}.")
    elif read:
        told.append(f"{agree} all {_count(read, 'file')} that hold rows.")
    if in_part := sum(check.get("in_part", 0) for check in checks):
        told.append(f"In {_count(in_part, 'file')}, both have read only a part of the rows.")
    if keys:
        told.append(f"{_count(keys, 'key')} {'was' if keys == 1 else 'were'} computed by one reader alone.")
    return " ".join(told)


def _find_seconds(phases: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How long each table's own events took, by the times of the events before them."""
    seconds: dict[str, float] = {}
    for before, after in pairwise(phases):
        try:
            took = datetime.datetime.fromisoformat(after["at"]) - datetime.datetime.fromisoformat(before["at"])
        except (ValueError, TypeError):  # none is a time, or only one has a zone
            continue
        seconds[after["detail"]] = seconds.get(after["detail"], 0.0) + took.total_seconds()
    return seconds


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _pad(text: str, width: int, column: int) -> str:
    return text.ljust(width) if column == 0 else text.rjust(width)

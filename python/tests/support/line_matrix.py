"""Which statements each line of Spark carries out, counted from the golden files and the records of their differences.

The result files are the newest line's; `sql-tests/lines` holds what comes out otherwise on the others. Tests compare
both with what really comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from hive_acid.spark_lines import LINES
from hive_acid_sqltest.golden import HEADER, QueryResult, parse_golden
from hive_acid_sqltest.suite import find_suite
from support.line_differences import BEGAN, difference_path, read_difference

SUITE: Final = Path(__file__).resolve().parents[3] / "sql-tests"
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_ERROR: Final = re.compile(r'\{\n  "(errorClass|exception)"')
_KINDS: Final[Mapping[str, str]] = {
    "`WITH …` before UPDATE, DELETE, MERGE": r"WITH\b.*\)\s*(UPDATE|DELETE|MERGE)\b",
    "`SELECT`": r"(SELECT|WITH|VALUES|TABLE)\b",
    "`INSERT … REPLACE WHERE`": r"INSERT\b.*\bREPLACE\s+WHERE\b",
    "`INSERT … REPLACE USING`, `REPLACE ON`": r"INSERT\b.*\bREPLACE\s+(USING|ON)\b",
    "`INSERT OVERWRITE`": r"INSERT\s+OVERWRITE\b",
    "`INSERT`": r"INSERT\b",
    "several `INSERT`s of one query": r"FROM\b",
    "`UPDATE`": r"UPDATE\b",
    "`DELETE`": r"DELETE\b",
    "`MERGE`": r"MERGE\b",
    "`TRUNCATE TABLE`": r"TRUNCATE\b",
    "`CREATE TABLE`": r"CREATE\b.*\bTABLE\b",
    "`ALTER TABLE … COMPACT`": r"ALTER\s+TABLE\b.*\bCOMPACT\b",
    "other `ALTER TABLE`": r"ALTER\s+TABLE\b",
    "`DROP`": r"DROP\b",
    "`EXPLAIN ACID`": r"EXPLAIN\s+ACID\b",
    "`SHOW`, `DESCRIBE`, `EXPLAIN`": r"(SHOW|DESC|DESCRIBE|EXPLAIN)\b",
    "SQL scripts": r"BEGIN\b",
}
"""How a statement of each kind begins; the first that fits counts."""
_OTHER: Final = "other statements"


def lines_matrix() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of the table: how many statements of a kind the newest line carries out, and others of these."""
    counts = {line: _count_carried_out(line) for line in LINES}
    rows = [
        (kind, str(total), *(_told(counts[line].get(kind, 0), total) for line in LINES[:-1]))
        for kind in (*_KINDS, _OTHER)
        if (total := counts[LINES[-1]].get(kind, 0))
    ]
    return ("Statements of the golden files", LINES[-1], *LINES[:-1]), rows


def golden_matrix() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of the table: how many golden files a line runs, and how many come out otherwise there."""
    files = find_suite(SUITE)
    run = [sum(line >= BEGAN.get(file.name, LINES[0]) for file in files) for line in LINES]
    recorded = [sum(difference_path(SUITE, file, line).is_file() for file in files) for line in LINES[:-1]]
    rows: list[tuple[str, ...]] = [
        ("run", *map(str, run[-1:] + run[:-1])),
        ("come out otherwise, as is on record", "", *map(str, recorded)),
    ]
    return ("Golden files", LINES[-1], *LINES[:-1]), rows


def _told(carried_out: int, total: int) -> str:
    return "all" if carried_out == total else str(carried_out)


def _count_carried_out(line: str) -> dict[str, int]:
    """By kind, the statements that the newest line carries out, and this one too."""
    counts: dict[str, int] = {}
    for newest, here in _pair_results(line):
        if not is_error(newest) and not is_error(here):
            kind = find_kind(newest.query)
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def _pair_results(line: str) -> Iterator[tuple[QueryResult, QueryResult]]:
    for path in sorted((SUITE / "results").glob("*.out")):
        text = path.read_bytes().decode()
        difference = read_difference(SUITE / "lines" / f"spark-{line}" / f"{path.name.split('.')[0]}.diff")
        newest = parse_golden(text, str(path))
        here = parse_golden(apply_difference(text, difference), str(path))
        yield from zip(newest, here, strict=True)


def find_kind(query: str) -> str:
    """Which of the kinds a statement is."""
    return next((kind for kind, start in _KINDS.items() if re.match(start, query, re.IGNORECASE | re.DOTALL)), _OTHER)


def is_error(result: QueryResult) -> bool:
    """Whether the statement ended in an error."""
    return _ERROR.match(result.output) is not None


def apply_difference(text: str, difference: str) -> str:
    """The text of a result file with a difference of `diff_golden` applied. Raises ValueError if that does not fit."""
    recorded = text.removeprefix(HEADER).removesuffix("\n").split("\n")
    made: list[str] = []
    position = 0
    for start, hunk in _hunks(difference):
        made += recorded[position:start]
        position = start
        for mark, line in hunk:
            if mark != "+":
                if recorded[position] != line:
                    raise ValueError(f"line {position + 1} is {recorded[position]!r}, not {line!r}")
                position += 1
            if mark != "-":
                made.append(line)
    return HEADER + "\n".join(made + recorded[position:]) + "\n"


def _hunks(difference: str) -> Iterator[tuple[int, Sequence[tuple[str, str]]]]:
    """Where each begins, counted from zero, and its lines with their marks."""
    lines = difference.split("\n")[2:] if difference else []
    starts = [number for number, line in enumerate(lines) if _HUNK.fullmatch(line)]
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        found = _HUNK.fullmatch(lines[start])
        assert found
        yield int(found[1]) - 1, [(line[:1], line[1:]) for line in lines[start + 1 : end]]

"""Masks text that differs from run to run: names are put in braces in its place.

Masked are the test's database, locations, transaction IDs, expression and plan IDs, sizes in dry runs, times and owners
in descriptions; of the statements about transactions, locks and compactions IDs, times, users and hosts, by the columns
that they are in, and all rows of SHOW TRANSACTIONS, for it shows those of everybody.
Write IDs are not: a table of a new database begins with 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PROSE_CONDITIONS = ("_LEGACY_ERROR_TEMP_", "INTERNAL_ERROR")
"""Conditions without a name of their own: their parameters hold another program's message."""
_PROSE_PARAMETERS = frozenset({"msg", "message"})
_UNSTABLE_PARAMETERS = {
    "txnId": "{txn}",
    "waitedMs": "{ms}",
    "holder": "{holder}",
    "compactionId": "{compaction}",
}

_LOCATION = (re.compile(r"\b(?:file|hdfs|viewfs|s3a?|abfss?|gs):/[^\s,;'\"`)\]}]*"), "{location}")
_RULES = [
    _LOCATION,
    (re.compile(r"(?<![\w./])/(?:tmp|var|home|root|private|Users|mnt|work|opt)/[^\s,;'\"`)\]}]*"), "{path}"),
    (re.compile(r"\b(transactions?|txn(?: ID)?) [0-9]+\b", re.IGNORECASE), r"\1 {txn}"),
    (re.compile(r"(already scheduled with state='[a-z ]+' and id=)[0-9]+\b"), r"\1{compaction}"),
    (re.compile(r"\.hive-acid-staging-[0-9]+-[0-9a-f]+"), ".hive-acid-staging-{txn}"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "{uuid}"),
    (re.compile(r"#[0-9]+L?\b"), "#x"),
    (re.compile(r"\bplan_id=[0-9]+"), "plan_id=x"),
    (re.compile(r"^(bytes read\t)[1-9][0-9]*$", re.MULTILINE), r"\1{bytes}"),
    (re.compile(r"\*\([0-9]+\) "), "*"),
    (re.compile(r'\b(transient_lastDdlTime(?:=|":"))[0-9]+'), r"\1{time}"),
    (
        re.compile(r"^(Created By|Created Time|Last Access|Owner|Partition Statistics)\b.*", re.MULTILINE),
        r"\1 {masked}",
    ),
]
_UNSTABLE_COLUMNS = frozenset(
    {
        *("compactionid", "compaction_id", "enqueuetime", "starttime", "duration", "committime"),
        *("txnid", "nexttxnid", "startedtime", "lastheartbeattime"),
        *("lockid", "blocked_by", "transaction_id", "last_heartbeat", "acquired_at"),
        *("createdAt", "owner", "sizeInBytes"),
        *("user", "host", "hostname", "agent_info", "workerhost", "workerid", "initiatorhost"),
    }
)
_OF_EVERYBODY = "struct<txnid:bigint,state:string,startedtime:"
_FIELD = re.compile(r"(?<=[<,])([^:<,]+):")
_NULL = "NULL"
_VISIBILITY = re.compile(r"_v[0-9]{7,}(?=$|/)", re.MULTILINE)


def mask_row(text: str, database: str) -> str:
    """A row of a query: only the database's name and locations are masked, for all else may be data."""
    pattern, replacement = _LOCATION
    return pattern.sub(replacement, text).replace(database, "{database}")


def mask_text(text: str, database: str) -> str:
    """The text with everything masked that is not the statement's own doing."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.replace(database, "{database}")


def mask_answer(schema: str, rows: Sequence[str], database: str) -> list[str]:
    """The rows of a command, everything masked that is not its own doing; `schema` tells the columns."""
    if schema.startswith(_OF_EVERYBODY):
        return ["{transactions}"]
    names = _FIELD.findall(schema)
    return [_mask_columns(mask_text(row, database), names) for row in rows]


def _mask_columns(row: str, names: Sequence[str]) -> str:
    values = row.split("\t")
    if len(values) != len(names) or _UNSTABLE_COLUMNS.isdisjoint(names):
        return row
    masked = (
        f"{{{name}}}" if name in _UNSTABLE_COLUMNS and value != _NULL else value
        for name, value in zip(names, values, strict=True)
    )
    return "\t".join(masked)


def mask_path(path: str, database: str) -> str:
    """A relative path below a table: visibility transaction IDs and names of staging folders masked."""
    return _VISIBILITY.sub("_v{txn}", mask_text(path, database))


def mask_parameters(condition: str, parameters: Mapping[str, str], database: str) -> dict[str, str]:
    """The parameters of an error, sorted by name; those that can never be stable, and prose, are masked whole."""

    def mask(key: str) -> str:
        if condition.startswith(_PROSE_CONDITIONS) and key in _PROSE_PARAMETERS:
            return "{text}"
        return _UNSTABLE_PARAMETERS.get(key) or mask_text(str(parameters[key]), database)

    return {key: mask(key) for key in sorted(parameters)}

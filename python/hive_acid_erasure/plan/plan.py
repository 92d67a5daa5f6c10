"""The plan of an erasure: which tables, by which keys, within which limits."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hive_acid.api.tables import TableName
from hive_acid_erasure.canonical import format_canonical
from hive_acid_erasure.engine import Key


@dataclass(frozen=True)
class NamedKey:
    """A key of a table: the columns of a subject (or of a link) that its parts stand for, and their expressions."""

    columns: tuple[str, ...]
    key: Key

    def describe(self) -> dict[str, str]:
        return dict(zip(self.columns, self.key.parts, strict=True))


@dataclass(frozen=True)
class Step:
    """A table on the way to another. The rows that `keys` name give, by `link`, the key values of the next table.

    `deletes_shared`: rows go, too, by a link that rows of others give as well.
    """

    table: TableName
    keys: tuple[NamedKey, ...]
    link: NamedKey
    deletes_shared: bool = False

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        keys = [key.describe() for key in self.keys]
        shared = {"shared_links": "delete"} if self.deletes_shared else {}
        return {"table": str(self.table), "keys": keys, "link": self.link.describe(), **shared}


@dataclass(frozen=True)
class TablePlan:
    """A table to be freed of the subjects. `partitions` is an SQL condition over partition columns, None for all."""

    table: TableName
    keys: tuple[NamedKey, ...]
    via: tuple[Step, ...] = ()
    partitions: str | None = None

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        return {
            "table": str(self.table),
            "keys": [key.describe() for key in self.keys],
            "via": [step.describe() for step in self.via],
            "partitions": self.partitions,
        }


@dataclass(frozen=True)
class Guard:
    """How much of a table an erasure may remove; None: any number. `max_percent` counts against the visible rows."""

    max_rows: int | None = None
    max_percent: float | None = None

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        percent = None if self.max_percent is None else format(self.max_percent, ".15g")
        return {"max_rows": self.max_rows, "max_percent": percent}


@dataclass(frozen=True)
class SecondReader:
    """How much of a table the second reader reads; None: every file, and all of it. `max_rows` are about so many."""

    max_files: int | None = None
    max_rows: int | None = None

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it; empty without a limit."""
        if self == SecondReader():
            return {}
        return {"second_reader": {"max_files": self.max_files, "max_rows": self.max_rows}}

    @classmethod
    def read(cls, plan: Mapping[str, Any]) -> SecondReader:
        """The limits in the plan of a certificate."""
        told = plan.get("second_reader", {})
        return cls(told.get("max_files"), told.get("max_rows"))


@dataclass(frozen=True)
class SearchLimits:
    """The parts that the verification leaves out. `former_columns`: columns are searched that a table has no more."""

    second_reader: SecondReader = SecondReader()
    former_columns: bool = True

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it; empty without a limit, so that plans of before have the same digest."""
        return {**self.second_reader.describe(), **({} if self.former_columns else {"former_columns": False})}

    @classmethod
    def read(cls, plan: Mapping[str, Any]) -> SearchLimits:
        """The limits in the plan of a certificate."""
        return cls(SecondReader.read(plan), plan.get("former_columns", True))


@dataclass(frozen=True)
class Plan:
    """The whole of what is to be erased. Tables stand in the order in which they are.

    A table that another's path goes through stands after it. `deadline` is an ISO 8601 time, None for none.
    """

    subject_columns: tuple[str, ...]
    tables: tuple[TablePlan, ...]
    guard: Guard = Guard()
    deadline: str | None = None
    one_transaction: bool = False
    search_limits: SearchLimits = SearchLimits()

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        return {
            "subject_columns": list(self.subject_columns),
            "tables": [table.describe() for table in self.tables],
            "guard": self.guard.describe(),
            "deadline": self.deadline,
            "one_transaction": self.one_transaction,
            **self.search_limits.describe(),
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the plan's canonical form, in hexadecimal."""
        return hashlib.sha256(format_canonical(self.describe())).hexdigest()

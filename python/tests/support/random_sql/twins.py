"""The second implementation: rows in the driver's memory, computed by queries of Spark's anew for every statement.

Nothing of this package is in it. Values are what Spark's own INSERT into a plain Parquet table, the sink, would store:
the query of its plan casts them to the columns or refuses them, and no file is written. A statement that fails, or is
undone, leaves the rows that were there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from support.random_sql.effects import (
    AddColumns,
    Change,
    Create,
    Delete,
    Drop,
    Effect,
    Insert,
    Matched,
    Merge,
    Overwrite,
    Replace,
    ReplaceMatches,
    Update,
)
from support.random_sql.tables import TableSpec
from support.random_sql.texts import ROWS_END

_NAMES: Final = re.compile(r"\bacid_(\w)\b")
_LENGTH: Final = re.compile(r"^(?:VAR)?CHAR\((\d+)\)$")
_ROW_IDS: Final = re.compile(rf"ROW__ID IN \(SELECT ROW__ID FROM acid_\w WHERE (.*?) {re.escape(ROWS_END)}\)")


class MustFail(Exception):
    """A rule of the statement's own says no: a NULL too many, a row that matches twice, rows outside of a condition."""


@dataclass(frozen=True)
class Twin:
    """One table and its rows, a list of the JVM's."""

    table: TableSpec
    rows: Any

    @property
    def name(self) -> str:
        """Of the view with the rows."""
        return translate(self.table.name)

    @property
    def sink(self) -> str:
        return f"sink_of_{self.table.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.table.columns)

    @property
    def all_rows(self) -> str:
        return f"SELECT {', '.join(self.columns)} FROM {self.name}"


def translate(text: str) -> str:
    """The text about the views with the rows, which have no row IDs."""
    return _NAMES.sub(r"plain_\1", _ROW_IDS.sub(r"coalesce((\1), false)", text))


class Twins:
    """The tables of the session's current database."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._jvm: Any = spark._jvm
        self._tables: dict[str, Twin] = {}
        self._schemas: dict[str, Any] = {}

    def table(self, name: str) -> TableSpec:
        """As it is now."""
        return self._tables[name].table

    @property
    def names(self) -> Sequence[str]:
        """Of all tables."""
        return sorted(self._tables)

    def mark(self) -> dict[str, Twin]:
        """What `go_back` goes back to."""
        return dict(self._tables)

    def go_back(self, mark: dict[str, Twin]) -> None:
        """Undoes all since then but DDL."""
        for twin in mark.values():
            self._show(twin)

    def end(self) -> None:
        """Removes the views."""
        for twin in self._tables.values():
            self._spark.catalog.dropTempView(twin.name)

    def apply(self, effect: Effect) -> dict[str, int]:
        """Does it, and tells how many rows were affected; the table is as it was if it raises anything."""
        if isinstance(effect, Create):
            self._define(effect.table)
            self._show(Twin(effect.table, self._list()))
            return {}
        twin = self._tables.get(effect.table)
        if twin is None:
            raise MustFail(f"no table {effect.table}")
        if isinstance(effect, Drop):
            self._forget(twin)
            return {}
        if isinstance(effect, AddColumns):
            twin = self._add_columns(twin, effect)
            rows, counts = twin.rows, dict[str, int]()
        else:
            rows, counts = self._change(twin, effect)
        changed = Twin(twin.table, rows)
        self._check_required(changed)
        self._show(changed)
        return counts

    def _change(self, twin: Twin, effect: Change) -> tuple[Any, dict[str, int]]:
        """Rows and counts afterwards."""
        match effect:
            case Insert():
                new = self._assign(twin, effect.columns, translate(effect.query))
                return self._list(twin.rows, new), {"affected": new.size()}
            case Overwrite():
                return self._overwrite(twin, effect)
            case Replace():
                return self._replace(twin, effect)
            case ReplaceMatches():
                return self._replace_matches(twin, effect)
            case Update():
                return self._update(twin, effect)
            case Delete():
                rows = self._collect(_rest(twin, effect))
                return rows, {"affected": twin.rows.size() - rows.size()} if effect.counts else {}
            case Merge():
                return self._merge(twin, effect)

    def _forget(self, twin: Twin) -> None:
        self._spark.sql(f"DROP TABLE {twin.sink}")
        self._spark.catalog.dropTempView(twin.name)
        del self._tables[twin.table.name]

    def _add_columns(self, twin: Twin, effect: AddColumns) -> Twin:
        """By a new sink, whose rows have NULL there."""
        wider = Twin(twin.table.with_columns(effect.columns), None)
        self._spark.sql(f"DROP TABLE {twin.sink}")
        self._define(wider.table)
        return Twin(wider.table, self._assign(wider, twin.columns, twin.all_rows))

    def _define(self, table: TableSpec) -> None:
        """The sink."""
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        sink, session = Twin(table, None).sink, self._spark
        session.sql(f"CREATE TABLE {sink} ({columns}) USING parquet")
        frame: Any = session.table(sink)
        self._schemas[sink] = frame._jdf.schema()

    def _show(self, twin: Twin) -> None:
        self._frame(twin).createOrReplaceTempView(twin.name)
        self._tables[twin.table.name] = twin

    def _frame(self, twin: Twin) -> DataFrame:
        session: Any = self._spark
        return DataFrame(session._jsparkSession.createDataFrame(twin.rows, self._schemas[twin.sink]), self._spark)

    def _list(self, *parts: Any) -> Any:
        rows = self._jvm.java.util.ArrayList()
        for part in parts:
            rows.addAll(part)
        return rows

    def _collect(self, query: str) -> Any:
        frame: Any = self._spark.sql(query)
        return frame._jdf.collectAsList()

    def _assign(self, twin: Twin, columns: Sequence[str], query: str) -> Any:
        """The rows of a query as Spark's own INSERT leaves them."""
        session: Any = self._spark
        state = session._jsparkSession.sessionState()

        def plan(logical: Any) -> Any:
            return state.executePlan(logical, getattr(state, "executePlan$default$2")())

        insert = state.sqlParser().parsePlan(f"INSERT OVERWRITE {twin.sink} ({', '.join(columns)}) {query}")
        cast = plan(insert).analyzed().query()
        rows = self._list()
        for row in plan(cast).executedPlan().executeCollectPublic():
            rows.add(row)
        self._check_lengths(Twin(twin.table, rows))
        return rows

    def _check_lengths(self, twin: Twin) -> None:
        """A setting of Spark's takes its own check of lengths away, and leaves ours."""
        lengths = {column.name: _LENGTH.search(column.type) for column in twin.table.columns}
        longer = " OR ".join(f"length(rtrim({name})) > {found[1]}" for name, found in lengths.items() if found)
        if longer and self._frame(twin).filter(longer).collect():
            raise MustFail("a text is longer than its column")

    def _check_required(self, twin: Twin) -> None:
        required = [column.name for column in twin.table.columns if column.is_required]
        nulls = " OR ".join(f"{name} IS NULL" for name in required)
        if required and self._frame(twin).filter(nulls).collect():
            raise MustFail(f"NULL in {required}")

    def _overwrite(self, twin: Twin, effect: Overwrite) -> tuple[Any, dict[str, int]]:
        new = self._assign(twin, effect.columns, translate(effect.query))
        goes = f"coalesce({effect.replaced}, false)"
        if effect.by_partition:
            same = " AND ".join(f"n.{key} <=> o.{key}" for key in effect.by_partition)
            self._frame(Twin(twin.table, new)).createOrReplaceTempView("new_rows")
            goes += f" AND EXISTS (SELECT 1 FROM new_rows n WHERE {same})"
        kept = self._collect(f"SELECT {_listed(twin, 'o')} FROM {twin.name} o WHERE NOT ({goes})")
        return self._list(kept, new), {"affected": new.size()}

    def _replace(self, twin: Twin, effect: Replace) -> tuple[Any, dict[str, int]]:
        new, goes = self._assign(twin, effect.columns, translate(effect.query)), f"coalesce({effect.condition}, false)"
        if self._frame(Twin(twin.table, new)).filter(f"NOT {goes}").collect():
            raise MustFail("a new row does not satisfy the condition")
        kept = self._collect(f"{twin.all_rows} WHERE NOT {goes}")
        return self._list(kept, new), {"affected": twin.rows.size() - kept.size() + new.size()}

    def _replace_matches(self, twin: Twin, effect: ReplaceMatches) -> tuple[Any, dict[str, int]]:
        query = translate(effect.query)
        new = self._assign(twin, effect.columns, query)
        self._frame(Twin(twin.table, new)).createOrReplaceTempView("new_rows")
        same = " AND ".join(f"t.{name} = s.{name}" for name in effect.using)
        matching = f"new_rows s ON {same}" if same else f"({query}) s ON {translate(effect.on)}"
        kept = self._collect(f"SELECT {_listed(twin, 't')} FROM {twin.name} t LEFT ANTI JOIN {matching}")
        return self._list(kept, new), {"affected": twin.rows.size() - kept.size() + new.size()}

    def _update(self, twin: Twin, effect: Update) -> tuple[Any, dict[str, int]]:
        kept = self._collect(_rest(twin, effect))
        query = f"SELECT {_assigned(twin, effect, effect.alias)} FROM {_chosen(twin, effect)}"
        new = self._assign(twin, twin.columns, query)
        return self._list(kept, new), {"affected": new.size()}

    def _merge(self, twin: Twin, effect: Merge) -> tuple[Any, dict[str, int]]:
        target, source, on = f"{twin.name} t", f"({translate(effect.source)}) s", translate(effect.on)
        joined, unmatched = f"{target} JOIN {source} ON {on}", f"{target} LEFT ANTI JOIN {source} ON {on}"
        semi = f"{target} LEFT SEMI JOIN {source} ON {on}"
        if not effect.needs_one_match:
            joined = semi
        elif self._collect(f"SELECT 1 FROM {joined}").size() != self._collect(f"SELECT 1 FROM {semi}").size():
            raise MustFail("a row matches twice")
        parts, counts = [], {"updated": 0, "deleted": 0, "inserted": 0}
        for rows, clauses in ((joined, effect.matched), (unmatched, effect.by_source)):
            parts.append(self._collect(translate(f"SELECT {_listed(twin, 't')} FROM {rows} WHERE {_none(clauses)}")))
            for place, clause in enumerate(clauses):
                chosen = f"FROM {rows} WHERE {_first(clauses, place)}"
                if clause.assigned:
                    query = f"SELECT {_assigned(twin, clause, 't')} {chosen}"
                    parts.append(self._assign(twin, twin.columns, translate(query)))
                    counts["updated"] += parts[-1].size()
                else:
                    counts["deleted"] += self._collect(translate(f"SELECT 1 {chosen}")).size()
        for place, insert in enumerate(effect.not_matched):
            values = ", ".join(insert.values.values())
            new = f"{source} LEFT ANTI JOIN {target} ON {on} WHERE {_first(effect.not_matched, place)}"
            parts.append(self._assign(twin, tuple(insert.values), translate(f"SELECT {values} FROM {new}")))
            counts["inserted"] += parts[-1].size()
        return self._list(*parts), {"affected": sum(counts.values()), **counts}


def _listed(twin: Twin, alias: str) -> str:
    return ", ".join(f"{alias}.{name}" for name in twin.columns)


def _assigned(twin: Twin, effect: Update | Matched, alias: str) -> str:
    assigned = {name: translate(value) for name, value in effect.assigned.items()}
    return ", ".join(assigned.get(name, f"{alias}.{name}") for name in twin.columns)


def _rest(twin: Twin, effect: Update | Delete) -> str:
    """The rows for which the condition is not true."""
    where = translate(effect.where)
    return f"SELECT {_listed(twin, effect.alias)} FROM {twin.name} {effect.alias} WHERE NOT coalesce({where}, false)"


def _chosen(twin: Twin, effect: Update) -> str:
    return f"{twin.name} {effect.alias} WHERE {translate(effect.where)}"


def _first(clauses: Sequence[Any], place: int) -> str:
    """The rows that this clause gets: those of no clause before it."""
    return f"coalesce({clauses[place].condition}, false) AND {_none(clauses[:place])}"


def _none(clauses: Sequence[Any]) -> str:
    return " AND ".join(f"NOT coalesce({clause.condition}, false)" for clause in clauses) or "true"

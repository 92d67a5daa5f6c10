"""Random UPDATEs, DELETEs and MERGEs."""

from __future__ import annotations

from collections.abc import Mapping

from support.random_sql.effects import Delete, Matched, Merge, NotMatched, Update
from support.random_sql.steps import Step, sql
from support.random_sql.tables import TableSpec
from support.random_sql.texts import Texts

MISFITS = 0.15
TWICE = 0.12
"""How many sources of a MERGE have each ID twice."""


class Changes:
    """Draws them."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._chance = texts.chance

    def draw(self, table: TableSpec, other: TableSpec) -> list[Step]:
        """One of any kind."""
        kinds = (self._update, self._delete, self._merge)
        return [self._chance.choices(kinds, (5, 3, 5))[0](table, other)]

    def _assigned(self, table: TableSpec, source: TableSpec, own: str, others: str) -> dict[str, str]:
        """Values by column, from columns of the table or of the source."""
        columns = self._chance.sample(table.columns, self._chance.randint(1, min(3, len(table.columns))))
        assigned = {}
        for column in columns:
            of, qualifier = self._chance.choice(((table, own), (source, others)))
            value = self._texts.expression(column, column in table.keys, of, qualifier)
            if self._chance.random() < MISFITS:
                value = self._texts.misfit(column, own)
            assigned[column.name] = value
        return assigned

    def _update(self, table: TableSpec, other: TableSpec) -> Step:
        where, assigned = self._texts.where(table, other, "t"), self._assigned(table, table, "t", "t")
        if self._chance.random() < 0.15:
            assigned["id"] = f"(SELECT coalesce(max(m.id), 3) FROM {other.name} m WHERE m.id < 20)"
        said = ", ".join(f"{name} = {value}" for name, value in assigned.items())
        effect = Update(table.name, "t", assigned, where)
        call = sql(f"UPDATE {table.name} AS t SET {said} WHERE {where}", effect, asked=f"UPDATE {table.name}")
        return Step("UPDATE", (call,))

    def _delete(self, table: TableSpec, other: TableSpec) -> Step:
        where = self._texts.narrow(self._texts.where(table, other, "t"), "t")
        call = sql(
            f"DELETE FROM {table.name} AS t WHERE {where}",
            Delete(table.name, "t", where),
            asked=f"DELETE {table.name}",
        )
        return Step("DELETE", (call,))

    def _source(self, table: TableSpec, other: TableSpec) -> tuple[str, TableSpec]:
        """A query, mostly with no ID twice, and a table that has its columns."""
        of = self._chance.choice((table, other))
        if self._chance.random() < 0.3:
            return f"SELECT * FROM {of.name} WHERE {self._texts.condition(of)}", of
        ids = self._chance.sample(range(30), self._chance.randint(1, 7))
        if self._chance.random() < TWICE:
            ids *= 2
        values = []
        for number in ids:
            _, _, rest = self._texts.row(of).partition(", ")
            values.append(f"SELECT {number} AS id" + f", {rest}" * bool(rest))
        listed = ", ".join(column.name for column in of.columns)
        return f"SELECT * FROM ({' UNION ALL '.join(values)}) AS v ({listed})", of

    def _condition(self, table: TableSpec, source: TableSpec) -> str:
        of, qualifier = self._chance.choice(((table, "t"), (source, "s")))
        return self._texts.condition(of, qualifier, depth=1)

    def _merge(self, table: TableSpec, other: TableSpec) -> Step:
        query, source = self._source(table, other)
        on = "t.id = s.id"
        if self._chance.random() < 0.3:
            on += f" AND {self._condition(table, source)}"
        if table.keys and self._chance.random() < 0.3:
            key = self._chance.choice(table.keys)
            on += f" AND t.{key.name} = {self._texts.literal(key, is_key=True)}"
        matched = tuple(
            Matched(self._condition(table, source), self._assigned(table, source, "t", "s"))
            if self._chance.random() < 0.6
            else Matched(self._condition(table, source))
            for _ in range(self._chance.randint(0, 2))
        )
        if self._chance.random() < 0.3:
            matched = (*matched, Matched("true"))
        by_source = tuple(
            Matched(self._texts.narrow(self._texts.condition(table, "t", 1), "t"))
            if self._chance.random() < 0.5
            else Matched(self._texts.condition(table, "t", 1), self._assigned(table, table, "t", "t"))
            for _ in range(self._chance.choice((0, 0, 1, 2)))
        )
        not_matched = tuple(
            NotMatched(self._texts.condition(source, "s", 1), self._inserted(table, source))
            for _ in range(self._chance.randint(0, 2))
        )
        if not (matched or by_source or not_matched):
            not_matched = (NotMatched("true", self._inserted(table, source)),)
        merge = Merge(table.name, query, on, matched, not_matched, by_source)
        return Step("MERGE", (sql(_merge_text(merge), merge, asked=f"MERGE {table.name}"),))

    def _inserted(self, table: TableSpec, source: TableSpec) -> dict[str, str]:
        return {
            column.name: self._texts.expression(column, column in table.keys, source, "s")
            for column in table.columns
            if column.is_required or column in table.keys or column.name == "id" or self._chance.random() < 0.8
        }


def _merge_text(merge: Merge) -> str:
    parts = [f"MERGE INTO {merge.table} AS t USING ({merge.source}) AS s ON {merge.on}"]
    parts += [f"WHEN MATCHED{_and(clause.condition)} THEN {_change(clause.assigned)}" for clause in merge.matched]
    for insert in merge.not_matched:
        said = f"INSERT ({', '.join(insert.values)}) VALUES ({', '.join(insert.values.values())})"
        parts.append(f"WHEN NOT MATCHED{_and(insert.condition)} THEN {said}")
    for clause in merge.by_source:
        parts.append(f"WHEN NOT MATCHED BY SOURCE{_and(clause.condition)} THEN {_change(clause.assigned)}")
    return " ".join(parts)


def _and(condition: str) -> str:
    return "" if condition == "true" else f" AND {condition}"


def _change(assigned: Mapping[str, str]) -> str:
    return "UPDATE SET " + ", ".join(f"{name} = {value}" for name, value in assigned.items()) if assigned else "DELETE"

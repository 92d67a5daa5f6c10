"""Random segments: everything follows from the seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from support.random_sql.changes import Changes
from support.random_sql.effects import AddColumns, Create, Delete, Drop
from support.random_sql.inserts import Inserts
from support.random_sql.settings import MEANING, NEUTRAL, draw, redraw
from support.random_sql.steps import Adoption, HandCompaction, Query, Segment, Settings, Step, Worker, sql
from support.random_sql.tables import KEY_VALUES, VALUES, Column, Kind, TableSpec, draw_table
from support.random_sql.texts import Texts

TABLES = ("acid_a", "acid_b")
MAX_STEPS = 40
NO_PARTITION = "HIVE_ACID_PARTITION_NOT_FOUND"
THINS_OUT_EVERY = 12
"""Statements after which a DELETE keeps the tables small."""


class Generator:
    """Draws the steps of one segment. It knows the columns of each table, and no rows."""

    def __init__(self, seed: str, *, has_rebalance: bool = True) -> None:
        self._chance = random.Random(seed)
        settings = draw(self._chance, MEANING | NEUTRAL)
        self._has_chars = settings.get("spark.sql.legacy.charVarcharAsString") != "true"
        self._is_static = settings.get("spark.sql.sources.partitionOverwriteMode") == "static"
        self._has_rebalance = has_rebalance
        is_strict = settings["spark.sql.storeAssignmentPolicy"] == "STRICT"
        texts = self._texts = Texts(self._chance, has_typed_nulls=is_strict)
        self._tables: dict[str, TableSpec] = {}
        self._inserts = Inserts(texts, self._is_static)
        self._changes = Changes(texts)
        self._segment = Segment(seed, settings)

    def segment(self, steps: int = MAX_STEPS) -> Segment:
        """All of it."""
        drawn = self._segment.steps
        for name in TABLES:
            drawn += self._create(name)
        while len(drawn) < steps:
            if len(drawn) % THINS_OUT_EVERY == 0:
                drawn.append(self._thin_out())
            drawn += self._next()
        return self._segment

    def _next(self) -> list[Step]:
        table, other = (self._tables[name] for name in self._chance.sample(TABLES, 2))
        choices: Mapping[Callable[[TableSpec, TableSpec], list[Step]], int] = {
            self._inserts.draw: 22,
            self._query: 12,
            self._compact: 9,
            self._set: 4,
            self._alter: 6,
            self._truncate: 2,
            self._block: 8,
            self._create_anew: 2,
            **({self._changes.draw: 36} if table.changes_rows else {}),
        }
        return self._chance.choices(list(choices), list(choices.values()))[0](table, other)

    def _create(self, name: str) -> list[Step]:
        table = self._tables[name] = draw_table(self._chance, name, has_chars=self._has_chars)
        steps = [Step(f"CREATE, {table.kind.value}", (sql(table.sql, Create(table)),))]
        if table.kind is Kind.ORIGINALS:
            steps.append(self._inserts.fill(table, is_plain=True))
            adopted = f"ALTER TABLE {name} SET TBLPROPERTIES ('transactional'='true')"
            steps.append(Adoption("ALTER TABLE to transactional", (sql(adopted),), table=name))
        return [*steps, self._inserts.fill(table)]

    def _create_anew(self, table: TableSpec, other: TableSpec) -> list[Step]:
        dropped = sql(f"DROP TABLE {table.name}", Drop(table.name), asked=f"DROP TABLE {table.name}")
        return [Step("DROP TABLE", (dropped,)), *self._create(table.name)]

    def _query(self, table: TableSpec, other: TableSpec) -> list[Step]:
        return [Query("SELECT", (), query=self._texts.query(table, other))]

    def _set(self, table: TableSpec, other: TableSpec) -> list[Step]:
        changed = redraw(self._chance)
        texts = (f"SET {key}={value}" if value else f"RESET {key}" for key, value in changed)
        return [Settings("SET", tuple(map(sql, texts)), changed=changed)]

    def _compact(self, table: TableSpec, other: TableSpec) -> list[Step]:
        if table.kind is Kind.ACID and not table.has_grown and self._chance.random() < 0.3:
            is_major, hive_4, cleans = (self._chance.random() < 0.5 for _ in range(3))
            by_hand = HandCompaction(
                "COMPACT by hand", (), table=table.name, is_major=is_major, hive_4=hive_4, cleans=cleans
            )
            return [by_hand]
        kinds = ["minor", "major", "major"]
        if self._has_rebalance and table.changes_rows and not table.buckets:
            kinds.append("rebalance")
        kind = self._chance.choice(kinds)
        text = f"ALTER TABLE {table.name}"
        if table.keys and self._chance.random() < 0.4:
            text += f" PARTITION ({self._keys(table)})"
        if self._chance.random() < 0.3:
            return [Worker(f"COMPACT '{kind}' by a worker", (sql(f"{text} COMPACT '{kind}'", refusal=NO_PARTITION),))]
        return [Step(f"COMPACT '{kind}'", (sql(f"{text} COMPACT '{kind}' AND WAIT", refusal=NO_PARTITION),))]

    def _keys(self, table: TableSpec) -> str:
        return ", ".join(f"{key.name} = {self._chance.choice(KEY_VALUES[key.type])}" for key in table.keys)

    def _alter(self, table: TableSpec, other: TableSpec) -> list[Step]:
        if table.keys and self._chance.random() < 0.6:
            return [self._alter_partition(table)]
        if len(table.own) > 9:
            return self._query(table, other)
        types = [type_ for type_ in VALUES if self._has_chars or not type_.startswith("CHAR")]
        added = tuple(
            Column(f"c{len(table.own) + more}", self._chance.choice(types))
            for more in range(self._chance.randint(1, 2))
        )
        self._tables[table.name] = table.with_columns(added)
        text = f"ALTER TABLE {table.name} ADD COLUMNS ({', '.join(column.sql for column in added)})"
        return [Step("ADD COLUMNS", (sql(text, AddColumns(table.name, added)),))]

    def _alter_partition(self, table: TableSpec) -> Step:
        values = self._keys(table)
        if self._chance.random() < 0.4:
            return Step("ADD PARTITION", (sql(f"ALTER TABLE {table.name} ADD IF NOT EXISTS PARTITION ({values})"),))
        gone = Delete(table.name, table.name, values.replace(", ", " AND "), counts=False)
        return Step("DROP PARTITION", (sql(f"ALTER TABLE {table.name} DROP IF EXISTS PARTITION ({values})", gone),))

    def _truncate(self, table: TableSpec, other: TableSpec) -> list[Step]:
        if table.keys and self._chance.random() < 0.7:
            return [self._truncate_partition(table)]
        return [self._empty(table), self._inserts.fill(self._tables[table.name])]

    def _truncate_partition(self, table: TableSpec) -> Step:
        values = self._keys(table)
        gone = Delete(table.name, table.name, values.replace(", ", " AND "), counts=False)
        text = f"TRUNCATE TABLE {table.name} PARTITION ({values})"
        return Step("TRUNCATE PARTITION", (sql(text, gone, asked=f"TRUNCATE {table.name}", refusal=NO_PARTITION),))

    def _empty(self, table: TableSpec) -> Step:
        gone = Delete(table.name, table.name, "true", counts=False)
        call = sql(f"TRUNCATE TABLE {table.name}", gone, asked=f"TRUNCATE {table.name}")
        return Step("TRUNCATE", (call,))

    def _thin_out(self) -> Step:
        """Of tables that take no DELETE the rows are made anew."""
        table = self._tables[self._chance.choice(TABLES)]
        if not table.changes_rows:
            return self._empty(table)
        gone = Delete(table.name, table.name, "id > 6")
        return Step("DELETE", (sql(f"DELETE FROM {table.name} WHERE id > 6", gone, asked=f"DELETE {table.name}"),))

    def _block(self, table: TableSpec, other: TableSpec) -> list[Step]:
        calls = []
        for _ in range(self._chance.randint(2, 3)):
            changed, read = self._chance.sample((table, other), 2)
            is_change = changed.changes_rows and self._chance.random() < 0.6
            drawn = self._changes.draw(changed, read) if is_change else [self._inserts.fill(changed)]
            calls += drawn[0].calls
        is_undone = self._chance.random() < 0.25
        kind = "transaction that is undone" if is_undone else "transaction"
        return [Step(kind, tuple(calls), is_block=True, is_undone=is_undone)]

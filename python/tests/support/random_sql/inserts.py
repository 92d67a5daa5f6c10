"""Random INSERTs, by SQL and by DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hive_acid.spark_lines import is_before
from support.random_sql.effects import Insert, Overwrite, Replace, ReplaceMatches
from support.random_sql.steps import Call, Step, sql
from support.random_sql.tables import KEY_VALUES, Column, TableSpec
from support.random_sql.texts import Texts

MISFITS = 0.15
"""How many of the queries have a value that must be cast, or refused."""


def _names(columns: tuple[Column, ...]) -> tuple[str, ...]:
    return tuple(column.name for column in columns)


class Inserts:
    """Draws them; `is_static` is the setting by which an overwrite replaces all that its PARTITION covers."""

    def __init__(self, texts: Texts, is_static: bool) -> None:
        self._texts = texts
        self._chance = texts.chance
        self._is_static = is_static

    def draw(self, table: TableSpec, other: TableSpec) -> list[Step]:
        """One of any kind."""
        choices: Mapping[Callable[[TableSpec, TableSpec], Step], int] = {
            self._values: 4,
            self._select: 5,
            self._columns: 3,
            self._overwrite: 3,
            self._multi: 3,
            self._frame: 5,
            **({self._partition: 5} if table.keys else {}),
            **({self._replace: 3} if table.changes_rows else {}),
            **({self._replace_matches: 3} if table.changes_rows and not is_before("4.2") else {}),
        }
        return [self._chance.choices(list(choices), list(choices.values()))[0](table, other)]

    def fill(self, table: TableSpec, *, is_plain: bool = False) -> Step:
        """Some rows; `is_plain` if the table is not transactional yet."""
        rows = ", ".join(f"({self._texts.row(table)})" for _ in range(self._chance.randint(3, 9)))
        effect = Insert(table.name, _names(table.columns), f"VALUES {rows}")
        asked = "" if is_plain else f"INSERT {table.name}"
        call = sql(f"INSERT INTO {table.name} VALUES {rows}", effect, asked=asked)
        return Step("INSERT VALUES", (call,))

    def _values(self, table: TableSpec, other: TableSpec) -> Step:
        return self.fill(table)

    def _query(self, table: TableSpec, other: TableSpec, columns: tuple[Column, ...] = ()) -> str:
        source = self._chance.choice((table, other))
        fits = self._chance.random() > MISFITS
        return self._texts.select(table, columns or table.columns, source, fits=fits)

    def _select(self, table: TableSpec, other: TableSpec) -> Step:
        query = self._query(table, other)
        effect = Insert(table.name, _names(table.columns), query)
        return Step("INSERT SELECT", (sql(f"INSERT INTO {table.name} {query}", effect, asked=f"INSERT {table.name}"),))

    def _columns(self, table: TableSpec, other: TableSpec) -> Step:
        optional = [column for column in table.own[1:] if not column.is_required]
        left_out = self._chance.sample(optional, min(len(optional), 1))
        columns = [column for column in table.columns if column not in left_out]
        self._chance.shuffle(columns)
        query = self._query(table, other, tuple(columns))
        effect = Insert(table.name, _names(tuple(columns)), query)
        by = self._chance.random()
        head = f"({', '.join(effect.columns)})" if by < 0.7 else "BY NAME"
        text = f"INSERT INTO {table.name} {head} {query}"
        return Step("INSERT of some columns", (sql(text, effect, asked=f"INSERT {table.name}"),))

    def _overwrite(self, table: TableSpec, other: TableSpec) -> Step:
        query = self._query(table, other)
        keys = () if self._is_static else _names(table.keys)
        effect = Overwrite(table.name, _names(table.columns), query, by_partition=keys)
        text = f"INSERT OVERWRITE {table.name} {query}"
        return Step("INSERT OVERWRITE", (sql(text, effect, asked=f"OVERWRITE {table.name}"),))

    def _partition(self, table: TableSpec, other: TableSpec) -> Step:
        """PARTITION with values for the first key, or for all."""
        count = self._chance.randint(1, len(table.keys))
        fixed = {key.name: self._chance.choice(KEY_VALUES[key.type]) for key in table.keys[:count]}
        query = self._query(table, other, table.own + table.keys[count:])
        said = ", ".join([*(f"{key} = {value}" for key, value in fixed.items()), *_names(table.keys[count:])])
        columns = _names(table.own + table.keys[count:])
        whole = f"SELECT *, {', '.join(fixed.values())} FROM ({query})"
        if self._chance.random() < 0.5:
            effect = Insert(table.name, (*columns, *fixed), whole)
            text = f"INSERT INTO {table.name} PARTITION ({said}) {query}"
            return Step("INSERT PARTITION", (sql(text, effect, asked=f"INSERT {table.name}"),))
        covered = " AND ".join(f"{key} <=> {value}" for key, value in fixed.items())
        dynamic = () if self._is_static or count == len(table.keys) else _names(table.keys)
        over = Overwrite(table.name, (*columns, *fixed), whole, covered, dynamic)
        text = f"INSERT OVERWRITE {table.name} PARTITION ({said}) {query}"
        return Step("INSERT OVERWRITE PARTITION", (sql(text, over, asked=f"OVERWRITE {table.name}"),))

    def _replacing(self, table: TableSpec, other: TableSpec) -> tuple[str, str]:
        """Condition and query, whose rows satisfy it, most of the time."""
        condition, query = self._texts.condition(table, depth=1), self._query(table, other)
        if self._chance.random() < 0.85:
            query = f"SELECT * FROM ({query}) WHERE {condition}"
        return condition, query

    def _replace(self, table: TableSpec, other: TableSpec) -> Step:
        condition, query = self._replacing(table, other)
        effect = Replace(table.name, _names(table.columns), query, condition)
        text = f"INSERT INTO {table.name} REPLACE WHERE {condition} {query}"
        return Step("INSERT REPLACE WHERE", (sql(text, effect, asked=f"REPLACE {table.name}"),))

    def _replace_matches(self, table: TableSpec, other: TableSpec) -> Step:
        name, columns = table.name, _names(table.columns)
        query = f"SELECT * FROM ({self._query(table, other)}) AS v ({', '.join(columns)})"
        if self._chance.random() < 0.5:
            using = ("id", *_names(table.keys[: self._chance.randint(0, len(table.keys))]))
            effect = ReplaceMatches(name, columns, query, using=using)
            text = f"INSERT INTO {name} REPLACE USING ({', '.join(using)}) {query}"
        else:
            on = f"t.id {self._chance.choice(('=', '<=>'))} s.id"
            if self._chance.random() < 0.4:
                on += f" AND {self._texts.condition(table, self._chance.choice('ts'), depth=1)}"
            effect = ReplaceMatches(name, columns, query, on=on)
            text = f"INSERT INTO {name} AS t REPLACE ON {on} ({query}) AS s"
        return Step("INSERT REPLACE USING or ON", (sql(text, effect, asked=f"REPLACE {name}"),))

    def _multi(self, table: TableSpec, other: TableSpec) -> Step:
        """Into both tables at once, from rows of one of them."""
        source, effects, inserts = self._chance.choice((table, other)), [], []
        for target in (table, other):
            query = self._texts.select(target, target.columns, source, fits=True)
            select, condition = query.split(f" FROM {source.name} ", 1)
            effects.append(Insert(target.name, _names(target.columns), query))
            inserts.append(f"INSERT INTO {target.name} {select} {condition}")
        effects.sort(key=lambda insert: insert.table == source.name)  # all read the rows of before
        text = f"FROM {source.name} {' '.join(inserts)}"
        return Step("INSERT into two tables", (Call(f"spark.sql({text!r})", tuple(effects)),))

    def _frame(self, table: TableSpec, other: TableSpec) -> Step:
        name, columns = table.name, _names(table.columns)
        query = self._query(table, other)
        partition_keys, every = _names(table.keys), _names(table.keys)
        kept = () if self._is_static else partition_keys
        condition, replacing = self._replacing(table, other)
        effects = {
            f".write.insertInto({name!r})": (Insert(name, columns, query), "INSERT"),
            f".write.insertInto({name!r}, overwrite=True)": (
                Overwrite(name, columns, query, by_partition=kept),
                "OVERWRITE",
            ),
            f".writeTo({name!r}).append()": (Insert(name, columns, query), "INSERT"),
            f".write.mode('append').saveAsTable({name!r})": (Insert(name, columns, query), "INSERT"),
            f".write.mode('overwrite').option('partitionOverwriteMode', 'dynamic').insertInto({name!r})": (
                Overwrite(name, columns, query, by_partition=every),
                "OVERWRITE",
            ),
            f".write.option('partitionOverwriteMode', 'static').insertInto({name!r}, overwrite=True)": (
                Overwrite(name, columns, query),
                "OVERWRITE",
            ),
            f".writeTo({name!r}).overwritePartitions()": (
                Overwrite(name, columns, query, by_partition=every),
                "OVERWRITE",
            ),
        }
        if table.changes_rows:
            replaced = Replace(name, columns, replacing, condition)
            effects[f".writeTo({name!r}).overwrite(functions.expr({condition!r}))"] = (replaced, "REPLACE")
            written = f".write.mode('overwrite').option('replaceWhere', {condition!r})"
            effects[f"{written}.saveAsTable({name!r})"] = (replaced, "REPLACE")
        method = self._chance.choice(list(effects))
        effect, kind = effects[method]
        return Step("DataFrame write", (Call(f"spark.sql({effect.query!r}){method}", (effect,), f"{kind} {name}"),))

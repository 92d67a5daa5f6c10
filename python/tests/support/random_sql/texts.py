"""Random conditions, expressions and queries, as SQL that means the same to both implementations."""

from __future__ import annotations

import random
from collections.abc import Sequence

from support.random_sql.tables import COMPARED, KEY_VALUES, NULLS, VALUES, Column, TableSpec

ROWS_END = "/* row IDs */"
"""Ends the condition of a subquery of row IDs, which tables without row IDs judge row by row (`twins.py`)."""

_WHOLE = ("{0} * 3000000000", "({0} + 1.75D)", "({0} * 12345BD)", "CAST({0} AS BIGINT)")
_SHORT = ("repeat('long ', {0})", "concat('abc', {0})", "CAST({0} AS STRING)", "concat('a', {0}, '      ')")
_MISFITS = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT"), _WHOLE),
    **dict.fromkeys(("VARCHAR", "CHAR"), _SHORT),
    "BIGINT": ("({0} * 1e18D)", "({0} * 999999999999999999BD)"),
    "DECIMAL": ("({0} * 99999999999.12345BD)", "({0} + 0.123456789D)"),
    "STRING": ("{0}", "({0} > 5)", "date_add(DATE '2021-03-04', {0})"),
    "DATE": ("timestamp_seconds({0} * 86399)",),
    "TIMESTAMP": ("date_add(DATE '2021-03-04', {0})",),
    "FLOAT": ("({0} * 1e38D)",),
}
"""What an INSERT may cast to columns of the type, as far as a value allows it."""
_OF_ANY_TYPE = ("concat('abc', {0})", "({0} + 1.75D)", "date_add(DATE '2021-03-04', {0})", "({0} > 5)", "{0}")


class Texts:
    """Draws texts, in which a name may be written in either case.

    With `has_typed_nulls` each NULL has a type: under the policy STRICT Spark's INSERT takes no other.
    """

    def __init__(self, chance: random.Random, *, has_typed_nulls: bool) -> None:
        self.chance = chance
        self._has_typed_nulls = has_typed_nulls

    def name(self, column: Column, qualifier: str = "") -> str:
        """A reference to it."""
        text = column.name if self.chance.random() < 0.8 else column.name.upper()
        return f"{qualifier}.{text}" if qualifier else text

    def literal(self, column: Column, *, is_key: bool = False) -> str:
        """A value of the column."""
        if not column.is_required and self.chance.random() < NULLS:
            return f"CAST(NULL AS {column.type})" if self._has_typed_nulls else "NULL"
        return self.chance.choice(KEY_VALUES[column.type] if is_key else VALUES[column.type])

    def row(self, table: TableSpec) -> str:
        """Values of all its columns."""
        own = [self.literal(column) for column in table.own]
        return ", ".join((*own, *(self.literal(key, is_key=True) for key in table.keys)))

    def expression(self, wanted: Column, is_key: bool, table: TableSpec, qualifier: str = "") -> str:
        """A value for the column, of columns of the table."""
        same = [column for column in table.columns if column.type == wanted.type]
        if is_key or not same or self.chance.random() < 0.4:
            return self.literal(wanted, is_key=is_key)
        name = self.name(self.chance.choice(same), qualifier)
        forms = ["{0}", "CASE WHEN {1} THEN {0} ELSE {2} END", "coalesce({0}, {2})"]
        if wanted.type in ("INT", "SMALLINT", "TINYINT", "BIGINT"):
            forms += [f"pmod({{0}}, {self.chance.randint(2, 30)})"] * 3
        if wanted.type == "STRING":
            forms += ["upper({0})", "concat_ws('-', {0}, 'x')", "substr({0}, 1, 3)"]
        if wanted.type == "DATE":
            forms += ["make_date(2001, 2, 3)", "last_day({0})"]
        form = self.chance.choice(forms)
        return form.format(name, self.condition(table, qualifier), self.literal(wanted))

    def misfit(self, wanted: Column, qualifier: str = "") -> str:
        """A value that is cast, or is refused: by its type, its size, its length, or for being NULL.

        It hangs on the row: a constant may be refused although no row gets it.
        """
        id_ = f"{qualifier}.id" if qualifier else "id"
        if wanted.is_required and self.chance.random() < 0.5:
            return f"CASE WHEN {id_} < 100 THEN NULL END"
        forms = _MISFITS.get(wanted.type.partition("(")[0], ()) if self.chance.random() < 0.75 else ()
        return self.chance.choice(forms or _OF_ANY_TYPE).format(id_)

    def condition(self, table: TableSpec, qualifier: str = "", depth: int = 2) -> str:
        """A predicate that ends in no error."""
        shape = self.chance.random()
        if depth and shape < 0.35:
            sides = [self.condition(table, qualifier, depth - 1) for _ in range(2)]
            return f"({sides[0]} {self.chance.choice(('AND', 'OR'))} {sides[1]})"
        if depth and shape < 0.42:
            return f"NOT ({self.condition(table, qualifier, depth - 1)})"
        return self._simple(table, qualifier)

    def _simple(self, table: TableSpec, qualifier: str) -> str:
        compared = [column for column in table.columns if column.type in COMPARED]
        column = self.chance.choice((table.columns[0], *table.keys, self.chance.choice(compared)))
        is_key = column in table.keys
        name = self.name(column, qualifier)
        match self.chance.randrange(6):
            case 0:
                return f"{name} IS {self.chance.choice(('', 'NOT '))}NULL"
            case 1:
                return f"{name} <=> {self.literal(column, is_key=is_key)}"
            case 2:
                values = ", ".join(self.literal(column, is_key=is_key) for _ in range(self.chance.randint(1, 4)))
                return f"{name} {self.chance.choice(('', 'NOT '))}IN ({values})"
            case 3 if column.type == "INT":
                low = self.chance.randint(-5, 25)
                return f"{name} BETWEEN {low} AND {low + self.chance.randint(0, 12)}"
            case 4 if column.type == "STRING":
                return f"{name} LIKE '{self.chance.choice(('a%', '%b', '_', '%'))}'"
            case _:
                operator = self.chance.choice(("=", "<>", "<", "<=", ">", ">="))
                return f"{name} {operator} {self.literal(column, is_key=is_key)}"

    def where(self, table: TableSpec, other: TableSpec, alias: str) -> str:
        """A condition on the target by its alias, of subqueries too."""
        plain = self.condition(table, alias)
        source = self.condition(other, "o")
        forms = [plain] * 5
        forms += [
            f"{alias}.id IN (SELECT o.id FROM {other.name} o WHERE {source})",
            f"EXISTS (SELECT 1 FROM {other.name} o WHERE o.id = {alias}.id AND {source})",
            f"({plain}) AND {alias}.id > (SELECT min(o.id) FROM {other.name} o)",
            f"{alias}.id NOT IN (SELECT o.id FROM {other.name} o WHERE o.id IS NOT NULL AND {source})",
            f"{alias}.id = (SELECT max(x.id) FROM {table.name} x)",
        ]
        if table.changes_rows and not table.keys:  # an ID names one row of its partition
            inner = self.condition(table)
            forms += [f"ROW__ID IN (SELECT ROW__ID FROM {table.name} WHERE {inner} {ROWS_END})"] * 2
        return self.chance.choice(forms)

    def narrow(self, condition: str, alias: str) -> str:
        """The condition, of few rows."""
        low = self.chance.randint(-2, 29)
        return f"{alias}.id BETWEEN {low} AND {low + self.chance.randint(0, 5)} AND ({condition})"

    def select(self, into: TableSpec, columns: Sequence[Column], source: TableSpec, *, fits: bool) -> str:
        """A query of values for these columns of a table, from the rows of another or of itself."""
        values = [self.expression(column, column in into.keys, source) for column in columns]
        if not fits:
            place = self.chance.randrange(len(values))
            values[place] = self.misfit(columns[place])
        listed = ", ".join(f"{value} AS {column.name}" for value, column in zip(values, columns, strict=True))
        condition = self.condition(source)
        return (
            f"SELECT {listed} FROM {source.name} WHERE id BETWEEN 0 AND {self.chance.randint(2, 9)} AND ({condition})"
        )

    def query(self, table: TableSpec, other: TableSpec) -> str:
        """A query of any shape, whose rows have no order."""
        t, o = self.condition(table, "t"), self.condition(other, "o")
        compared = self.chance.choice([column for column in table.columns if column.type in COMPARED])
        name = self.name(compared, "t")
        forms = [
            f"SELECT * FROM {table.name} t WHERE {self.where(table, other, 't')}",
            f"SELECT {name}, count(*) AS n, min(t.id) AS least FROM {table.name} t WHERE {t} GROUP BY {name}",
            f"SELECT count(*) AS n, count(DISTINCT t.id) AS ids, max({name}) AS most FROM {table.name} t WHERE {t}",
            f"SELECT t.*, o.id AS other FROM {table.name} t LEFT JOIN {other.name} o ON t.id = o.id AND {o} WHERE {t}",
            f"SELECT t.id, u.* FROM {table.name} t JOIN {table.name} u ON t.id = u.id WHERE {t}",
            f"SELECT t.id FROM {table.name} t WHERE {t} UNION ALL SELECT o.id FROM {other.name} o WHERE {o}",
            f"SELECT t.id FROM {table.name} t WHERE {t} EXCEPT SELECT o.id FROM {other.name} o",
            f"SELECT DISTINCT {name} AS d FROM {table.name} t",
            f"SELECT {name} AS d, rank() OVER (PARTITION BY t.id ORDER BY {name}) AS r FROM {table.name} t WHERE {t}",
            f"SELECT count(*) AS n FROM {table.name} t",
        ]
        return self.chance.choice(forms)

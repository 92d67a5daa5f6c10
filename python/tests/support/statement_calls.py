"""The calls to the metastore that a statement makes: expected here, counted by a test, shown in the protocol.

Counted where nobody is in the way, on connections that are open: without heartbeats, and without `set_ugi`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hive_acid.metastore.types import MetastoreLine

HIVE_3, HIVE_4 = MetastoreLine.HIVE_3, MetastoreLine.HIVE_4
TABLE = "get_table_req"
_SNAPSHOT = ("open_txns", "get_open_txns")
_LIST_NOW = {HIVE_3: ("get_open_txns", "get_valid_write_ids"), HIVE_4: ("get_valid_write_ids",)}
_SAME_TABLE = {HIVE_3: ("allocate_table_write_ids",), HIVE_4: ()}
"""How it is asked whether a table was made anew; 4.x shows the ID of each."""
_CHANGES = ("UPDATE", "DELETE", "MERGE")
_UPSERT = "USING (SELECT {n} AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 1"
_OF_VALUES = ("get_not_null_constraints", "get_check_constraints")
_OF_NEW_ROWS = ("get_default_constraints", *_OF_VALUES)
_CONSTRAINTS = {"DELETE": (), "UPDATE": _OF_VALUES}
"""The defaults matter to an UPDATE only if it has the word DEFAULT."""


@dataclass(frozen=True)
class Case:
    """A statement on tables `flat`, `other` (id INT, v INT) and `parts` (…, d INT); `{n}` is a number of its own.

    `tables` is how many Spark's own client looks up, each once. `fixed` are the calls of a statement that neither reads
    nor writes rows.
    """

    name: str
    sql: str
    is_partitioned: bool = False
    adds_partition: bool = False
    tables: int = 1
    fixed: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Its first word."""
        return self.sql.split(maxsplit=1)[0]

    def calls(self, line: MetastoreLine, *, asks_cleaner: bool = False) -> Counter[str]:
        """Our calls by method. `asks_cleaner`: the Cleaner waits for those alone that ask it to, as that of 4.2.0."""
        if self.fixed:
            return Counter(self.fixed)
        calls = Counter(self._read() if self.kind == "SELECT" else self._write(line)) + self._read_locks(line)
        reads = self.kind in ("SELECT", *_CHANGES)
        return calls + Counter(["add_write_ids_to_min_history"] if asks_cleaner and reads else [])

    def _read(self) -> list[str]:
        partitions = ["get_partition_names", "get_partitions_by_names"] if self.is_partitioned else []
        locked = ["lock", *self.tables * ("get_valid_write_ids", TABLE)]  # all tables of a query at once
        return [*_SNAPSHOT, *locked, *partitions, "commit_txn"]

    def _read_locks(self, line: MetastoreLine) -> Counter[str]:
        """3.1 also locks the partitions that are read, unless they are those that are changed; all in one request."""
        locks_partitions = self.kind in ("SELECT", "MERGE") and self.is_partitioned and line is HIVE_3
        return Counter(["lock"] if locks_partitions else [])

    def _write(self, line: MetastoreLine) -> list[str]:
        list_now = _LIST_NOW[line]
        changes_rows, replaces = self.kind in _CHANGES, "OVERWRITE" in self.sql
        calls = [TABLE, *_SNAPSHOT, "get_valid_write_ids", "allocate_table_write_ids"]
        calls += ["show_compact"] if replaces and line is HIVE_4 else []  # does the Cleaner wait for the table?
        calls += _CONSTRAINTS.get(self.kind, _OF_NEW_ROWS)
        if changes_rows and self.is_partitioned:
            calls += ["get_partition_names", "get_partitions_by_names"]
        calls += ["lock", TABLE, *_SAME_TABLE[line]]
        if changes_rows:
            calls += self._compare(line)
            if self.is_partitioned:  # a MERGE asks its source for them, in the snapshot that it will read
                calls += [*list_now, TABLE] if self.kind == "MERGE" else ["get_partition_names"]
        if self.kind == "INSERT" and self.is_partitioned and not replaces:
            calls.append("get_partition_names")  # whose spelling is looked at
        if replaces:
            calls += [*list_now, "get_partition_names"] if self.is_partitioned else list_now
        calls += ["get_partitions_by_names", *list_now] if self.is_partitioned else list_now
        if self.adds_partition:
            calls += [TABLE, "add_partitions_req", "get_partitions_by_names"]  # where it lies
        if self.kind == "MERGE" and self.is_partitioned:  # its lock is on the table, for it may insert anywhere
            calls.append("add_dynamic_partitions")
        calls += self._withdraw(line)
        if changes_rows:  # keeps such writers out from now on, and looks whether one has committed meanwhile
            calls += ["lock", *list_now] if self.is_partitioned else ["lock"]
        return [*calls, "commit_txn"]

    def _compare(self, line: MetastoreLine) -> list[str]:
        """Of a change of rows under its lock: what others have changed since its snapshot."""
        known = ["get_latest_txnid_in_conflict"] if line is HIVE_4 else []
        is_compared = line is HIVE_3 or self.kind == "MERGE" or self.is_partitioned
        # is there a writer whose lock keeps nobody out?
        return ["show_locks", *known, *(_LIST_NOW[line] if is_compared else ())]

    def _withdraw(self, line: MetastoreLine) -> list[str]:
        """Of statistics that nobody has counted; 4.x moves the write ID in any case."""
        if self.is_partitioned:
            return ["get_partitions_by_names", *(["alter_partitions_req"] if line is HIVE_4 else []), TABLE]
        return [TABLE] if line is HIVE_3 else ["update_table_column_statistics_req", TABLE]


CASES = (
    Case("`SELECT`, one table", "SELECT * FROM flat"),
    Case("`SELECT`, two tables", "SELECT * FROM flat JOIN other USING (id)", tables=2),
    Case("`SELECT`, partitioned", "SELECT * FROM parts WHERE d = 1", is_partitioned=True),
    Case("`INSERT`", "INSERT INTO flat VALUES ({n}, 0)"),
    Case("`INSERT`, partitioned", "INSERT INTO parts VALUES ({n}, 0, 1), ({n}, 0, 2)", is_partitioned=True),
    Case(
        "`INSERT`, a new partition",
        "INSERT INTO parts PARTITION (d = {n}) VALUES ({n}, 0)",
        is_partitioned=True,
        adds_partition=True,
    ),
    Case("`UPDATE`", "UPDATE flat SET v = v + 1"),
    Case("`UPDATE`, partitioned", "UPDATE parts SET v = v + 1 WHERE d = 1", is_partitioned=True),
    Case("`DELETE`", "DELETE FROM flat WHERE v < 5"),
    Case("`DELETE`, partitioned", "DELETE FROM parts WHERE d = 1", is_partitioned=True),
    Case("`MERGE`", f"MERGE INTO flat t {_UPSERT} WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 0)"),
    Case(
        "`MERGE`, partitioned",
        f"MERGE INTO parts t {_UPSERT} WHEN NOT MATCHED THEN INSERT (id, v, d) VALUES (s.id, 0, 1)",
        is_partitioned=True,
    ),
    Case("`INSERT OVERWRITE`", "INSERT OVERWRITE flat VALUES ({n}, 0)"),
    Case("`INSERT OVERWRITE`, partitioned", "INSERT OVERWRITE parts VALUES ({n}, 0, 1)", is_partitioned=True),
    Case("`SHOW LOCKS`", "SHOW LOCKS", tables=0, fixed=("show_locks",)),
    Case("`SHOW TRANSACTIONS`", "SHOW TRANSACTIONS", tables=0, fixed=("get_open_txns_info",)),
    Case("`ALTER TABLE … COMPACT`", "ALTER TABLE flat COMPACT 'major'", fixed=(TABLE, "compact2", "show_compact")),
    Case(
        "`ALTER TABLE … COMPACT`, one partition",
        "ALTER TABLE parts PARTITION (d = 1) COMPACT 'major'",
        fixed=(TABLE, "get_partition_names", "compact2", "show_compact"),
    ),
    Case("`SHOW COMPACTIONS`", "SHOW COMPACTIONS", tables=0, fixed=("show_compact",)),
)
"""In an order in which each changes something."""


def calls_table() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of the table in the protocol: how many calls, and which."""
    head = ("Statement", "3.1", "4", "The calls on 4", "On 3.1 in their place")
    return head, [_row(case) for case in CASES]


def _row(case: Case) -> tuple[str, ...]:
    on_3, on_4 = case.calls(HIVE_3), case.calls(HIVE_4)
    missing, added = on_4 - on_3, on_3 - on_4
    changes = [f"no `{method}`" for method in missing] + [f"{count} more `{method}`" for method, count in added.items()]
    return (case.name, str(on_3.total()), str(on_4.total()), _listed(on_4), ", ".join(changes))


def _listed(calls: Counter[str]) -> str:
    return ", ".join(f"`{method}`" + (f" ({count})" if count > 1 else "") for method, count in calls.items())

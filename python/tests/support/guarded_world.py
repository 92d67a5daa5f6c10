"""Transactional tables that a guard protects, and a look at whether anything of them has changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hive_acid.model.table import TableName

if TYPE_CHECKING:
    from integration.conftest import Tables


@contextmanager
def guarded_world(tables: Tables) -> Iterator[Tables]:
    """`t` and the partitioned `p`, with rows of which one is deleted, a view `v` of `t`, and a plain table.

    The database is new, the session's current one, and gone afterwards.
    """
    tables.sql(f"CREATE DATABASE {tables.database}")
    tables.sql(f"USE {tables.database}")
    tables.create("t")
    tables.create("p", "id INT", "PARTITIONED BY (d STRING)")
    tables.sql("CREATE TABLE plain (id INT, name STRING) STORED AS ORC")
    tables.sql("INSERT INTO plain VALUES (1, 'p')")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    tables.sql("DELETE FROM t WHERE id = 3")
    tables.sql("INSERT INTO p VALUES (1, 'x'), (2, 'y')")
    tables.sql("DELETE FROM p WHERE d = 'y'")
    tables.sql("CREATE VIEW v AS SELECT * FROM t")
    yield tables
    tables.sql("USE default")
    tables.sql(f"DROP DATABASE IF EXISTS {tables.database} CASCADE")


def new_database() -> str:
    """A name that no other test has."""
    return f"audit_{uuid.uuid4().hex[:10]}"


ROWS = [[(1, "a"), (2, "b")], [(1, "x")]]
"""The rows of `t` and `p`."""


def rows(tables: Tables) -> list[list[tuple[object, ...]]]:
    """The rows that `t` and `p` have now."""
    return [tables.sql(f"SELECT * FROM {tables.database}.{name} ORDER BY 1") for name in ("t", "p")]


def files(tables: Tables) -> list[dict[str, bytes]]:
    """Every file of `t` and `p`, hidden ones too."""
    roots = [tables.location(name) for name in ("t", "p")]
    return [{str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()} for root in roots]


def descriptions(tables: Tables) -> object:
    """The metastore's knowledge of `t` and `p`."""
    names = [TableName(tables.database, name) for name in ("t", "p")]
    return [tables.client.table(name) for name in names], tables.sql(f"SHOW PARTITIONS {tables.database}.p")


@contextmanager
def nothing_changes(tables: Tables) -> Iterator[None]:
    """Fails if a file or a row of `t` and `p` is another one afterwards."""
    tables.sql(f"USE spark_catalog.{tables.database}")
    before = files(tables)
    yield
    assert files(tables) == before
    assert rows(tables) == ROWS

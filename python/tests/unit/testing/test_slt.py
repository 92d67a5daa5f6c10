"""Files of sqllogictest become inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.parsing import load_input
from hive_acid_sqltest.input.slt import convert_slt
from hive_acid_sqltest.suite import import_slt

SLT = """\
# a comment
hash-threshold 8

statement ok
CREATE TABLE t1(a INTEGER, b INTEGER)

statement error
INSERT INTO t1 VALUES (1)

onlyif mysql
statement ok
SET x = 1

query I nosort
SELECT count(*) FROM t1
----
0

query II rowsort label-1
SELECT a, b
FROM t1
----
1 2
3 4

query III valuesort
SELECT a, b, a FROM t1
----
1
2
3
4
5
6

query I rowsort
SELECT a FROM t1
----
30 values hashing to 3c13dee48d9356ae19af2515e05e6b54

query R
SELECT avg(a) FROM t1
----
2.500

query T
SELECT b FROM t1 WHERE false
----
"""


def test_statements_are_kept_with_what_they_must_do(tmp_path: Path) -> None:
    (tmp_path / "first.slt").write_text(SLT)
    path = import_slt(tmp_path / "first.slt", tmp_path / "suite")
    found = [(s.text, s.expectation and s.expectation.text) for s in load_input(path).statements]
    assert found == [
        ("CREATE TABLE t1(a INTEGER, b INTEGER)", None),
        ("INSERT INTO t1 VALUES (1)", "error"),
        ("SELECT count(*) FROM t1", "value 0"),
        ("SELECT a, b\nFROM t1", "2 rows"),
        ("SELECT a, b, a FROM t1", "2 rows"),
        ("SELECT a FROM t1", "30 rows"),
        ("SELECT avg(a) FROM t1", "1 row"),
        ("SELECT b FROM t1 WHERE false", "no rows"),
    ]
    assert "-- left out, for it has `onlyif mysql`: SET x = 1" in path.read_text()


def test_a_record_of_another_form_is_refused() -> None:
    with pytest.raises(SuiteError, match="no record that can be taken over: loop i 0 5"):
        convert_slt("loop i 0 5\n", "x.slt")

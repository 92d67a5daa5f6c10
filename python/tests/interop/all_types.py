"""A table with a column of every type, and a row of it: in SQL for Hive and Spark alike, and as each returns it."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

COLUMNS = """
    id INT, ti TINYINT, si SMALLINT, bi BIGINT, fl FLOAT, do DOUBLE, de DECIMAL(20,5), st STRING, vc VARCHAR(10),
    ch CHAR(5), bo BOOLEAN, bn BINARY, dt DATE, ts TIMESTAMP, ar ARRAY<INT>, mp MAP<STRING,INT>,
    sr STRUCT<x:INT,y:STRING>"""
# Not in the last second before 1970 and with a fraction: ORC's Java library stores such a timestamp wrongly.
VALUES = """
    1, CAST(-128 AS TINYINT), CAST(32767 AS SMALLINT), 9223372036854775807, CAST(1.5 AS FLOAT), CAST(0.1 AS DOUBLE),
    CAST('123456789012345.12345' AS DECIMAL(20,5)), 'tab\\tline\\nü', CAST('vc' AS VARCHAR(10)), CAST('ch' AS CHAR(5)),
    true, CAST('xy' AS BINARY), DATE '2020-02-29', TIMESTAMP '1969-07-20 20:17:40.25', ARRAY(1, 2), MAP('k', 1),
    NAMED_STRUCT('x', 1, 'y', 'z')"""
HIVE_ROW: tuple[Any, ...] = (
    *(1, -128, 32767, 9223372036854775807, 1.5, 0.1, "123456789012345.12345", "tab\tline\nü", "vc", "ch   "),
    *(True, "7879", "2020-02-29", "1969-07-20 20:17:40.25", "[1,2]", '{"k":1}', '{"x":1,"y":"z"}'),
)
SPARK_ROW: tuple[Any, ...] = (
    *(1, -128, 32767, 9223372036854775807, 1.5, 0.1, Decimal("123456789012345.12345"), "tab\tline\nü", "vc", "ch   "),
    *(True, b"xy", date(2020, 2, 29), datetime(1969, 7, 20, 20, 17, 40, 250000), [1, 2], {"k": 1}, (1, "z")),
)

"""Tables whose columns were altered between rows, with the rows as Hive 3.1.3 and 4.1.0 show them afterwards."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any


@dataclass(frozen=True)
class Evolution:
    """A table altered by Hive.

    `old` and `new` are rows without their ID, as the SELECT list of Hive, written before and after `alterations`, which
    follow `ALTER TABLE name`. `rows` is what an old row and a new one are then, likewise. `update` is an assignment in
    Spark that makes an old row `updated`. Of an old row with ID 1 and a new one with ID 2, each of `filters` finds the
    IDs beside it.
    A partitioned table keeps the old columns with its partition, as `alterations` do not cascade.
    """

    columns: str
    old: str
    alterations: tuple[str, ...]
    new: str
    rows: tuple[tuple[Any, ...], tuple[Any, ...]]
    update: str
    updated: tuple[Any, ...]
    filters: tuple[tuple[str, tuple[int, ...]], ...]
    partitioned_by: str = ""


EVOLUTIONS: dict[str, Evolution] = {
    "added": Evolution(
        "a STRING",
        "'x'",
        ("ADD COLUMNS (n INT, s STRUCT<x: INT>)",),
        "'y', 5, NAMED_STRUCT('x', 6)",
        (("x", None, None), ("y", 5, '{"x":6}')),
        "n = coalesce(n, 0) + 1",
        ("x", 1, None),
        (
            *(("n IS NULL", (1,)), ("n > 4", (2,)), ("NOT n <=> 5", (1,)), ("s.x = 6", (2,))),
            *(("n IS NULL OR n = 5", (1, 2)), ("s IS NULL", (1,))),
        ),
        partitioned_by="p STRING",
    ),
    "renamed": Evolution(
        "a STRING, c INT",
        "'x', 5",
        ("CHANGE COLUMN a b STRING",),
        "'y', 6",
        ((None, 5), ("y", 6)),
        "c = 7",
        (None, 7),
        (("b IS NULL", (1,)), ("b = 'x'", ()), ("b = 'y'", (2,)), ("c = 5", (1,)), ("b > 'a'", (2,))),
        partitioned_by="p STRING",
    ),
    "swapped": Evolution(
        "a STRING, b STRING",
        "'was a', 'was b'",
        ("CHANGE COLUMN a t STRING", "CHANGE COLUMN b a STRING", "CHANGE COLUMN t b STRING"),
        "'new b', 'new a'",
        (("was b", "was a"), ("new b", "new a")),
        "a = upper(a)",
        ("was b", "WAS A"),
        (("a = 'was a'", (1,)), ("b = 'was b'", (1,)), ("b = 'was a'", ()), ("a > 'm'", (1, 2))),
    ),
    "replaced": Evolution(
        "a INT, b VARCHAR(3)",
        "5, 'vc'",
        ("REPLACE COLUMNS (id INT, a BIGINT, b STRING, z DOUBLE)",),
        "5000000000, 'long text', 0.5",
        ((5, "vc", None), (5000000000, "long text", 0.5)),
        "z = a",
        (5, "vc", 5.0),
        (("a > 4", (1, 2)), ("a = 5000000000", (2,)), ("a < 100", (1,)), ("b = 'vc'", (1,)), ("z IS NULL", (1,))),
    ),
    "widened": Evolution(
        "ti TINYINT, i INT, bi BIGINT, de DECIMAL(10,2), vc VARCHAR(5), ch CHAR(3), dt DATE, n INT, d DOUBLE, f FLOAT",
        "CAST(-128 AS TINYINT), 2147483647, -9223372036854775807, 12345678.25, 'vc  ', 'ch', "
        "CAST('2020-02-29' AS DATE), -7, CAST(1.0E10 AS DOUBLE), CAST(0.25 AS FLOAT)",
        (
            *("CHANGE COLUMN ti ti BIGINT", "CHANGE COLUMN i i DOUBLE", "CHANGE COLUMN bi bi STRING"),
            *("CHANGE COLUMN de de DECIMAL(14,4)", "CHANGE COLUMN vc vc VARCHAR(20)", "CHANGE COLUMN ch ch CHAR(5)"),
            *("CHANGE COLUMN dt dt STRING", "CHANGE COLUMN n n DECIMAL(20,3)", "CHANGE COLUMN d d STRING"),
            "CHANGE COLUMN f f DOUBLE",
        ),
        "5000000000, 0.5, 'text', 1234567890.0001, 'longer than five', 'chars', 'no date', 0.001, 'no number', 0.1",
        (
            (
                *(-128, 2147483647.0, "-9223372036854775807", Decimal("12345678.25"), "vc  ", "ch   ", "2020-02-29"),
                *(Decimal(-7), "1.0E10", 0.25),
            ),
            (
                *(5000000000, 0.5, "text", Decimal("1234567890.0001"), "longer than five", "chars", "no date"),
                *(Decimal("0.001"), "no number", 0.1),
            ),
        ),
        "vc = concat(vc, '.')",
        (
            *(-128, 2147483647.0, "-9223372036854775807", Decimal("12345678.25"), "vc  .", "ch   ", "2020-02-29"),
            *(Decimal(-7), "1.0E10", 0.25),
        ),
        (
            *(("ti < 0", (1,)), ("ti > 127", (2,)), ("i > 1", (1,)), ("bi = '-9223372036854775807'", (1,))),
            *(("de = 12345678.25", (1,)), ("de > 99999999", (2,)), ("vc = 'vc  '", (1,)), ("ch = 'ch'", (1,))),
            *(("ch > 'ca'", (1, 2)), ("dt < '2021'", (1,)), ("n < 0", (1,)), ("d = '1.0E10'", (1,))),
            *(("f = 0.25D", (1,)), ("f > 0.2D", (1,)), ("f < 0.2D", (2,))),
        ),
        partitioned_by="p STRING",
    ),
    "nested": Evolution(
        "s STRUCT<x: INT, z: STRING>, l ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>",
        "NAMED_STRUCT('x', 5, 'z', 'zz'), ARRAY(NAMED_STRUCT('k', 6)), MAP('q', NAMED_STRUCT('v', 7))",
        (
            "CHANGE COLUMN s s STRUCT<z: STRING, x: BIGINT, y: STRING>",
            "CHANGE COLUMN l l ARRAY<STRUCT<k: INT, j: ARRAY<INT>>>",
            "CHANGE COLUMN m m MAP<STRING, STRUCT<v: INT, u: DATE>>",
        ),
        "NAMED_STRUCT('z', 'z', 'x', 8L, 'y', 'yy'), ARRAY(NAMED_STRUCT('k', 9, 'j', ARRAY(1))), "
        "MAP('r', NAMED_STRUCT('v', 10, 'u', CAST('2020-02-29' AS DATE)))",
        (
            ('{"z":"zz","x":5,"y":null}', '[{"k":6,"j":null}]', '{"q":{"v":7,"u":null}}'),
            ('{"z":"z","x":8,"y":"yy"}', '[{"k":9,"j":[1]}]', '{"r":{"v":10,"u":"2020-02-29"}}'),
        ),
        "s.y = s.z",
        ('{"z":"zz","x":5,"y":"zz"}', '[{"k":6,"j":null}]', '{"q":{"v":7,"u":null}}'),
        (("s.y IS NULL", (1,)), ("s.x = 5", (1,)), ("l[0].j IS NULL", (1,)), ("m['r'].v = 10", (2,))),
    ),
}
"""As Hive 3.1 resolves columns, by name."""

BY_POSITION = {
    **EVOLUTIONS,
    "renamed": replace(
        EVOLUTIONS["renamed"],
        rows=(("x", 5), ("y", 6)),
        updated=("x", 7),
        filters=(("b IS NULL", ()), ("b = 'x'", (1,)), ("b = 'y'", (2,)), ("c = 5", (1,)), ("b > 'a'", (1, 2))),
    ),
    "swapped": replace(
        EVOLUTIONS["swapped"],
        rows=(("was a", "was b"), ("new b", "new a")),
        updated=("was a", "WAS B"),
        filters=(("a = 'was a'", ()), ("a = 'was b'", (1,)), ("b = 'was a'", (1,)), ("a > 'm'", (1, 2))),
    ),
}
"""As Hive 4 does."""

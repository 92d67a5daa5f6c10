"""Every primitive type of Hive at its limits: in SQL for Hive and Spark alike, and as the text both return."""

from decimal import Context, Decimal
from typing import Any

MANY = 65535
"""The longest VARCHAR, in characters."""
MEGABYTE = 1 << 20
ALL_BYTES = bytes(range(256)).hex()


def _casts(kind: str, *texts: str) -> list[tuple[str, str]]:
    return [(f"CAST('{text}' AS {kind})", text) for text in texts]


def _decimals(precision: int, scale: int) -> list[tuple[str, str]]:
    digits = "9" * precision
    greatest = digits if scale == 0 else f"{digits[scale:] or '0'}.{digits[:scale]}"
    least = "1" if scale == 0 else "0." + "1".rjust(scale, "0")
    return _casts(f"DECIMAL({precision},{scale})", greatest, f"-{greatest}", least, f"-{least}", "0")


def _whole(kind: str, bits: int) -> list[tuple[str, str]]:
    return _casts(kind, str(-(2 ** (bits - 1))), str(2 ** (bits - 1) - 1), "0", "-1")


def _decoded(text: str) -> tuple[str, str]:
    """A text that would need escaping, of which Hive's and Spark's rules differ."""
    return f"decode(unhex('{text.encode().hex()}'), 'UTF-8')", text


FLOATS = ("NaN", "Infinity", "-Infinity", "-0.0", "0.0")
DAYS = ("0001-01-01", "1582-10-04", "1582-10-15", "1899-12-31", "1969-12-31", "1970-01-01", "9999-12-31")
LIMITS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "ti": ("TINYINT", _whole("TINYINT", 8)),
    "si": ("SMALLINT", _whole("SMALLINT", 16)),
    "i": ("INT", _whole("INT", 32)),
    "bi": ("BIGINT", _whole("BIGINT", 64)),
    "fl": ("FLOAT", _casts("FLOAT", *FLOATS, "3.4028235E38", "-3.4028235E38", "1.4E-45", "-1.17549435E-38")),
    "do": (
        "DOUBLE",
        _casts("DOUBLE", *FLOATS, "1.7976931348623157E308", "4.9E-324", "-2.2250738585072014E-308", "0.1"),
    ),
    "d38": ("DECIMAL(38,0)", _decimals(38, 0)),
    "d38s": ("DECIMAL(38,38)", _decimals(38, 38)),
    "dmid": ("DECIMAL(38,18)", _decimals(38, 18)),
    "d1": ("DECIMAL(1,1)", _decimals(1, 1)),
    "dlong": ("DECIMAL(18,2)", _decimals(18, 2)),
    "bo": ("BOOLEAN", [("true", "true"), ("false", "false")]),
    "st": (
        "STRING",
        [
            ("''", ""),
            (f"repeat('x', {MEGABYTE})", "x" * MEGABYTE),
            _decoded("😀 日本語"),
            _decoded("nul\0nul"),
            _decoded("line\r\n\ttab\\n"),
            _decoded("  blanks  "),
        ],
    ),
    "vc": (
        f"VARCHAR({MANY})",
        [("''", ""), (f"repeat('é', {MANY})", "é" * MANY), ("'vc  '", "vc  "), _decoded("😀")],
    ),
    "ch": ("CHAR(255)", [("''", ""), ("repeat('é', 255)", "é" * 255), ("'ch  '", "ch"), ("' 😀'", " 😀")]),
    "bn": ("BINARY", [("unhex('')", ""), (f"unhex('{ALL_BYTES}')", ALL_BYTES), ("unhex('00')", "00")]),
    "dt": ("DATE", _casts("DATE", *DAYS)),
    "ts": (
        "TIMESTAMP",
        _casts(
            "TIMESTAMP",
            *("0001-01-01 00:00:00", "1582-10-04 23:59:59.999999", "1582-10-15 00:00:00", "1883-11-18 12:03:58.5"),
            *("1890-06-01 05:45:00.789", "1919-12-31 23:59:59.999", "1969-12-31 23:59:58.999999"),
            *("1970-01-01 00:00:00.000001", "9999-12-31 23:59:59.999999"),
        ),
    ),
}
COLUMNS = "id INT, " + ", ".join(f"{name} {kind}" for name, (kind, _) in LIMITS.items())
ROWS = max(len(values) for _, values in LIMITS.values()) + 1
"""So many rows that each value is in one; the last one is all NULL."""

SELECTED = "id, " + ", ".join("lower(hex(bn))" if name == "bn" else f"CAST({name} AS STRING)" for name in LIMITS)
"""What to select in Spark to get Hive's texts."""


def _cell(name: str, row: int) -> tuple[str, str | None]:
    values = LIMITS[name][1]
    return values[row] if row < len(values) else (f"CAST(NULL AS {LIMITS[name][0]})", None)


def query() -> str:
    """A query that gives all rows, in both engines."""
    rows = (", ".join(_cell(name, row)[0] for name in LIMITS) for row in range(ROWS))
    return " UNION ALL ".join(f"SELECT {row}, {values}" for row, values in enumerate(rows))


def expected(first_id: int = 0) -> list[tuple[Any, ...]]:
    """The rows in the form of `normal`, in the order of their IDs."""
    return normal([(first_id + row, *(_cell(name, row)[1] for name in LIMITS)) for row in range(ROWS)])


def normal(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows of either engine with one form for each value, sorted by ID."""
    kinds = ["INT", *(kind for kind, _ in LIMITS.values())]
    return sorted(tuple(_normal(kind, value) for kind, value in zip(kinds, row, strict=True)) for row in rows)


def _normal(kind: str, value: Any) -> Any:
    if value is None:
        return (False, "")
    text = str(value)
    if kind in ("FLOAT", "DOUBLE"):
        text = repr(float(text))
    elif kind.startswith("DECIMAL"):
        text = str(Decimal(text).normalize(Context(prec=60)))
    elif kind == "BOOLEAN":
        text = text.lower()
    elif kind.startswith("CHAR"):
        text = text.rstrip(" ")
    elif kind == "TIMESTAMP" and "." in text:
        text = text.rstrip("0").rstrip(".")
    elif kind == "INT":
        return (True, int(text))
    return (True, text)

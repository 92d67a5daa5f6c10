"""Values of every type and the types that a column of them may become, with one form for the values of both engines."""

from decimal import Context, Decimal
from typing import Any

WHOLE = ("0", "1", "-1", "127", "-128")
WIDE = ("32767", "-32769", "2147483647", "-2147483648", "16777217", "-99999")
LONG = ("9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199791611905", "1234567890123456789")
REAL = (
    *("0.0", "-0.0", "0.1", "-0.1", "0.5", "1.5", "2.5", "-1.5", "74.72", "12345.678", "16777217", "9999999.5"),
    *("1.0E7", "0.001", "1.0E-5", "1.23456789E-7", "1.0E10", "1.0E20", "1.0E38", "1.4E-45", "3.4028235E38"),
    *("NaN", "Infinity", "-Infinity", "127", "128", "-129", "32768", "2147483648", "-2147483649", "9.3E18"),
)
DOUBLES = ("1.0E300", "-1.0E-300", "4.9E-324", "1.7976931348623157E308", "0.30000001192092896", "9.223372036854775E18")
DECIMALS = (
    *("0", "1", "-1", "0.1", "-0.5", "1.5", "2.5", "127", "128", "-129", "32768", "2147483648", "16777217"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809.9", "99999999999999999999"),
    *("12345.6789012345", "0.000000000000001", "3.14", "255.99999"),
)
TEXTS = (
    *("1", "0", " 1", "1 ", "-1", "1.5", "abc", "", "+1", "1e3", "1E400", "NaN", "Infinity", "inf", "true", "0x10"),
    *("127", "128", "32768", "2147483648", "9223372036854775807", "9223372036854775808", "0.1", "-0.0", "1f", "1L"),
    *("99999999999999999999", "1234567.891", "00012", ".5", "5.", "1_0", "-", "1,000", "3.4028236e38", "1e-50"),
    "1.00000017881393432617187499",
)
DAYS = (
    *("0001-01-01", "1000-02-28", "1500-03-01", "1582-10-04", "1582-10-15", "1583-01-01", "1883-11-18"),
    *("1899-12-31", "1900-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"),
)
CLOCKS = (
    *("0001-01-01 00:00:00", "1500-03-01 12:00:00", "1582-10-04 23:59:59.5", "1582-10-15 00:00:00"),
    *("1883-11-18 12:01:00", "1890-06-01 05:45:00.789", "1969-12-31 23:59:58.999999", "1970-01-01 00:00:00.1"),
    *("2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-06-15 12:34:56.120000", "9999-12-31 23:59:59.999999"),
)
DATES = (
    *("2024-06-15", "2024-6-5", "2024-06-15T12:00:00", "2024-06-15 12:00", "2024-06-15 24:00:00", "2024-02-30"),
    *(" 2024-06-15 12:00:00 ", "2024-02-30 10:00:00", "2024-13-01", "2024", "20240615", "2024-06-15 12:00:00Z"),
    *("2024-06-15 12:00:00 UTC", "2024-06-15 12:00:00.1234567891", "24-06-15", "2024-06-15 1:2:3", "2024-06-15 12"),
    *("+2024-06-15", "12:00:00", "99999-01-01", "2024-06-15 12:00:00.", "2024-06-15abc", "1582-10-10", "abc", ""),
)
SECONDS = ("0", "1", "-1", "1.5", "1718454896", "-50000000000", "1e10", "253402300799")
VALUES: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": WHOLE,
    "SMALLINT": (*WHOLE, "128", "255", "256", "32767", "-32768"),
    "INT": (*WHOLE, *WIDE),
    "BIGINT": (*WHOLE, *WIDE, *LONG),
    "FLOAT": REAL,
    "DOUBLE": (*REAL, *DOUBLES),
    "DECIMAL(38,15)": DECIMALS,
    "DECIMAL(10,2)": tuple(text for text in DECIMALS if len(text) < 8),
    "STRING": TEXTS,
    "CHAR(8)": tuple(text for text in TEXTS if len(text) <= 8),
    "VARCHAR(6)": tuple(text for text in TEXTS if len(text) <= 6),
    "DATE": DAYS,
}
"""Types and texts of values that they have, which both engines can cast."""
NUMBERS_AND_TEXT = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(38,15)", "DECIMAL(10,2)"),
    *("DECIMAL(20,5)", "DECIMAL(18,0)", "STRING", "CHAR(8)", "VARCHAR(6)", "CHAR(3)", "VARCHAR(3)"),
)
OF_DATES = ("STRING", "CHAR(12)", "VARCHAR(8)", "TIMESTAMP")

VALUES_OF_HIVE_4: dict[str, tuple[str, ...]] = {
    "TIMESTAMP": CLOCKS,
    "STRING": (*CLOCKS, *DATES),
    "CHAR(30)": (*CLOCKS, *DATES),
    "BIGINT": SECONDS[:3],
    "FLOAT": SECONDS,
    "DOUBLE": SECONDS,
    "DECIMAL(20,4)": SECONDS,
    "BOOLEAN": ("true", "false"),
    "BINARY": ("abc", "", "é"),
}
"""The same of those that become something else as in Hive 4, and are refused on 3.1."""
TARGETS_OF_HIVE_4: dict[str, tuple[str, ...]] = {
    "TIMESTAMP": (
        *("STRING", "CHAR(40)", "VARCHAR(13)", "DATE", "BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE"),
        *("DECIMAL(30,9)", "DECIMAL(12,2)"),
    ),
    "STRING": ("TIMESTAMP", "DATE", "BINARY"),
    "CHAR(30)": ("TIMESTAMP", "DATE"),
    "BINARY": ("STRING", "CHAR(4)", "VARCHAR(3)"),
}


def find_targets(source: str) -> list[str]:
    """The types that a column of a type of `VALUES` may become."""
    return [kind for kind in (OF_DATES if source == "DATE" else NUMBERS_AND_TEXT) if kind != source]


def find_targets_of_hive_4(source: str) -> list[str]:
    """The same of a type of `VALUES_OF_HIVE_4`."""
    return list(TARGETS_OF_HIVE_4.get(source, ("TIMESTAMP",)))


def normal(kind: str, value: Any) -> Any:
    """One form for the values of both engines."""
    if value is None:
        return None
    text = str(value)
    if kind in ("FLOAT", "DOUBLE"):
        return repr(float(text))
    if kind.startswith("DECIMAL"):
        return str(Decimal(text).normalize(Context(prec=60)))
    if kind == "BOOLEAN":
        return text.lower()
    if kind == "TIMESTAMP" and "." in text:
        return text[: len("2024-06-15 12:34:56.123456")].rstrip("0").rstrip(".")  # Spark has no nanoseconds
    return text.rstrip(" ") if kind.startswith("CHAR") else text

"""Settings of Hive: their names, how they spell times, and bounds on waiting that are a number of tries and a pause."""

from __future__ import annotations

import re
from collections.abc import Callable

from hive_acid.errors import build_error

LOCK_TRIES = "hive.lock.numretries"
"""Hive's bound on the wait for a lock: how often it looks, with pauses of at most `LOCK_PAUSE`."""
LOCK_PAUSE = "hive.lock.sleep.between.retries"
CONNECT_TRIES = ("hive.metastore.connect.retries", "metastore.connect.retries")
"""How often Hive's client goes round all addresses of the metastore, with `CONNECT_PAUSE` after each round.

Both have two names (MetastoreConf), and so has how often it begins with that anew, hive.metastore.failure.retries,
which is not looked at: sites set it so high that it outlasts every transaction.
"""
CONNECT_PAUSE = ("hive.metastore.client.connect.retry.delay", "metastore.client.connect.retry.delay")
_DEFAULT_LOCK_PAUSE = "60s"
_DEFAULT_CONNECT_TRIES = "3"
_DEFAULT_CONNECT_PAUSE = "1s"
_DURATION = re.compile(r"(\d+)\s*([a-z]*)")
_UNITS_NS = (
    ("ns", "nsec", 1),
    ("us", "usec", 1_000),
    ("ms", "msec", 1_000_000),
    ("s", "sec", 1_000_000_000),
    ("m", "min", 60_000_000_000),
    ("h", "hour", 3_600_000_000_000),
    ("d", "day", 86_400_000_000_000),
)
"""Hive's units of time: the short name, how longer ones begin, nanoseconds (HiveConf.unitFor)."""

HiveSetting = Callable[[str], str | None]
"""The value that a setting of Hive has by its name, or None."""


def find_named(hive_setting: HiveSetting, names: tuple[str, ...]) -> tuple[str, str]:
    """The first name that has a value, and the value; the first name and an empty value if none has."""
    found = ((name, value) for name in names if (value := (hive_setting(name) or "").strip()))
    return next(found, (names[0], ""))


def find_lock_timeout_ms(hive_setting: HiveSetting) -> int | None:
    """How long Hive waits for a lock (DbLockManager.lock); None if it is not told how often it looks.

    Raises HIVE_ACID_CONFIGURATION for values that are none.
    """
    tries = hive_setting(LOCK_TRIES)
    if tries is None:
        return None
    pause = hive_setting(LOCK_PAUSE) or _DEFAULT_LOCK_PAUSE
    return _read_tries(LOCK_TRIES, tries) * max(1, read_duration_ms(LOCK_PAUSE, pause))


def find_connect_timeout_ms(hive_setting: HiveSetting) -> int | None:
    """How long Hive's client tries to connect (HiveMetaStoreClient.open); None if it is told neither tries nor pause.

    Raises HIVE_ACID_CONFIGURATION for values that are none.
    """
    tries_name, tries = find_named(hive_setting, CONNECT_TRIES)
    pause_name, pause = find_named(hive_setting, CONNECT_PAUSE)
    if not tries and not pause:
        return None
    pause_ms = read_duration_ms(pause_name, pause or _DEFAULT_CONNECT_PAUSE)
    return _read_tries(tries_name, tries or _DEFAULT_CONNECT_TRIES) * pause_ms


def parse_duration_ms(text: str) -> int:
    """Hive's spelling of a time, e.g. `300s`, `300000ms`, `5 minutes`; a bare number is seconds. Raises ValueError."""
    match = _DURATION.fullmatch(text.strip().lower())
    unit = (match[2] or "s") if match else ""
    sizes = [size for short, long, size in _UNITS_NS if unit == short or unit.startswith(long)]
    if match is None or not sizes:
        raise ValueError(f"not a duration: {text!r}")
    return int(match[1]) * sizes[0] // 1_000_000


def read_duration_ms(name: str, value: str) -> int:
    """The time that the setting `name` has. Raises HIVE_ACID_CONFIGURATION.NOT_A_DURATION."""
    try:
        return parse_duration_ms(value)
    except ValueError as error:
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_DURATION", setting=name, value=value) from error


def _read_tries(name: str, value: str) -> int:
    if not value.isascii() or not value.isdecimal():
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_NUMBER", setting=name, value=value, minimum=0)
    return int(value)

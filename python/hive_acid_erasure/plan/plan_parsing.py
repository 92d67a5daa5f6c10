"""Plans from TOML and from Python's own mappings, with all that can be told of them before anything is asked."""

from __future__ import annotations

import datetime
import math
import re
import sys
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Key
from hive_acid_erasure.plan.plan import Guard, NamedKey, Plan, SearchLimits, SecondReader, Step, TablePlan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_UTC = re.compile("[Zz]$")
"""How a time of day may end that Python 3.10 does not read."""
_PLAN_ENTRIES = ("subjects", "tables", "guard", "deadline", "one_transaction", "second_reader", "former_columns")


def read_plan(path: Path) -> Plan:
    """The plan of a TOML file. Raises OSError and what `parse_plan` raises."""
    try:
        return parse_plan(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise build_error("HIVE_ACID_ERASURE.PLAN_NOT_UTF8", path=path) from None


def parse_plan(text: str) -> Plan:
    """The plan of a TOML text. Raises HIVE_ACID_ERASURE.PLAN_SYNTAX and what `build_plan` raises."""
    try:
        return build_plan(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise build_error("HIVE_ACID_ERASURE.PLAN_SYNTAX", failure=str(error).rstrip(".")) from None


def build_plan(given: Mapping[str, Any]) -> Plan:
    """The plan of a mapping of the same form as the TOML file.

    Raises HIVE_ACID_ERASURE with PLAN_ENTRY, PLAN_MISSING, PLAN_FORM, PLAN_COLUMN, PLAN_LINK or PLAN_CYCLE.
    """
    _refuse_unknown(given, _PLAN_ENTRIES, "the plan")
    columns = _texts(_required(given, "subjects", "the plan"), "subjects")
    if len(set(columns)) != len(columns):
        raise _wrong_form("subjects", "each column once")
    tables = _mapping(_required(given, "tables", "the plan"), "tables")
    built = [_build_table(name, table, columns) for name, table in tables.items()]
    if len({table.table for table in built}) != len(built):
        raise _wrong_form("tables", "a table once")
    guard, one = _build_guard(given.get("guard", {})), _flag(given, "one_transaction", default=False)
    second, former = _build_second_reader(given.get("second_reader", {})), _flag(given, "former_columns", default=True)
    limits, deadline = SearchLimits(second, former), _build_deadline(given.get("deadline"))
    return Plan(columns, _order(built), guard, deadline, one, limits)


def _order(tables: Sequence[TablePlan]) -> tuple[TablePlan, ...]:
    """Each table before those that its path goes through; else as given."""
    by_name = {table.table: table for table in tables}
    sorter: TopologicalSorter[TableName] = TopologicalSorter(dict.fromkeys(by_name, ()))
    for table in tables:
        for step in table.via:
            if step.table in by_name and step.table != table.table:
                sorter.add(step.table, table.table)
    try:
        return tuple(by_name[name] for name in sorter.static_order())
    except CycleError as error:
        names = ", ".join(sorted({str(name) for name in error.args[1]}))
        raise build_error("HIVE_ACID_ERASURE.PLAN_CYCLE", tables=names) from None


def _build_table(name: str, given: Any, subject_columns: tuple[str, ...]) -> TablePlan:
    place = f"tables.{name}"
    entries = _mapping(given, place)
    _refuse_unknown(entries, ("keys", "via", "partitions"), place)
    columns, is_linked, via = subject_columns, False, []
    for number, raw in enumerate(_list(entries.get("via", []), f"{place}.via")):
        where = f"{place}.via[{number}]"
        step = _mapping(raw, where)
        _refuse_unknown(step, ("table", "keys", "link", "shared_links"), where)
        keys = _build_keys(_required(step, "keys", where), columns, is_linked, f"{where}.keys")
        link = _mapping(_required(step, "link", where), f"{where}.link")
        columns, is_linked = tuple(link), True
        named = NamedKey(columns, Key(_texts(list(link.values()), f"{where}.link")))
        source = _table_name(_required(step, "table", where), where)
        via.append(Step(source, keys, named, deletes_shared=_deletes_shared(step, where)))
    partitions = entries.get("partitions")
    if partitions is not None and not (isinstance(partitions, str) and partitions.strip()):
        raise _wrong_form(f"{place}.partitions", "a condition as text")
    keys = _build_keys(_required(entries, "keys", place), columns, is_linked, f"{place}.keys")
    return TablePlan(_table_name(name, "tables"), keys, tuple(via), partitions)


def _deletes_shared(step: Mapping[str, Any], place: str) -> bool:
    chosen = step.get("shared_links", "refuse")
    if chosen not in ("refuse", "delete"):
        raise _wrong_form(f"{place}.shared_links", "refuse or delete")
    return bool(chosen == "delete")


def _build_keys(given: Any, columns: tuple[str, ...], is_linked: bool, place: str) -> tuple[NamedKey, ...]:
    """One mapping or a list of several; behind a link each names all its columns, for only hashes of all are known."""
    raw = [given] if isinstance(given, Mapping) else _list(given, place)
    if not raw:
        raise _wrong_form(place, "at least one key")
    keys = []
    for each in raw:
        entries = _mapping(each, place)
        for column in entries:
            if column not in columns:
                raise build_error(
                    "HIVE_ACID_ERASURE.PLAN_COLUMN", place=place, column=column, columns=", ".join(columns)
                )
        if is_linked and set(entries) != set(columns):
            raise build_error("HIVE_ACID_ERASURE.PLAN_LINK", place=place, columns=", ".join(columns))
        if not entries:
            raise _wrong_form(place, "a key of at least one column")
        used = tuple(column for column in columns if column in entries)
        keys.append(NamedKey(used, Key(_texts([entries[column] for column in used], place))))
    return tuple(keys)


def _build_guard(given: Any) -> Guard:
    entries = _mapping(given, "guard", may_be_empty=True)
    _refuse_unknown(entries, ("max_rows", "max_percent"), "guard")
    rows, percent = entries.get("max_rows"), entries.get("max_percent")
    if rows is not None and (type(rows) is not int or rows < 0):
        raise _wrong_form("guard.max_rows", "a number of rows")
    if percent is not None and not (type(percent) in (int, float) and math.isfinite(percent) and 0 <= percent <= 100):
        raise _wrong_form("guard.max_percent", "a number from 0 to 100")
    return Guard(rows, None if percent is None else float(percent))


def _build_second_reader(given: Any) -> SecondReader:
    entries = _mapping(given, "second_reader", may_be_empty=True)
    _refuse_unknown(entries, ("max_files", "max_rows"), "second_reader")
    for name, limit in entries.items():
        if type(limit) is not int or limit < 1:
            raise _wrong_form(f"second_reader.{name}", "a number from 1 on")
    return SecondReader(entries.get("max_files"), entries.get("max_rows"))


def _build_deadline(given: Any) -> str | None:
    if given is None:
        return None
    try:
        found = datetime.datetime.fromisoformat(_UTC.sub("+00:00", given)) if isinstance(given, str) else given
    except ValueError:
        found = None
    if not isinstance(found, datetime.datetime) or found.tzinfo is None:
        raise _wrong_form("deadline", "a date and time with its offset from UTC")
    return found.astimezone(datetime.timezone.utc).isoformat()


def _flag(given: Mapping[str, Any], name: str, *, default: bool) -> bool:
    found = given.get(name, default)
    if not isinstance(found, bool):
        raise _wrong_form(name, "true or false")
    return found


def _table_name(given: Any, place: str) -> TableName:
    parts = given.split(".") if isinstance(given, str) else []
    if len(parts) != 2 or not all(parts):
        raise _wrong_form(place, "DATABASE.TABLE")
    return TableName(*parts)


def _texts(given: Any, place: str) -> tuple[str, ...]:
    """Names or expressions: at least one, none of them empty."""
    found = [given] if isinstance(given, str) else _list(given, place)
    if not found or not all(isinstance(text, str) and text.strip() for text in found):
        raise _wrong_form(place, "a text, or a list of texts")
    return tuple(found)


def _list(given: Any, place: str) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        raise _wrong_form(place, "a list")
    return given


def _mapping(given: Any, place: str, *, may_be_empty: bool = False) -> Mapping[str, Any]:
    is_right = isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
    if not is_right or not (given or may_be_empty):
        raise _wrong_form(place, "a table of TOML, or a dict, that is not empty")
    found: Mapping[str, Any] = given
    return found


def _required(given: Mapping[str, Any], name: str, place: str) -> Any:
    if name not in given:
        raise build_error("HIVE_ACID_ERASURE.PLAN_MISSING", place=place, name=name)
    return given[name]


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for name in given:
        if name not in known:
            raise build_error("HIVE_ACID_ERASURE.PLAN_ENTRY", place=place, name=name, known=", ".join(known))


def _wrong_form(place: str, expected: str) -> HiveAcidError:
    return build_error("HIVE_ACID_ERASURE.PLAN_FORM", place=place, expected=expected)

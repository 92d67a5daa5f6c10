"""The types of keys, which decide on the texts that are hashed: they must stay, and those of a link must fit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hive_acid.api.conditions import build_error
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import ErasureEngine, Key, KeyTypes, Matcher
from hive_acid_erasure.messages import KeyColumn
from hive_acid_erasure.plan.plan import NamedKey, Step, TablePlan

_WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""Types of whole numbers, and the digits of their greatest value."""
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_VARCHAR = re.compile(r"varchar\((\d+)\)")
_MOMENT = re.compile(r"timestamp in ")
_STEADY = re.compile(r" in (Z|UTC|GMT|[+-][0-9:]+)$")
"""Clocks of other zones are set back, or have been."""
_NESTED = re.compile(r"(?:array|map|struct)<|variant")
_TEXT = "text"


@dataclass(frozen=True)
class _Form:
    """How values of a type are spelled: two types of one `name` spell a value that both have alike.

    No value has more digits, or characters, than `longest`; every value of up to `shortest` of them is one.
    """

    name: str
    longest: float = 0
    shortest: float = 0


def _find_form(data_type: str) -> _Form:
    if digits := _WHOLE.get(data_type):
        return _Form("whole number", digits, digits - 1)
    if found := _DECIMAL.fullmatch(data_type):
        name = "whole number" if found[2] == "0" else f"decimal of {found[2]}"
        return _Form(name, int(found[1]), int(found[1]))
    if found := _VARCHAR.fullmatch(data_type):
        return _Form(_TEXT, int(found[1]), int(found[1]))
    return _Form(_TEXT, math.inf, math.inf) if data_type == "string" else _Form(data_type)


def have_same_texts(one: str, other: str) -> bool:
    """True if a value that both types have is spelled alike: `7` in INT and BIGINT, and not in DOUBLE."""
    return _find_form(one).name == _find_form(other).name


def keeps_texts(before: str, after: str, *, is_alone: bool) -> bool:
    """True if each value of the type `before` is one of `after` of the same text.

    `is_alone`: the value is the key by itself. Functions may tell types of numbers apart, as hash(…) does, and see
    VARCHAR as STRING.
    """
    if before == after:
        return True
    old, new = _find_form(before), _find_form(after)
    return old.name == new.name and new.shortest >= old.longest and (is_alone or old.name == _TEXT)


def find_change(key: Key, before: KeyTypes, after: KeyTypes) -> str | None:
    """The first type or column by which rows have other keys than before, in words; None if there is none."""
    columns = {column.name: column for column in after.columns}
    alone = {part.replace("`", "").strip().lower() for part in key.parts}
    for column in before.columns:
        now = columns.get(column.name)
        if now is None:
            return f"column {column.name} is none of the key's columns any more"
        if now.position != column.position:
            return f"column {column.name} was the {_ordinal(column)} column, and is the {_ordinal(now)}"
        if not keeps_texts(column.data_type, now.data_type, is_alone=column.name in alone):
            return f"column {column.name} was of type {column.data_type}, and is of type {now.data_type}"
    if len(columns) != len(before.columns):
        return "the key is computed of more columns than before"
    if len(before.parts) != len(after.parts):
        return "the key has another number of parts"
    for part, old, new in zip(key.parts, before.parts, after.parts, strict=True):
        if not keeps_texts(old, new, is_alone=True):
            return f"{part} was of type {old}, and is of type {new}"
    return None


def _ordinal(column: KeyColumn) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(column.position % 10, "th")
    return f"{column.position}{'th' if column.position % 100 in (11, 12, 13) else ending}"


def find_changes(engine: ErasureEngine, matcher: Matcher) -> Iterator[tuple[Key, str]]:
    """The keys of a table whose types are others than when its subjects were spelled, and what has changed.

    Nothing is known of the types of an older ledger or certificate. Raises as `ErasureEngine.types` does.
    """
    for keyed in matcher.keys:
        after = engine.types(matcher.table, keyed.key)
        change = None if keyed.types is None else find_change(keyed.key, keyed.types, after)
        if change is not None:
            yield keyed.key, change


def refuse_changes(engine: ErasureEngine, matcher: Matcher) -> None:
    """Raises HIVE_ACID_ERASURE.CHANGED_KEY for a key of other types than when its subjects were spelled."""
    for key, change in find_changes(engine, matcher):
        named = ", ".join(key.parts)
        raise build_error("HIVE_ACID_ERASURE.CHANGED_KEY", key=named, table=matcher.table, change=change)


def look_up_types(
    engine: ErasureEngine, table: TablePlan, is_there: Callable[[TableName], bool]
) -> tuple[KeyTypes, ...]:
    """The types of the table's keys, once those of the links on its path are known to fit; none if it is gone.

    Nothing can be told of a table on the path that is gone: nobody follows it either.

    Raises as `check_link` and `ErasureEngine.types` do.
    """
    link: Step | None = None
    for step in table.via:
        if is_there(step.table):
            _look_up(engine, step.table, step.keys, link)
            link = step
        else:
            link = None
    return _look_up(engine, table.table, table.keys, link) if is_there(table.table) else ()


def _look_up(
    engine: ErasureEngine, table: TableName, keys: Sequence[NamedKey], link: Step | None
) -> tuple[KeyTypes, ...]:
    found = tuple(engine.types(table, named.key) for named in keys)
    if link is not None:
        given = engine.types(link.table, link.link.key)
        for named, types in zip(keys, found, strict=True):
            check_link(link, given, (table, named), types)
    return found


def check_link(link: Step, given: KeyTypes, target: tuple[TableName, NamedKey], wanted: KeyTypes) -> None:
    """Raises HIVE_ACID_ERASURE with PLAN_LINK_TYPE, PLAN_LINK_MOMENT or PLAN_LINK_NESTED.

    Then a link does not say the target's key, or its text is that of other values as well: `{a, b, c}` is one of two
    structures of two fields.
    """
    table, named = target
    for part, type_ in zip(link.link.key.parts, given.parts, strict=True):
        if _NESTED.match(type_):
            raise build_error("HIVE_ACID_ERASURE.PLAN_LINK_NESTED", link=part, source=link.table, type=type_)
        for moment in (type_, *_find_spelled(part, type_, given.columns)):
            if _MOMENT.match(moment) and not _STEADY.search(moment):
                raise build_error("HIVE_ACID_ERASURE.PLAN_LINK_MOMENT", link=part, source=link.table, type=moment)
    columns = zip(link.link.key.parts, given.parts, named.key.parts, wanted.parts, strict=True)
    for source, one, part, other in columns:
        if not have_same_texts(one, other):
            where = {"link": source, "source": link.table, "key": part, "table": table}
            raise build_error("HIVE_ACID_ERASURE.PLAN_LINK_TYPE", **where, given=one, wanted=other)


def _find_spelled(part: str, data_type: str, columns: Sequence[KeyColumn]) -> Iterator[str]:
    """The types of the columns of which a text is made, as by a cast: two moments may have one text."""
    if _find_form(data_type).name == _TEXT:
        words = set(re.findall(r"\w+", part.lower()))
        yield from (column.data_type for column in columns if words & set(re.findall(r"\w+", column.name.lower())))


def bind(matcher: Matcher, types: Sequence[KeyTypes | None]) -> Matcher:
    """The matcher with the types of its keys, if there are any."""
    if not types:
        return matcher
    pairs = zip(matcher.keys, types, strict=True)
    return Matcher(matcher.table, tuple(replace(keyed, types=each) for keyed, each in pairs))


def describe_types(types: KeyTypes | None) -> dict[str, Any]:
    """The entry of ledger and certificate; none if the types are not known."""
    return {} if types is None else {"types": {"parts": list(types.parts), "columns": list(map(asdict, types.columns))}}


def read_types(key: Mapping[str, Any]) -> KeyTypes | None:
    """The types of such an entry of a key, None if it has none."""
    if "types" not in key:
        return None
    columns = (KeyColumn(each["name"], each["position"], each["data_type"]) for each in key["types"]["columns"])
    return KeyTypes(tuple(key["types"]["parts"]), tuple(columns))

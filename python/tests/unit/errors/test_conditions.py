"""The condition file is complete, sorted, and does not collide with Spark's."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest

from hive_acid import errors
from hive_acid.errors import conditions
from hive_acid.spark_lines import is_before

FILE = Path(conditions.__file__).with_name("conditions.json")
MAIN = conditions.load_conditions()
RAISED = conditions.list_conditions()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"twice among {names}"
    return dict(pairs)


def _entries() -> Iterator[tuple[str, dict[str, Any], set[str]]]:
    """Each entry of the file by name, with the keys it must have."""
    for name, entry in MAIN.items():
        yield name, dict(entry), {"class", "message", "sqlState"}
        for sub, part in entry.get("subClass", {}).items():
            yield f"{name}.{sub}", part, {"message"}


def test_no_name_stands_twice() -> None:
    json.loads(FILE.read_text("utf-8"), object_pairs_hook=_pairs)


def test_the_file_is_written_as_json_writes_it() -> None:
    text = FILE.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_conditions_and_sub_conditions_are_sorted_and_named_alike() -> None:
    assert list(MAIN) == sorted(MAIN)
    assert all(re.fullmatch(r"HIVE_ACID_[A-Z_]+", name) for name in MAIN)
    for entry in MAIN.values():
        subs = list(entry.get("subClass", {}))
        assert subs == sorted(subs)
        assert all(re.fullmatch(r"[A-Z][A-Z0-9_]+", sub) for sub in subs)


def test_an_entry_has_what_it_needs_and_nothing_else() -> None:
    for name, entry, needed in _entries():
        allowed = needed | ({"subClass"} if "." not in name else {"sqlState"})
        assert needed <= set(entry) <= allowed, name
        if "sqlState" in entry:
            assert re.fullmatch(r"[0-9A-Z]{5}", entry["sqlState"]), name
        if "subClass" in entry:
            assert entry["subClass"], name
        assert "reason" not in re.findall(r"<(\w+)>", entry["message"]) or "subClass" not in entry, name


def test_a_sub_condition_repeats_no_sqlstate() -> None:
    for name, entry in MAIN.items():
        for sub, part in entry.get("subClass", {}).items():
            assert part.get("sqlState") != entry["sqlState"], f"{name}.{sub}"


@pytest.mark.parametrize("name", RAISED)
def test_a_condition_has_a_class_a_message_and_an_sqlstate(name: str) -> None:
    main, _, sub = name.partition(".")
    entry = MAIN[main]
    part = entry["subClass"][sub] if sub else entry
    state = part.get("sqlState", entry["sqlState"])
    assert issubclass(getattr(errors, entry["class"]), errors.HiveAcidError)
    params = {param: f"value of {param}" for param in RAISED[name].parameters}
    error = errors.build_error(name, **params)
    assert type(error).__name__ == entry["class"]
    assert str(error).startswith(f"[{name}] {re.split('<', entry['message'])[0]}")
    assert str(error).endswith(f"SQLSTATE: {state}")
    assert all(value in str(error) for value in params.values())
    assert (error.getCondition(), error.getSqlState()) == (name, state)
    assert error.main_condition == main
    assert error.getMessageParameters() == params


def test_a_message_of_a_sub_condition_follows_that_of_its_main_condition() -> None:
    error = errors.build_error("HIVE_ACID_CONFIGURATION.TOO_LARGE", setting="a.b", value=7, maximum=5)
    assert str(error) == (
        "[HIVE_ACID_CONFIGURATION.TOO_LARGE] The configuration is wrong: a.b is 7, more than 5. SQLSTATE: 42616"
    )


def test_a_refusal_tells_its_reason_alone_and_makes_its_error() -> None:
    refusal = errors.build_refusal("HIVE_ACID_CONFIGURATION.TOO_LARGE", setting="a.b", value=7, maximum=5)
    assert str(refusal) == "a.b is 7, more than 5"
    assert refusal.build_error().getCondition() == refusal.condition


def test_a_condition_of_spark_is_never_taken() -> None:
    jars = Path(pyspark.__file__).parent / "jars"
    (jar,) = jars.glob("spark-common-utils_*.jar")
    with zipfile.ZipFile(jar) as archive:
        spark = json.loads(archive.read(f"error/error-{'classes' if is_before('4.0') else 'conditions'}.json"))
    assert not set(MAIN) & set(spark)


def test_a_missing_parameter_is_an_error_not_a_gap() -> None:
    with pytest.raises(KeyError):
        errors.build_error("HIVE_ACID_TABLE_NOT_FOUND")


def test_a_condition_with_sub_conditions_is_never_raised_bare() -> None:
    with pytest.raises(KeyError):
        errors.build_error("HIVE_ACID_CONFIGURATION")

"""The condition file is complete, sorted, and does not collide with Spark's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyspark
import pytest

from hive_acid import errors

CONDITIONS = errors.load_conditions()


def test_conditions_are_sorted_and_named_alike() -> None:
    names = list(CONDITIONS)
    assert names == sorted(names)
    assert all(re.fullmatch(r"HIVE_ACID_[A-Z_]+", name) for name in names)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_has_a_class_a_message_and_an_sqlstate(name: str) -> None:
    entry = CONDITIONS[name]
    assert set(entry) == {"class", "message", "sqlState"}
    assert issubclass(getattr(errors, entry["class"]), errors.HiveAcidError)
    assert re.fullmatch(r"[0-9A-Z]{5}", entry["sqlState"])
    params = {param: f"value of {param}" for param in re.findall(r"<(\w+)>", entry["message"])}
    error = errors.build_error(name, **params)
    assert type(error).__name__ == entry["class"]
    assert str(error).startswith(f"[{name}] ")
    assert str(error).endswith(f"SQLSTATE: {entry['sqlState']}")
    assert all(value in str(error) for value in params.values())
    assert (error.getCondition(), error.getSqlState()) == (name, entry["sqlState"])
    assert error.getMessageParameters() == params


def test_a_condition_of_spark_is_never_taken() -> None:
    jars = Path(pyspark.__file__).parent / "jars"
    import zipfile

    (jar,) = jars.glob("spark-common-utils_*.jar")
    with zipfile.ZipFile(jar) as archive:
        spark = json.loads(archive.read("error/error-conditions.json"))
    assert not set(CONDITIONS) & set(spark)


def test_every_condition_is_raised_somewhere() -> None:
    root = Path(errors.__file__).parents[3]
    files = [*root.glob("python/hive_acid/**/*.py"), *root.glob("jvm-shim/**/*.scala")]
    text = "\n".join(file.read_text() for file in files)
    assert [name for name in CONDITIONS if f'"{name}"' not in text] == []


def test_a_missing_parameter_is_an_error_not_a_gap() -> None:
    with pytest.raises(KeyError):
        errors.build_error("HIVE_ACID_TABLE_NOT_FOUND")

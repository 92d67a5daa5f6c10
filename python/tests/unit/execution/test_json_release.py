"""Whose reader decides about JSON: Hive's of the metastore's release, or nobody's."""

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.reading.json_release import find_json_release

TABLE = TableName("db", "t")


class Named(MemoryMetastore):
    """Calls itself so."""

    name = ""

    @property
    def version(self) -> str:
        return self.name


def release_of(line: MetastoreLine, name: str) -> str:
    metastore = Named(line)
    metastore.name = name
    return find_json_release(metastore, TABLE)


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("4.0.0", "4.0"),
        ("4.0.1", "4.0"),
        ("4.0.0-beta-1", "4.0"),
        ("4.1.0", "4.1"),
        ("4.2.0", "4.1"),
        ("4.10.1", "4.1"),
    ],
)
def test_hive_4_changed_its_reader_with_4_1(name: str, release: str) -> None:
    assert release_of(MetastoreLine.HIVE_4, name) == release


def test_hive_3_has_one_reader_whatever_its_metastore_calls_itself() -> None:
    assert release_of(MetastoreLine.HIVE_3, "3.0") == "3.1"


@pytest.mark.parametrize("name", ["3.1.3000.7.2.18.0", "5.0.0", "unknown", ""])
def test_a_release_whose_reader_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(HiveAcidError, match=r"db\.t.*JSON") as raised:
        release_of(MetastoreLine.HIVE_4, name)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_JSON_READER"

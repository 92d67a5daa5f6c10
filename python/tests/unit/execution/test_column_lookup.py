"""Columns are found in files as Hive of the metastore's line finds them, unless a setting says otherwise."""

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.execution.column_lookup import has_columns_by_position
from hive_acid.metastore.types import MetastoreLine

KEY = "spark.hiveacid.read.columnsByPosition"


@pytest.mark.parametrize(("line", "by_position"), [(MetastoreLine.HIVE_3, False), (MetastoreLine.HIVE_4, True)])
def test_hive_3_goes_by_name_and_hive_4_by_position(line: MetastoreLine, by_position: bool) -> None:
    assert has_columns_by_position(Settings({}), line) is by_position
    assert has_columns_by_position(Settings({KEY: ""}), line) is by_position


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("value", ["true", "false"])
def test_a_setting_of_ours_or_of_hive_decides(line: MetastoreLine, value: str) -> None:
    assert has_columns_by_position(Settings({KEY: value}), line) is (value == "true")
    of_hive = Settings({}).completed_by({"orc.force.positional.evolution": value}.get)
    assert has_columns_by_position(of_hive, line) is (value == "true")


def test_another_value_is_refused() -> None:
    with pytest.raises(HiveAcidError, match="not true or false"):
        has_columns_by_position(Settings({KEY: "name"}), MetastoreLine.HIVE_4)

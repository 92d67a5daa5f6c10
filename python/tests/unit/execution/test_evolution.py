"""Older files are read as Hive of the metastore's line reads them, unless a setting says otherwise."""

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from hive_acid.reading.evolution import find_evolution

KEY = "spark.hiveacid.read.columnsByPosition"


@pytest.mark.parametrize(("line", "by_position"), [(MetastoreLine.HIVE_3, False), (MetastoreLine.HIVE_4, True)])
def test_hive_3_goes_by_name_and_hive_4_by_position(line: MetastoreLine, by_position: bool) -> None:
    assert find_evolution(Settings({}), line).by_position is by_position
    assert find_evolution(Settings({KEY: ""}), line).by_position is by_position


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("value", ["true", "false"])
def test_a_setting_of_ours_or_of_hive_decides(line: MetastoreLine, value: str) -> None:
    assert find_evolution(Settings({KEY: value}), line).by_position is (value == "true")
    of_hive = Settings({}).completed_by({"orc.force.positional.evolution": value}.get)
    assert find_evolution(of_hive, line).by_position is (value == "true")


def test_another_value_is_refused() -> None:
    with pytest.raises(HiveAcidError, match="not true or false"):
        find_evolution(Settings({KEY: "name"}), MetastoreLine.HIVE_4)


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("value", ["", "true", "false"])
def test_values_are_converted_as_in_the_metastores_line_wherever_columns_are_found(
    line: MetastoreLine, value: str
) -> None:
    assert find_evolution(Settings({KEY: value}), line).as_hive_3 is (line is MetastoreLine.HIVE_3)

"""Another user sees nothing of a metastore's files, and of a table's what its folder lets him see."""

from __future__ import annotations

import os
from typing import Literal

import pytest

from hive_acid.local import EmbeddedMetastore
from integration.conftest import Tables
from support.other_user import NOBODY, act_as, explore, open_folder

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")


@pytest.mark.beyond_the_gate("the cell of a folder that was there", but=["True-postgresql"])
@pytest.mark.parametrize("database", ["derby", "postgresql"])
@pytest.mark.parametrize("was_there", [False, True])
def test_a_metastores_files_are_its_owners_in_a_folder_that_all_may_enter(
    database: Literal["derby", "postgresql"], *, was_there: bool
) -> None:
    with open_folder() as folder:
        place = folder / "metastore"
        if was_there:
            place.mkdir(mode=0o755)
        with EmbeddedMetastore.start(place, database=database) as metastore:
            assert metastore.log_path.exists()
            assert act_as(NOBODY, explore, str(folder)) == ""


def test_what_is_written_into_a_table_has_the_rights_of_its_folder_and_nobody_else_can_change_it(
    tables: Tables,
) -> None:
    with open_folder() as folder:
        tables.create("t", more=f"LOCATION '{folder.as_uri()}/t'")
        root = folder / "t"
        for statement in ("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "UPDATE t SET name = 'c' WHERE id = 1"):
            tables.sql(statement)
        seen = act_as(NOBODY, explore, str(folder)).splitlines()
        assert any(line.startswith("read:t/delta_") for line in seen)
        assert [line for line in seen if line.startswith("write:")] == []
        root.chmod(0o700)
        tables.sql("DELETE FROM t WHERE id = 2")
        assert act_as(NOBODY, explore, str(folder)) == ""
        tables.sql("DROP TABLE t")

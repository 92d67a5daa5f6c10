"""Who may do what on HDFS, and what new files get from their folders."""

from __future__ import annotations

import pytest

from support.hdfs.cluster import Rights
from support.hdfs.lake import Lake
from support.hdfs.tables import BEFORE, NUMBERS
from support.mutations import MUTATIONS, Mutation, named
from support.session_process import StatementFailed

pytestmark = pytest.mark.slow
INSERT, PARTITIONS, UPDATE = (
    next(m for m in MUTATIONS if m.name == name) for name in ("insert-flat", "insert-partitions", "update-partitions")
)
SOME = named("insert-partitions", "update-flat", "overwrite-partitions")
TEAM = "analysts"


def run(lake: Lake, mutation: Mutation, name: str) -> dict[str, Rights]:
    """The rights of what the statement has made."""
    old = lake.hdfs.tree(lake.path(name))
    lake.session.sql(mutation.text(name, NUMBERS))
    assert lake.rows(name) == mutation.effect(BEFORE, NUMBERS)
    new = {path: rights for path, rights in lake.hdfs.tree(lake.path(name)).items() if path not in old}
    assert [path for path in new if path.endswith("bucket_00000")], new
    return new


@SOME
def test_new_files_have_the_default_acl_of_their_table(lake: Lake, mutation: Mutation) -> None:
    name = lake.create(mutation)
    lake.hdfs.shell("-setfacl", "-R", "-m", "default:user:ann:rwx", lake.path(name))
    for path, rights in run(lake, mutation, name).items():
        assert "user:ann:rwx" in rights.acl, (path, rights)


@pytest.mark.parametrize("mutation", [PARTITIONS, UPDATE], ids=str)
def test_new_files_have_the_default_acl_of_their_own_partition(lake: Lake, mutation: Mutation) -> None:
    name = lake.create(mutation)
    lake.hdfs.shell("-setfacl", "-m", "default:user:ann:rwx", f"{lake.path(name)}/d=1")
    for path, rights in run(lake, mutation, name).items():
        assert ("user:ann:rwx" in rights.acl) == ("/d=1/" in path), (path, rights)


@SOME
def test_new_files_have_owner_group_and_permission_as_hives_have(lake: Lake, mutation: Mutation) -> None:
    """The group is that of the folder they are in; Hive has not inherited permissions since 3.0."""
    name = lake.create(mutation)
    lake.hdfs.shell("-chgrp", "-R", TEAM, lake.path(name))
    lake.hdfs.shell("-chmod", "-R", "770", lake.path(name))
    path = lake.path(name)
    owner = lake.hdfs.tree(path.rpartition("/")[0])[path].owner
    for path, rights in run(lake, mutation, name).items():
        is_file = path.rpartition("/")[2].startswith(("bucket_", "_", "."))
        permission = "rw-r--r--" if is_file else "rwxr-xr-x"
        assert (rights.owner, rights.group, rights.permission) == (owner, TEAM, permission), path


def test_new_files_have_the_group_of_their_own_partition(lake: Lake) -> None:
    name = lake.create(PARTITIONS)
    lake.hdfs.shell("-chgrp", TEAM, f"{lake.path(name)}/d=1")
    for path, rights in run(lake, PARTITIONS, name).items():
        assert (rights.group == TEAM) == ("/d=1/" in path), (path, rights)


@named("insert-flat", "update-named", "merge-moves", "replace-flat", "overwrite-partitions", "truncate-flat")
def test_a_folder_that_one_may_not_write_is_told_before_anything_is_done(lake: Lake, mutation: Mutation) -> None:
    name, gate = lake.create(mutation), lake.gate()
    lake.wait_ended()
    latest = max(info.txn_id for info in lake.client.transactions()) if lake.client.transactions() else 0
    with pytest.raises(StatementFailed) as failed:
        lake.stranger.sql(mutation.text(name, NUMBERS, f"gate('{gate}', id)"))
    assert failed.value.condition == "HIVE_ACID_STORAGE_DENIED", failed.value.text
    assert failed.value.state == "42501"
    assert not list(gate.folder.iterdir())  # no task has come to a row
    assert all(info.txn_id <= latest for info in lake.client.transactions())
    assert lake.rows(name) == BEFORE


@pytest.mark.parametrize("kind", ["minor", "major"])
def test_a_compaction_of_a_folder_that_one_may_not_write_changes_nothing(lake: Lake, kind: str) -> None:
    name = lake.create(INSERT)
    lake.session.sql(INSERT.text(name, NUMBERS))
    before = lake.hdfs.tree(lake.path(name))
    with pytest.raises(StatementFailed) as failed:
        lake.stranger.sql(f"ALTER TABLE {name} COMPACT '{kind}' AND WAIT")
    assert failed.value.condition == "HIVE_ACID_STORAGE_DENIED", failed.value.text
    assert lake.hdfs.tree(lake.path(name)) == before
    assert lake.rows(name) == INSERT.effect(BEFORE, NUMBERS)
    lake.wait_ended()
    lake.session.sql(f"ALTER TABLE {name} COMPACT '{kind}' AND WAIT")
    assert lake.rows(name) == INSERT.effect(BEFORE, NUMBERS)


@pytest.fixture
def half_open(lake: Lake) -> str:
    """A table of which the stranger may write the partition `d=0` alone."""
    name = lake.create(PARTITIONS)
    lake.hdfs.shell("-chmod", "777", lake.path(name), f"{lake.path(name)}/d=0")
    return name


def expect_denied(lake: Lake, name: str, statement: str) -> None:
    before = set(lake.hdfs.tree(lake.path(name)))
    with pytest.raises(StatementFailed) as failed:
        lake.stranger.sql(statement)
    assert failed.value.condition == "HIVE_ACID_STORAGE_DENIED", failed.value.text
    assert "/d=1" in failed.value.text, "the partition is named"
    assert set(lake.hdfs.tree(lake.path(name))) == before
    assert lake.rows(name) == BEFORE
    lake.wait_ended()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {t} PARTITION (d = 1) SELECT {id}, 0 FROM (SELECT int(id) AS id FROM range(9))",
        "INSERT OVERWRITE {t} PARTITION (d = 1) SELECT {id}, 0 FROM (SELECT int(id) AS id FROM range(9))",
        "INSERT OVERWRITE {t} PARTITION (d) SELECT {id}, 0, 0 FROM (SELECT int(id) AS id FROM range(9))",
        "UPDATE {t} SET v = 9 WHERE d = 1 AND {id} > 0",
        "DELETE FROM {t} WHERE d = 1 AND {id} > 0",
        "TRUNCATE TABLE {t} PARTITION (d = 1)",
        "TRUNCATE TABLE {t}",
    ],
)
def test_a_partition_that_is_written_to_in_any_case_is_told_before_a_row_is_read(
    lake: Lake, half_open: str, statement: str
) -> None:
    gate = lake.gate()
    lake.stranger.sql("SET spark.sql.sources.partitionOverwriteMode = static")
    try:
        expect_denied(lake, half_open, statement.format(t=half_open, id=f"gate('{gate}', id)"))
    finally:
        lake.stranger.sql("RESET spark.sql.sources.partitionOverwriteMode")
    assert not list(gate.folder.iterdir())  # no task has come to a row


@named("insert-partitions", "delete-partitions", "merge-moves", "overwrite-partitions")
def test_a_partition_that_rows_come_to_is_told_and_nothing_is_done(
    lake: Lake, half_open: str, mutation: Mutation
) -> None:
    expect_denied(lake, half_open, mutation.text(half_open, NUMBERS))


def test_a_change_that_does_not_come_to_the_closed_partition_is_made(lake: Lake, half_open: str) -> None:
    lake.stranger.sql(f"UPDATE {half_open} SET v = 77 WHERE id % 2 = 0")
    assert lake.rows(half_open) == [(id_, 77 if d == 0 else v, d) for id_, v, d in BEFORE]
    lake.stranger.sql(f"DELETE FROM {half_open} WHERE d = 0")
    assert lake.rows(half_open) == [row for row in BEFORE if row[2] == 1]


def test_a_folder_that_one_may_not_read_is_told(lake: Lake) -> None:
    name = lake.create(INSERT)
    lake.hdfs.shell("-chmod", "-R", "700", lake.path(name))
    with pytest.raises(StatementFailed) as failed:
        lake.stranger.sql(f"SELECT * FROM {name}")
    assert failed.value.condition == "HIVE_ACID_STORAGE_DENIED", failed.value.text
    assert lake.rows(name) == BEFORE
    lake.wait_ended()


def test_a_user_with_the_right_of_a_default_acl_writes_too(lake: Lake) -> None:
    name = lake.create_empty()
    lake.hdfs.shell("-setfacl", "-m", "user:ben:rwx,default:user:ben:rwx", lake.path(name))
    lake.stranger.sql(f"INSERT INTO {name} VALUES (1, 1)")
    lake.session.sql(f"UPDATE {name} SET v = 2")
    assert lake.stranger.sql(f"SELECT * FROM {name}") == [(1, 2)]


@named("insert-partitions", "update-flat")
@pytest.mark.parametrize("quota", ["names", "space"])
def test_a_statement_that_meets_a_quota_is_undone_and_says_so(lake: Lake, mutation: Mutation, quota: str) -> None:
    name = lake.create(mutation)
    path = lake.path(name)
    before = lake.hdfs.tree(path)
    lake.hdfs.admin(*(["-setQuota", str(len(before) + 3)] if quota == "names" else ["-setSpaceQuota", "40k"]), path)
    with pytest.raises(StatementFailed) as failed:
        lake.session.sql(mutation.text(name, NUMBERS))
    assert failed.value.condition == "HIVE_ACID_STORAGE_QUOTA", failed.value.text
    assert "quota" in failed.value.text and "\tat " not in failed.value.text
    lake.wait_ended()
    assert lake.hdfs.tree(path) == before
    lake.hdfs.admin("-clrQuota", path)
    lake.hdfs.admin("-clrSpaceQuota", path)
    assert lake.rows(name) == BEFORE
    lake.session.sql(mutation.text(name, NUMBERS))
    assert lake.rows(name) == mutation.effect(BEFORE, NUMBERS)

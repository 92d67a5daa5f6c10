"""Which compaction is needed, case by case; the rules are those of Hive's Initiator (3.1.3, CompactorUtil of 4.1)."""

from __future__ import annotations

import pytest

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid_ops.initiator.policy import Thresholds, find_exemption, judge
from support.listings import listing_of
from support.statements import build_table

H3, H4 = MetastoreLine.HIVE_3, MetastoreLine.HIVE_4
MAJOR, MINOR = CompactionKind.MAJOR, CompactionKind.MINOR


def deltas(first: int, last: int, length_bytes: int = 1) -> str:
    return "\n".join(f"delta_{w:07d}_{w:07d}_0000/bucket_00000 {length_bytes}" for w in range(first, last + 1))


def needed(
    lines: str,
    line: MetastoreLine = H4,
    write_ids: str = "60",
    thresholds: Thresholds | None = None,
    is_partition: bool = False,
) -> CompactionKind | None:
    listed = ValidWriteIdList.parse(f"db.t:{write_ids}").for_compaction()
    state = choose_directories(listing_of(lines), listed, ValidTxnList.parse("100"), {})
    return judge(line, build_table(), state, listed, thresholds or Thresholds(), is_partition).kind


BIG_BASE = "base_0000001/bucket_00000 100000\n"
LITTLE = f"{BIG_BASE}{deltas(2, 11)}"
MANY = f"{BIG_BASE}{deltas(2, 12)}"


@pytest.mark.parametrize(
    ("lines", "on_h3", "on_h4"),
    [
        pytest.param("", None, None, id="nothing"),
        pytest.param(deltas(1, 10), None, None, id="ten deltas without a base"),
        pytest.param(deltas(1, 11), MAJOR, MAJOR, id="eleven deltas without a base"),
        pytest.param(LITTLE, None, None, id="ten small deltas on a base"),
        pytest.param(MANY, MAJOR, MINOR, id="eleven small deltas on a base"),
        pytest.param(MANY.replace("delta", "delete_delta"), MAJOR, MINOR, id="delete deltas count alike"),
        pytest.param("base_0000001/b 100\n" + deltas(2, 2, 10), None, None, id="exactly a tenth"),
        pytest.param("base_0000001/b 100\n" + deltas(2, 2, 11), MAJOR, MAJOR, id="more than a tenth"),
        pytest.param("file:000000_0 100\n" + deltas(1, 1, 11), MAJOR, MAJOR, id="originals are a base"),
        pytest.param("file:000000_0 100", None, None, id="originals alone"),
        pytest.param("base_0000001\nbase_0000002", None, MAJOR, id="two bases and nothing else"),
        pytest.param("base_0000001\nbase_0000002\n" + deltas(3, 3), None, None, id="two bases and a small delta"),
        pytest.param("base_0000012/b 100\n" + deltas(2, 12, 90), None, None, id="obsolete deltas do not count"),
    ],
)
def test_what_lies_in_a_folder_decides(lines: str, on_h3: CompactionKind | None, on_h4: CompactionKind | None) -> None:
    assert (needed(lines, H3), needed(lines, H4)) == (on_h3, on_h4)


def test_what_lies_beyond_an_open_write_id_does_not_count() -> None:
    assert needed(deltas(1, 12), write_ids="12:2:2:") is None
    assert needed(deltas(1, 12), write_ids="13:13:13:") is MAJOR


def test_aborted_transactions_call_for_a_major_one_where_the_cleaner_does_not_remove_what_they_left() -> None:
    aborted = "60::" + ":" + ",".join(map(str, range(1, 4)))
    two = Thresholds(aborted_count=2)
    assert needed("base_0000050", H3, aborted, two) is MAJOR
    assert needed("base_0000050", H3, aborted, Thresholds(aborted_count=3)) is None
    assert needed("base_0000050", H4, aborted, Thresholds(aborted_count=2, cleans_aborted=True)) is None
    assert needed("base_0000050", H3, aborted, two, is_partition=True) is None
    assert needed("base_0000050\n" + deltas(1, 3), H3, aborted, two, is_partition=True) is MAJOR


def test_thresholds_are_the_metastores_and_the_tables_come_first() -> None:
    server = {
        "hive.compactor.delta.num.threshold": "3",
        "hive.compactor.delta.pct.threshold": "0.5",
        "metastore.compactor.abortedtxn.threshold": "7",
    }
    found = Thresholds.of_server(H4, lambda name, default: server.get(name, default))
    assert found == Thresholds(3, 0.5, 7, cleans_aborted=True)
    own = {"compactorthreshold.hive.compactor.delta.num.threshold": "20"}
    assert found.of_table(own) == Thresholds(20, 0.5, 7, cleans_aborted=True)
    own = {"compactorthreshold.hive.compactor.delta.pct.threshold": "0.9"}
    assert found.of_table(own) == Thresholds(3, 0.9, 7, cleans_aborted=True)
    assert Thresholds.of_server(H3, lambda _, default: default) == Thresholds()
    switched_off = {"hive.compactor.clean.aborts.using.cleaner": "FALSE"}
    assert not Thresholds.of_server(H4, lambda name, default: switched_off.get(name, default)).cleans_aborted
    with pytest.raises(ValueError, match="many"):
        found.of_table({"compactorthreshold.hive.compactor.delta.num.threshold": "many"})


@pytest.mark.parametrize("spelling", ["NO_AUTO_COMPACTION", "no_auto_compaction"])
def test_a_table_can_be_left_alone(spelling: str) -> None:
    assert find_exemption(H3, build_table(parameters={spelling: "TRUE"}), {}) is not None
    assert find_exemption(H3, build_table(parameters={spelling: "false"}), {}) is None


def test_a_database_decides_before_its_tables_but_only_on_4() -> None:
    off, on = {"no_auto_compaction": "true"}, {"no_auto_compaction": "false"}
    assert find_exemption(H4, build_table(parameters=on), off) is not None
    assert find_exemption(H4, build_table(parameters=off), on) is None
    assert find_exemption(H3, build_table(parameters=on), off) is None


def test_what_is_being_replicated_for_the_first_time_is_left_alone() -> None:
    pending = {"hive.repl.first.inc.pending": "true"}
    assert find_exemption(H4, build_table(parameters=pending), {}) is not None
    assert find_exemption(H4, build_table(), pending) is not None

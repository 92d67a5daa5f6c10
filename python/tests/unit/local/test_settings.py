"""What stands in the metastore's configuration files."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from hive_acid_local.settings import write_configuration


def written(tmp_path: Path, chosen: Mapping[str, str]) -> dict[str, str]:
    write_configuration(tmp_path / "conf", tmp_path / "ware house", 9083, {"javax.jdo.option.X": "a<b&c"}, chosen)
    read = {}
    for entry in ElementTree.parse(tmp_path / "conf" / "metastore-site.xml").getroot():
        read[str(entry.findtext("name"))] = str(entry.findtext("value"))
    return read


def test_a_chosen_setting_wins_under_both_names_that_hive_reads(tmp_path: Path) -> None:
    read = written(tmp_path, {"metastore.compactor.initiator.on": "true", "hive.compactor.worker.threads": "1"})
    assert read["hive.compactor.initiator.on"] == read["metastore.compactor.initiator.on"] == "true"
    assert read["hive.compactor.worker.threads"] == read["metastore.compactor.worker.threads"] == "1"


def test_a_setting_we_do_not_set_is_written_under_its_own_name_only(tmp_path: Path) -> None:
    read = written(tmp_path, {"metastore.txn.timeout": "5s"})
    assert read["metastore.txn.timeout"] == "5s"
    assert "hive.txn.timeout" not in read


def test_the_transformer_is_one_blank_and_the_server_listens_on_loopback_only(tmp_path: Path) -> None:
    read = written(tmp_path, {})
    assert read["metastore.metadata.transformer.class"] == " "
    assert read["metastore.thrift.bind.host"] == "127.0.0.1"


def test_values_are_escaped_for_xml_and_paths_are_not_escaped_for_urls(tmp_path: Path) -> None:
    read = written(tmp_path, {})
    assert read["javax.jdo.option.X"] == "a<b&c"
    assert read["metastore.warehouse.dir"] == f"file:{tmp_path}/ware house"


def test_only_the_owner_may_read_the_databases_password(tmp_path: Path) -> None:
    written(tmp_path, {})
    for name in ("metastore-site.xml", "hive-site.xml"):
        assert stat.S_IMODE((tmp_path / "conf" / name).stat().st_mode) == 0o600


def test_an_empty_value_leaves_a_setting_of_ours_out_under_both_names(tmp_path: Path) -> None:
    read = written(tmp_path, {"javax.jdo.option.X": "", "metastore.compactor.initiator.on": ""})
    left_out = {"javax.jdo.option.X", "metastore.compactor.initiator.on", "hive.compactor.initiator.on"}
    assert left_out & read.keys() == set()


def test_no_cleaner_takes_files_from_readers_for_their_transaction_was_aborted(tmp_path: Path) -> None:
    read = written(tmp_path, {})
    assert {read[f"{kind}.compactor.clean.aborts.using.cleaner"] for kind in ("hive", "metastore")} == {"false"}

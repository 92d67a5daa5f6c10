"""Files that are their user's alone stay so in a folder that everybody may enter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive_acid_downloads.cache import cache_lock, whole_entry
from hive_acid_erasure.certificate.signing import make_keys
from hive_acid_erasure.find.ledger import open_ledger
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_local.private import make_private
from support.other_user import NOBODY, act_as, explore, open_folder

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")


@pytest.mark.parametrize(("was_there", "public"), [(False, ""), (True, "read:keys/signing.pub")])
def test_the_keys_of_certificates_but_the_public_one(*, was_there: bool, public: str) -> None:
    with open_folder() as folder:
        if was_there:
            (folder / "keys").mkdir(mode=0o755)
        assert len(make_keys(folder / "keys")) == 3
        assert act_as(NOBODY, explore, str(folder)) == public


def test_the_ledger_of_an_erasure() -> None:
    with open_folder() as folder, open_ledger(folder / "ledger", HashKey(bytes(32))):
        assert (folder / "ledger").exists()
        assert act_as(NOBODY, explore, str(folder)) == ""


def test_what_is_kept_of_downloads() -> None:
    def build(target: Path, _: Path | None) -> None:
        (target / "program.jar").write_bytes(b"program")

    with open_folder() as folder, cache_lock(folder / "cache", lambda _: None):
        whole_entry(folder / "cache" / "entry", build, lambda _: None)
        assert act_as(0, explore, str(folder)).count("read:") == 3
        assert act_as(NOBODY, explore, str(folder)) == ""


def test_a_file_that_was_there_is_closed_and_keeps_what_it_holds() -> None:
    with open_folder() as folder:
        log = folder / "log"
        log.write_text("said before")
        assert act_as(NOBODY, explore, str(folder)) == "read:log"
        assert make_private(log).read_text() == "said before"
        assert act_as(NOBODY, explore, str(folder)) == ""

"""An erasure of a session, with keys, ledger and certificate in a folder of the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hive_acid
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, SIGNING_KEY_FILE, make_keys
from hive_acid_erasure.run import Outcome


def erase_once(
    spark: SparkSession, folder: Path, subjects: Sequence[str], tables: Mapping[str, Any], columns: Sequence[str]
) -> Outcome:
    """Erases with new keys; see `hive_acid.erase`."""
    make_keys(folder / "keys")
    return hive_acid.erase(
        spark,
        subjects=subjects,
        tables=tables,
        columns=columns,
        hash_key=bytes.fromhex((folder / "keys" / HASH_KEY_FILE).read_text().strip()),
        signing_key=folder / "keys" / SIGNING_KEY_FILE,
        ledger=folder / "ledger",
        certificate=folder / "certificate.json",
    )

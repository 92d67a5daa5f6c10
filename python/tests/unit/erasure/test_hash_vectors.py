"""The keyed hash is the same in Python and in the shim, whose `KeyedHashSuite` reads the same vectors."""

from __future__ import annotations

import json
from pathlib import Path

from hive_acid_erasure.subjects.keyed_hash import HashKey

VECTORS = Path(__file__).parents[2] / "vectors/keyed_hashes.json"


def test_hashes_are_those_of_the_vectors() -> None:
    told = json.loads(VECTORS.read_text("utf-8"))
    key = HashKey(bytes.fromhex(told["key"]))
    assert len(told["hashes"]) > 5
    assert [key.hash_parts(one["parts"]).hex() for one in told["hashes"]] == [one["hash"] for one in told["hashes"]]

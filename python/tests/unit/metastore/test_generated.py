from __future__ import annotations

import hashlib
from importlib import resources


def test_the_stubs_belong_to_the_idl() -> None:
    package = resources.files("hive_acid.metastore")
    expected = hashlib.sha256(package.joinpath("hive_metastore.thrift").read_bytes()).hexdigest()
    noted = package.joinpath("generated", "idl.sha256").read_text(encoding="ascii").split()[0]
    assert noted == expected, "generate the stubs again, as the head of hive_metastore.thrift says"

"""An environment with what `pip install spark-hive-acid` brings, and nothing else."""

from __future__ import annotations

import json
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from architecture.conftest import call, install, run

IMPORT_ALL = """\
import importlib, json, pkgutil
import hive_acid

absent = []
for name in [found.name for found in pkgutil.walk_packages(hive_acid.__path__, "hive_acid.")]:
    try:
        if ".generated." not in name:
            importlib.import_module(name)
    except ImportError:
        absent.append(name)
print(json.dumps(absent))
"""
CONFIGURE = """\
import hive_acid
from pyspark.sql import SparkSession

builder = hive_acid.configure(SparkSession.builder, metastore="thrift://localhost:9083")
print(builder._options["spark.hadoop.hive.metastore.uris"])
"""


@pytest.fixture(scope="module")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of that environment. Its libraries are those of this one, without all that only extras bring."""
    python, packages = install(wheel, tmp_path_factory.mktemp("base"))
    (ours,) = Distribution.discover(name="spark-hive-acid", path=[str(packages)])
    for library in find_brought(ours):
        for name in {file.parts[0] for file in library.files or () if file.parts[0] not in ("..", "__pycache__")}:
            (packages / name).symlink_to(Path(library.locate_file(name)))
    return python


def find_brought(wanted: Distribution) -> list[Distribution]:
    """What pip installs beside a distribution of which no extra was asked for."""
    found: dict[str, Distribution] = {}
    open_lists = [wanted.requires or ()]
    while open_lists:
        for requirement in map(Requirement, open_lists.pop()):
            if requirement.name not in found and (
                requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ):
                found[requirement.name] = distribution(requirement.name)
                open_lists.append(found[requirement.name].requires or ())
    return list(found.values())


def test_an_installation_without_extras_brings_four_libraries(base: Path) -> None:
    (packages,) = base.parents[1].glob("lib/python*/site-packages")
    held = {found.metadata["Name"] for found in Distribution.discover(path=[str(packages)])}
    assert held - {"tomli"} == {"spark-hive-acid", "pyspark", "py4j", "thrift", "sqlglot"}  # tomli: for Python 3.10


def test_all_of_the_core_is_imported_but_the_places_of_extras(base: Path) -> None:
    absent = json.loads(run(str(base), "-c", IMPORT_ALL))
    assert [name for name in absent if not f"{name}.".startswith("hive_acid.erasure.")] == []


def test_a_session_is_configured(base: Path) -> None:
    assert run(str(base), "-c", CONFIGURE) == "thrift://localhost:9083\n"


@pytest.mark.parametrize(
    ("extra", "program"),
    [
        ("erasure", "import hive_acid; hive_acid.verify_certificate(None, None, b'')"),
        ("ops", "from hive_acid_ops.set_aside.delete_events import count_deletes; count_deletes(None, '', 0, 1)"),
        (
            "sqltest",
            "from pathlib import Path; from hive_acid_sqltest.table_files import _dump_file as dump; [*dump('', '')]",
        ),
        ("examples", "from hive_acid.cli import main; raise SystemExit(main(['demo']))"),
    ],
    ids=["erasure", "ops", "sqltest", "examples"],
)
def test_a_call_that_needs_an_extra_names_it(base: Path, extra: str, program: str) -> None:
    done = call(str(base), "-c", program)
    assert done.returncode != 0
    assert "[HIVE_ACID_CONFIGURATION.EXTRA_MISSING]" in done.stderr, done.stderr
    assert f"'spark-hive-acid[{extra}]'" in done.stderr

"""The shim's jar as a Maven module, which Spark's programs fetch by its coordinates."""

from __future__ import annotations

from pathlib import Path

import pytest

import hive_acid
from hive_acid.local import EmbeddedMetastore
from hive_acid.session.shim import find_shim_jar
from hive_acid.spark_lines import find_line
from support.spark_programs import program_settings, started

from .conftest import Tables

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[3] / ".build" / "maven"
GROUP = "io.github.spark-hive-acid"


@pytest.fixture
def coordinates() -> str:
    """Of the jar that this package has: `./dev publish-local` has put it into the repository."""
    module, version = f"hive-acid-shim-spark-{find_line()}", hive_acid.__version__
    jar = REPOSITORY / GROUP.replace(".", "/") / module / version / f"{module}-{version}.jar"
    assert jar.read_bytes() == find_shim_jar().read_bytes()
    return f"{GROUP}:{module}:{version}"


def test_spark_sql_has_the_extension_by_coordinates_alone(
    tables: Tables, metastore: EmbeddedMetastore, coordinates: str, tmp_path: Path
) -> None:
    tables.create("t", "id INT")
    tables.sql("INSERT INTO t VALUES (1), (2), (3)")
    settings = {**program_settings(metastore, tmp_path), "spark.jars.ivy": str(tmp_path / "ivy")}
    del settings["spark.jars"]
    text = f"DELETE FROM {tables.database}.t WHERE id = 2; SELECT sum(id), count(*) FROM {tables.database}.t;"
    module = ["--packages", coordinates, "--repositories", REPOSITORY.as_uri()]
    with started(["spark-sql", *module, "-e", text], settings, tmp_path / "run") as program:
        assert program.process.wait(300) == 0, program.log.read_text()
        assert program.output.read_text().splitlines()[-2:] == ["1", "4\t2"]
    fetched = [path.name for path in (tmp_path / "ivy" / "jars").iterdir()]
    assert fetched == [f"{coordinates.replace(':', '_', 1).replace(':', '-')}.jar"], "it needs nothing but Spark"

"""What is shipped: the package, the shim's jar and the conditions; and it works where the source is not."""

from __future__ import annotations

import site
import zipfile
from pathlib import Path

import pytest

import hive_acid
from architecture.conftest import install, run
from architecture.documents import ROOT
from hive_acid.spark_lines import LINES, find_line

SHARED = (
    "errors/conditions.json",
    "errors/outcomes.json",
    "wire/statement_kinds.json",
    "wire/ddl_kinds.json",
    "wire/table_options.json",
)
LINE = find_line()
PACKAGES = {path.parent.name for path in (ROOT / "python").glob("hive_acid*/__init__.py")}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that has the wheel alone; its dependencies are borrowed from this one."""
    python, packages = install(wheel, tmp_path_factory.mktemp("venv"))
    # a plain entry of the path: the links to our source in that folder are not followed
    (packages / "borrowed.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python.parent


def test_the_wheel_holds_the_jar_of_every_line_that_was_built(wheel: Path) -> None:
    package = ROOT / "python"
    built = {str(path.relative_to(package)) for path in package.glob("hive_acid/jars/*/*.jar")}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.endswith(".jar")}
        described = {
            Path(name).parent.name: zipfile.ZipFile(archive.open(name)).read("hiveacid/shim.properties").decode()
            for name in held
        }
    assert held == built
    assert set(described) <= {f"spark-{line}" for line in LINES}
    for folder, text in described.items():
        assert f"spark={folder.removeprefix('spark-')}" in text.splitlines()


def test_the_wheel_holds_the_package_the_jar_and_the_conditions_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert f"hive_acid/jars/spark-{LINE}/hive-acid-shim.jar" in names
    shared = {f"hive_acid/{name}" for name in SHARED}
    assert shared <= set(names)
    assert {
        "hive_acid_local/artifacts.txt",
        *(f"hive_acid_downloads/spark_client_{release}.txt" for release in ("4.0.0", "4.1.0")),
    } <= set(names)
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    assert {name.partition("/")[0] for name in names} == {*PACKAGES, f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert [
        name for name in names if "/test_" in name or "__pycache__" in name or name.endswith((".pyc", ".scala"))
    ] == []


def test_every_module_of_the_source_is_in_the_wheel(wheel: Path) -> None:
    source = ROOT / "python"
    wanted = {str(path.relative_to(source)) for package in PACKAGES for path in (source / package).rglob("*.py")}
    with zipfile.ZipFile(wheel) as archive:
        assert wanted - set(archive.namelist()) == set()


def test_the_jar_carries_the_shared_tables_and_no_foreign_class(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        jar = archive.extract(f"hive_acid/jars/spark-{LINE}/hive-acid-shim.jar", tmp_path)
        shared = {Path(name).name: archive.read(f"hive_acid/{name}") for name in SHARED}
    with zipfile.ZipFile(jar) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
        assert {name: archive.read(name) for name in shared} == shared
        described = archive.read("hiveacid/shim.properties").decode()
    assert described.splitlines() == [f"version={hive_acid.__version__}", f"spark={LINE}"]
    assert "hiveacid/Extensions.class" in classes
    ours = ("hiveacid/", "org/apache/spark/sql/hiveacid/", "org/apache/spark/sql/hive/hiveacid/")
    names_of_later_lines = ("org/apache/spark/sql/classic/package",) if LINE == "3.5" else ()
    assert [name for name in classes if not name.startswith(ours + names_of_later_lines)] == []


def test_the_installed_package_is_imported_without_spark_and_finds_its_jar(installed: Path, tmp_path: Path) -> None:
    text = (
        "import sys, hive_acid\n"
        "print(hive_acid.__file__)\n"
        "print([name for name in ('pyspark', 'py4j', 'thrift', 'pyarrow', 'sqlglot') if name in sys.modules])\n"
        "from hive_acid.session.shim import find_shim_jar\n"
        "print(find_shim_jar())\n"
    )
    module, loaded, jar = run(str(installed / "python"), "-c", text, cwd=tmp_path).splitlines()
    assert Path(module).is_relative_to(installed.parent)
    assert Path(jar).is_relative_to(installed.parent)
    assert loaded == "[]"


def test_the_installed_command_explains_itself(installed: Path, tmp_path: Path) -> None:
    text = run(str(installed / "hive-acid"), "--help", cwd=tmp_path)
    assert "metastore" in text
    assert "demo" in text


def test_the_installed_package_brings_its_pytest_plugin(installed: Path, tmp_path: Path) -> None:
    text = run(str(installed / "python"), "-m", "pytest", "--help", cwd=tmp_path)
    assert "--hive-acid-sqltests=DIR" in text
    assert "hive_acid_metastore" in text

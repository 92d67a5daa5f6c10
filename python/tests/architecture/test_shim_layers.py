"""The parts of the jar, whose walls the compiler holds, and their packages: each knows only those below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
JVM = ROOT / "jvm-shim"
SHIM = JVM / "shim/src/main/scala/hiveacid"

WALLS = {"door": set[str](), "rows": set[str](), "search": {"rows"}, "shim": {"rows", "search"}}
"""The parts, and those that each may know."""

LAYERS = (
    "hiveacid.connect",
    "hiveacid",
    "hiveacid.api",
    "hiveacid.search",
    "hiveacid.parser",
    "hiveacid.analysis",
    "hiveacid.guard",
    "hiveacid.commands",
    "hiveacid.scan",
    "hiveacid.catalog",
    "org.apache.spark.sql.hive.hiveacid",
    "hiveacid.read",
    "hiveacid.storage",
    "hiveacid.compact",
    "hiveacid.write",
    "hiveacid.write.buckets",
    "hiveacid.formats.json",
    "hiveacid.formats.parquet",
    "hiveacid.formats.orc",
    "hiveacid.formats",
    "hiveacid.python",
    "hiveacid.sidecar",
    "hiveacid.wire",
    "hiveacid.values",
    "hiveacid.plugins",
    "hiveacid.expressions",
    "hiveacid.errors",
    "org.apache.spark.sql.hiveacid",
    "org.apache.spark.sql",  # names that Spark itself has since 4.0
)
"""From the top down. Formats do not know each other, nor do those who write and those who compact know the scan."""

NOT_OF_ROWS = re.compile(r"py4j|api\.python|catalyst\.analysis|sessionState\.(?:analyzer|catalog)")
"""Python, the analysis of statements, and Spark's catalog, behind which a metastore is."""

STRANGERS = {"hiveacid.formats.json", "hiveacid.formats.parquet", "hiveacid.formats.orc"}
"""Packages side by side."""

OURS = re.compile(r"(?<![\w.])((?:org\.apache\.spark\.sql\.(?:hive\.)?)?hiveacid(?:\.[a-z]\w*)*)\.(?:\{|_|[A-Z])")
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def sources(part: str = "*") -> list[Path]:
    """The Scala of a part, or of all, without its tests, of every Spark line."""
    return sorted([*JVM.glob(f"{part}/src/main/scala/**/*.scala"), *JVM.glob(f"lines/*/{part}/*.scala")])


def package_of(text: str) -> str:
    found = re.search(r"^package (\S+)$", text, re.MULTILINE)
    assert found
    return found[1]


def known_packages(text: str) -> Iterator[str]:
    """Those that a file imports from or names."""
    for found in OURS.finditer(NOT_CODE.sub(" ", text)):
        yield found[1]


def is_below(package: str, other: str) -> bool:
    """Whether `other` may be known by `package`."""
    if {package, other} <= STRANGERS:
        return False
    return LAYERS.index(other) > LAYERS.index(package)


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_a_package_of_the_shim_knows_only_those_below_it(path: Path) -> None:
    text = path.read_text("utf-8")
    package = package_of(text)
    assert package in LAYERS, "a new package has a place in the order"
    above = {other for other in known_packages(text) if other != package and not is_below(package, other)}
    assert not above, f"{package} knows {above}"


def test_the_order_has_no_package_that_is_not_there() -> None:
    assert {package_of(path.read_text("utf-8")) for path in sources()} == set(LAYERS)


def test_a_file_lies_where_its_package_says() -> None:
    for path in JVM.glob("*/src/main/scala/**/*.scala"):
        package = package_of(path.read_text("utf-8"))
        if package.startswith("hiveacid"):
            assert path.parent.as_posix().endswith(f"/src/main/scala/{package.replace('.', '/')}"), path


def test_the_build_lets_each_part_know_those_alone_that_it_may() -> None:
    described = (ROOT / "build.sbt").read_text("utf-8").split('part(line, "')[1:]
    known = {text.split('"')[0]: "".join(re.findall(r"\.dependsOn\((.*)\)$", text, re.MULTILINE)) for text in described}
    assert {part: set(re.findall(rf"\b(?:{'|'.join(WALLS)})\b", names)) for part, names in known.items()} == WALLS


def test_the_entry_of_searches_alone_knows_them_in_the_shim() -> None:
    known = [path.name for path in sources("shim") if "hiveacid.search" in known_packages(path.read_text("utf-8"))]
    assert known == ["SearchApi.scala"]


@pytest.mark.parametrize("path", sources("rows"), ids=lambda path: path.stem)
def test_rows_know_no_python_no_analysis_and_no_catalog(path: Path) -> None:
    assert NOT_OF_ROWS.findall(NOT_CODE.sub(" ", path.read_text("utf-8"))) == []


def test_every_injected_rule_lies_in_a_file_of_its_name() -> None:
    extensions = (SHIM / "Extensions.scala").read_text("utf-8")
    rules = re.findall(r"extensions\.inject\w+\(.*?=> (\w+)", extensions)
    assert len(rules) > 15
    missing = [rule for rule in rules if not list(SHIM.rglob(f"{rule}.scala"))]
    assert not missing


def test_an_arrow_is_found_wherever_it_stands() -> None:
    text = (
        "package hiveacid.scan\nimport hiveacid.api.{A, B}\n"
        'val x = hiveacid.errors.C("hiveacid.guard.D") // hiveacid.x.E\n'
    )
    assert list(known_packages(text)) == ["hiveacid.api", "hiveacid.errors"]

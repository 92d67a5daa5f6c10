"""The packages of the shim, in the order of a statement's life: each knows only those below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SHIM = Path(__file__).resolve().parents[3] / "jvm-shim"
MAIN = SHIM / "src/main/scala/hiveacid"

LAYERS = (
    "hiveacid.connect",
    "hiveacid",
    "hiveacid.api",
    "hiveacid.parser",
    "hiveacid.analysis",
    "hiveacid.guard",
    "hiveacid.commands",
    "hiveacid.search",
    "hiveacid.scan",
    "org.apache.spark.sql.hive.hiveacid",
    "hiveacid.catalog",
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
    "hiveacid.errors",
    "org.apache.spark.sql.hiveacid",
    "org.apache.spark.sql",  # names that Spark itself has since 4.0
)
"""From the top down. Formats do not know each other, nor do those who write and those who compact know the scan."""

JAVA = SHIM / "src/main/java"
"""`hiveacid.metastore`, which runs in the metastore's process: no part of the shim, but of its jar."""
IMPORTED = re.compile(r"^import (?:static )?([\w.]+);$", re.MULTILINE)

STRANGERS = {"hiveacid.formats.json", "hiveacid.formats.parquet", "hiveacid.formats.orc"}
"""Packages side by side."""

OURS = re.compile(r"(?<![\w.])((?:org\.apache\.spark\.sql\.(?:hive\.)?)?hiveacid(?:\.[a-z]\w*)*)\.(?:\{|_|[A-Z])")
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def sources() -> list[Path]:
    """All of the shim but its tests, of every Spark line."""
    return sorted([*MAIN.rglob("*.scala"), *SHIM.glob("since-*/*.scala"), *SHIM.glob("before-*/*.scala")])


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
    for path in MAIN.rglob("*.scala"):
        package = package_of(path.read_text("utf-8"))
        if package.startswith("hiveacid"):
            assert path.parent == MAIN.parent / package.replace(".", "/"), path


def test_every_injected_rule_lies_in_a_file_of_its_name() -> None:
    extensions = (MAIN / "Extensions.scala").read_text("utf-8")
    rules = re.findall(r"extensions\.inject\w+\(.*?=> (\w+)", extensions)
    assert len(rules) > 15
    missing = [rule for rule in rules if not list(MAIN.rglob(f"{rule}.scala"))]
    assert not missing


def test_an_arrow_is_found_wherever_it_stands() -> None:
    text = (
        "package hiveacid.scan\nimport hiveacid.api.{A, B}\n"
        'val x = hiveacid.errors.C("hiveacid.guard.D") // hiveacid.x.E\n'
    )
    assert list(known_packages(text)) == ["hiveacid.api", "hiveacid.errors"]


@pytest.mark.parametrize("path", sorted(JAVA.rglob("*.java")), ids=lambda path: path.stem)
def test_what_runs_in_the_metastores_process_knows_the_jdk_alone_and_the_shim_does_not_know_it(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "package hiveacid.metastore;" in text
    assert [name for name in IMPORTED.findall(text) if not name.startswith("java.")] == []
    assert not [source for source in sources() if "hiveacid.metastore" in source.read_text("utf-8")]

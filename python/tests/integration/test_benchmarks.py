"""The benchmarks run, and their own checks of counts hold. One compares processor seconds with those of flat files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from architecture.documents import ROOT

pytestmark = pytest.mark.beyond_the_gate("`unit/support/test_benchmark_parts.py`")

BENCHMARKS = ROOT / "python" / "benchmarks"


def run(name: str, *arguments: str) -> str:
    """What a benchmark prints. It needs no package beside those of the tests."""
    command = [sys.executable, str(BENCHMARKS / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_erasure_benchmark_runs_with_ours_alone(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    size = ("--rows", "2000", "--days", "2", "--subjects", "2", "--rounds", "1")
    printed = run(
        "erasure.py", *size, "--against", "", "--no-warm-up", "--folder", str(tmp_path), "--result", str(result)
    )
    found: dict[str, Any] = json.loads(result.read_text())
    assert [cell["subjects"] for cell in found["cells"]] == [2, 2]
    for cell in found["cells"]:
        names = [phase["name"] for phase in cell["phases"]]
        assert names == ["find", "delete", "compact", "clean", "verify", "certify"]
        assert 0 < cell["rows"] < 2000 and cell["bytes_written"] > 0 and cell["cpu_s"] > 0 and cell["peak_mib"] > 0
    methods = [(each["subjects"], each["method"]) for each in found["medians"]]
    kinds = ("hive_acid.erase, ZLIB", "hive_acid.erase, ZSTD")
    ways = [f"{kind}{ending}" for kind in kinds for ending in ("", ", without its verification")]
    assert methods == [(subjects, way) for subjects in (2,) for way in ways]
    assert "| ours: hive_acid.erase, ZLIB |" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"], "data and servers are gone"


@pytest.mark.slow
@pytest.mark.interop
def test_the_grid_of_deletes_runs_beside_partitions_that_are_written_anew_and_trino(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    size = ("--rows", "2000", "--rounds", "1", "--no-warm-up")
    printed = run("grid.py", *size, "--against", "trino", "--folder", str(tmp_path), "--result", str(result))
    found = json.loads(result.read_text())
    assert len(found["medians"]) == 2 * 9
    assert all(set(row["sides"]) == {"ours", "trino", "partition overwrite"} for row in found["medians"])
    assert "| DELETE of 29 % of 10 files |" in printed
    assert found["engines"]["trino"]["release"].isdigit() and "trino 4" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"], "data and servers are gone"


@pytest.mark.slow
def test_first_statements_and_commands_are_timed() -> None:
    printed = run("starts.py", "--rounds", "1")
    assert "plain Spark, SELECT" in printed and "hive-acid settings" in printed


@pytest.mark.slow
def test_the_benchmarks_beside_flat_files_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    series = [part for name in ("scan", "shape", "plan", "cores", "insert", "delete") for part in ("--only", name)]
    places = ("--folder", str(tmp_path), "--result", str(tmp_path / "result.json"))
    printed = run("bench.py", "--rows", "1000", "--rounds", "2", *series, *places)
    for name in ("count(*), no deletes", "INSERT … SELECT", "DELETE of one row"):
        assert name in printed
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"], "data and servers are gone"
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import series_report

    for part in json.loads((tmp_path / "result.json").read_text())["series"]:
        names = [measure["name"] for measure in part["results"]]
        for end in series_report.load_targets().get(part["series"], {}):
            assert any(name.endswith(end) for name in names), f"targets.toml: {part['series']}, {end}"


def test_a_series_is_shown_with_what_is_to_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import bars
    import measures
    import series_report

    kept = measures.Measure("sum, 10 % deleted", 3.0, 2.0, (3.0,))
    lost = measures.Measure("sum, 1 % deleted", 3.0, 2.0, (3.0,))
    table = series_report.format_table("scan", [kept, lost])
    assert "| sum, 10 % deleted | 3.000 s | 2.000 s | 1.50 |  | 1.40, missed |" in table
    assert "| 1.15, missed |" in table
    assert series_report.find_target("scan", "a scan of another name") is None
    picture = ElementTree.fromstring(bars.build_bars("a & b", [bars.Bar("x < y", 9.0, 1.1), bars.Bar("z", 0.5, None)]))
    texts = [part.text for part in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["a & b", "x < y", "9.00", "z", "0.50"]


@pytest.mark.slow
def test_no_kind_of_work_costs_a_third_more_than_before_beside_flat_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import ratios

    result = tmp_path / "result.json"
    printed = run("statements.py", *ratios.ARGUMENTS, "--folder", str(tmp_path), "--result", str(result))
    assert "| MERGE of 10 %, half of it new |" in printed and "| DELETE of one row of 10,000 |" in printed
    medians = json.loads(result.read_text())["medians"]
    sides = {row["step"]: set(row["sides"]) for row in medians}
    assert {step for step, found in sides.items() if found == {"ours", "flat ORC"}} == {
        step for step in sides if step.startswith(("scan", "INSERT of all rows"))
    }
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"], "data and servers are gone"
    found = ratios.find_ratios(medians)
    kept = ratios.load_kept()
    assert found.keys() == kept.keys()
    assert ratios.find_worse(found, kept) == {}, "see python/benchmarks/ratios.py"

"""The parts of the benchmarks that tell right from wrong: files searched, times taken, the table that is shown."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from architecture.documents import ROOT


@pytest.fixture(autouse=True)
def benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(ROOT / "python" / "benchmarks"))
    yield
    for name in set(sys.modules) - known:
        if name in ("measures", "columns", "ratios") or name.split(".")[0] == "peers":
            del sys.modules[name]


def test_people_are_found_in_acid_files_flat_files_and_texts(tmp_path: Path) -> None:
    from peers.events import spell_email
    from peers.files import Remains, find_remains, list_sizes

    gone, other = spell_email(1), spell_email(2)
    emails = pa.array([gone, other, None, gone])
    orc.write_table(
        pa.table({"operation": [0] * 4, "row": pa.StructArray.from_arrays([emails], ["email"])}), tmp_path / "acid"
    )
    orc.write_table(pa.table({"email": emails}), tmp_path / "flat")
    (tmp_path / "log").mkdir()
    pq.write_table(pa.table({"email": emails}), tmp_path / "log" / "data.parquet")
    pq.write_table(pa.table({"position": [1]}), tmp_path / "deletes.parquet")
    (tmp_path / "log" / "0.json").write_text(f'{{"max": "{gone}", "min": "{other}"}}')
    (tmp_path / ".acid.crc").write_text("checksum")
    assert find_remains(tmp_path, "email", [gone]) == Remains(6, 1)
    assert find_remains(tmp_path, "email", [spell_email(3)]) == Remains(0, 0)
    assert str(tmp_path / ".acid.crc") not in list_sizes(tmp_path)


def test_people_are_found_in_the_compressed_blocks_of_avro_files(tmp_path: Path) -> None:
    from peers.events import spell_email
    from peers.files import Remains, find_remains

    def long(value: int) -> bytes:
        assert 0 <= value < 64 * 128
        low, high = (2 * value) & 0x7F, (2 * value) >> 7
        return bytes([low | 0x80, high]) if high else bytes([low])

    def texts(*values: bytes) -> bytes:
        return b"".join(long(len(value)) + value for value in values)

    deflate = zlib.compressobj(wbits=-15)
    block = deflate.compress(b"0" * 500 + spell_email(1)[:16].encode()) + deflate.flush()
    header = b"Obj\1" + long(1) + texts(b"avro.codec", b"deflate") + long(0) + b"s" * 16
    (tmp_path / "manifest.avro").write_bytes(header + 2 * (long(7) + texts(block) + b"s" * 16))
    assert find_remains(tmp_path, "email", [spell_email(1), spell_email(2)]) == Remains(0, 1)


def test_processor_time_counts_children_that_run_and_those_that_have_ended() -> None:
    from peers.processes import cpu_seconds, peak_mib, reset_peak

    burn = "import time\nwhile time.process_time() < 0.5: pass\n"
    lasting = f"{burn}print(flush=True)\ninput()"
    # a process of its own: the servers of other tests are children of this one, and end at any time
    parent = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {burn!r}], check=True)\n"
        "print(flush=True)\n"
        f"subprocess.run([sys.executable, '-c', {lasting!r}], check=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert cpu_seconds(process.pid) >= 0.4
        process.stdout.readline()
        assert cpu_seconds(process.pid) >= 0.9
        reset_peak(process.pid)
        assert 0 < peak_mib(process.pid) < 1000
        process.communicate(b"\n")


def test_the_table_shows_what_is_lost_and_goes_between_its_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from peers import erasure_report
    from peers import page as published
    from peers.methods import METHODS, Phase

    zlib_, zstd = (method.name for method in METHODS if method.engine == "ours")

    def cell(engine: str, method: str, written: int, *phases: tuple[str, float]) -> Any:
        spent = tuple(Phase(name, seconds, seconds) for name, seconds in phases)
        return erasure_report.Cell(engine, method, 1, 5, 500, spent, 10_000, written, 900, 1.0, 0)

    ours = [cell("ours", zlib_, 4000, ("delete", 2.0), ("verify", wait)) for wait in (1.0, 9.0, 2.0)]
    strong = cell("ours", zstd, 3000, ("delete", 1.0), ("verify", 3.0))
    peers = [
        cell(engine, "copy on write", size, ("delete", 4.0)) for engine, size in (("delta", 8000), ("iceberg", 2000))
    ]
    medians = erasure_report.summarise([strong, *ours, *peers])
    assert [(each["engine"], each["method"], each["wall_s"]) for each in medians] == [
        ("ours", zlib_, 4.0),
        ("ours", f"{zlib_}, without its verification", 2.0),
        ("ours", zstd, 4.0),
        ("ours", f"{zstd}, without its verification", 1.0),
        ("delta", "copy on write", 4.0),
        ("iceberg", "copy on write", 4.0),
    ]
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- erasure -->\nold\n<!-- /erasure -->\n\nafter\n")
    monkeypatch.setattr(published, "PAGE", page)
    facts: dict[str, Any] = {
        "engines": {"ours": {"release": "1", "spark": "4"}},
        "rows": 10_000,
        "days": 2,
        "rounds": 3,
        "cores": 2,
    }
    facts |= {"load_before": (1.0, 2.0, 3.0), "load_after": (2.0, 2.0, 3.0)}
    result = {**facts, "heap": "1g", "system": "Linux", "python": "3", "medians": medians}
    text = erasure_report.publish(result, is_kept=True)
    assert text in page.read_text() and page.read_text().startswith("before") and "old" not in page.read_text()
    assert "| 1.00 (0.50), CPU 1.00 (0.50), bytes 0.50 |" in text
    assert "| 1.00 (0.25), CPU 1.00 (0.25), bytes 1.50, lost |" in text
    assert page.read_text().count(text) == 1


def test_a_step_is_lost_where_ours_takes_longer_by_both_clocks() -> None:
    from peers.statement_report import format_table, summarise
    from peers.statement_run import Cell

    def cells(step: str, side: str, *seconds: float, cpu: float = 1.0) -> list[Cell]:
        return [Cell(step, side, number, wall, wall * cpu) for number, wall in enumerate(seconds)]

    medians = summarise(
        [
            *cells("load", "ours", 3.0, 1.0, 2.0),
            *cells("load", "flat ORC", 1.0, 4.0, 4.0),
            *cells("load", "delta", 1.0, 1.0, 4.0),
            *cells("load", "iceberg", 1.0, cpu=3.0),
            *cells("change", "ours", 2.0),
            *cells("change", "delta", 0.5),
        ]
    )
    assert format_table(medians).splitlines() == [
        "Seconds by the clock:",
        "",
        "| Work | ours | flat ORC | delta | iceberg | lost to |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| load | 2.00 | 4.00 | 1.00 | 1.00 | delta |",
        "| change | 2.00 |  | 0.50 |  | delta |",
        "",
        "Processor seconds:",
        "",
        "| Work | ours | flat ORC | delta | iceberg |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| load | 2.00 | 4.00 | 1.00 | 3.00 |",
        "| change | 2.00 |  | 0.50 |  |",
    ]


def test_a_table_without_its_place_in_the_page_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from peers import page as published

    page = tmp_path / "page.md"
    page.write_text("nothing to fill in\n")
    monkeypatch.setattr(published, "PAGE", page)
    with pytest.raises(ValueError, match="has 0 places <!-- statements -->"):
        published.put("statements", "a table")


def test_statements_have_the_same_steps_for_all_sides() -> None:
    from peers.statements import FLAT, SIDES, STEPS, small_steps

    names = [step.name for step in (*STEPS, *small_steps(3))]
    assert len(names) == len(set(names))
    for side in SIDES:
        for step in (*STEPS, *small_steps(3)):
            text = step.statement or side.compact
            text.format(table=side.table, few=side.few, name="n", source="s", rows=10, i=1)
        assert bool(side.few and side.compact) == (side.name != FLAT)


def test_a_ratio_that_is_worse_by_more_than_a_third_is_told() -> None:
    from ratios import find_ratios, find_worse, load_kept

    def row(step: str, ours: float, flat: float | None = None) -> dict[str, Any]:
        sides = {"ours": ours, "flat ORC": flat} if flat is not None else {"ours": ours}
        return {"step": step, "sides": {side: {"wall_s": 9.0, "cpu_s": seconds} for side, seconds in sides.items()}}

    medians = [
        row("INSERT of all rows", 4.4, 4.0),
        row("scan without deletes: one column", 1.0, 0.5),
        row("scan without deletes: count(*)", 0.5, 1.0),
        row("UPDATE of 1 %", 2.0),
    ]
    found = find_ratios(medians)
    assert found == {"INSERT of all rows": 1.1, "scan without deletes": 1.0, "UPDATE of 1 %": 0.5}
    kept = {"INSERT of all rows": 0.9, "scan without deletes": 0.7}
    assert find_worse(found, kept) == {"scan without deletes": (1.0, 0.7), "UPDATE of 1 %": (0.5, 0.0)}
    assert load_kept()

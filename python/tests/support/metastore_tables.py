"""The tables that a metastore on Derby has left, read once it has stopped: Derby lets one process in."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from hive_acid_downloads.java import find_java
from hive_acid_downloads.progress import print_progress
from hive_acid_local.installation import prepare_installation
from support.metastore_releases import recipe

Row = tuple[str | None, ...]


def read_tables(version: str, folder: Path, queries: Sequence[str]) -> list[list[Row]]:
    """The rows of each query, of the stopped metastore in `folder`. Every value is text; `""` comes as None too."""
    jars = prepare_installation(recipe(version).release, "derby", find_java(), print_progress).jars
    url = f"jdbc:derby:;databaseName={folder / 'database' / 'data'};user=APP;password=mine"
    script = folder / "queries.sql"
    text = "".join(f"VALUES 'begin';\n{query};\n" for query in queries)
    script.write_text(f"connect '{url}';\nMAXIMUMDISPLAYWIDTH 300;\n{text}exit;\n", "utf-8")
    derby = ":".join(str(jar) for jar in jars if jar.name.startswith("derby"))
    command = [str(find_java().path), "-cp", derby, "org.apache.derby.tools.ij", str(script)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "ERROR" not in done.stdout, done.stdout
    return [_rows(part) for part in done.stdout.split("\nbegin")[1:]]


def _rows(shown: str) -> list[Row]:
    """From ij's table: a line of names, one of dashes, the rows, a blank line."""
    _, _, body = shown.partition("\nij> ")
    lines = body.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("---"))
    rows: list[Row] = []
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        values = (value.strip() for value in line.split("|"))
        rows.append(tuple(None if value in ("NULL", "") else value for value in values))
    return rows

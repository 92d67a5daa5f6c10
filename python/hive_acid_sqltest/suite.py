"""The files of a suite: which inputs there are, and where their results lie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.slt import convert_slt

INPUTS, RESULTS = "inputs", "results"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)*")
_TEMPLATE = """\
-- Say here what this file promises.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

--FILES t
INSERT INTO t VALUES (1, 'one');

SELECT * FROM t ORDER BY id;
"""


@dataclass(frozen=True)
class SuiteFile:
    """An input and its result; `name` is the path of the input below the inputs, without `.sql`."""

    name: str
    input: Path
    result: Path


def find_suite(folder: Path, pattern: str = "") -> list[SuiteFile]:
    """The inputs (`inputs/**/*.sql`) whose names `pattern` matches somewhere, sorted by name.

    Raises SuiteError if there are none, or if any result of the folder has no input.
    """
    inputs, results = folder / INPUTS, folder / RESULTS
    if not inputs.is_dir():
        raise SuiteError(f"{folder}: no suite: it has no folder {INPUTS}; `hive-acid sqltest new NAME` makes one")
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise SuiteError(f"the filter {pattern!r} is no regular expression: {error}") from error
    names = sorted(path.relative_to(inputs).with_suffix("").as_posix() for path in inputs.rglob("*.sql"))
    recorded = {path.relative_to(results).as_posix().removesuffix(".sql.out") for path in results.rglob("*.out")}
    if orphans := sorted(recorded - set(names)):
        raise SuiteError(f"{results}: these results have no input, remove them: {', '.join(orphans)}")
    found = [SuiteFile(name, inputs / f"{name}.sql", results / f"{name}.sql.out") for name in names]
    chosen = [file for file in found if wanted.search(file.name)]
    if not chosen:
        raise SuiteError(f"{inputs}: no input matches {pattern!r} (there are {len(found)})")
    return chosen


def create_input(folder: Path, name: str, text: str = _TEMPLATE) -> Path:
    """A new input, one to begin with unless its text is given. Raises SuiteError if the name is not sound or taken."""
    stem = name.removesuffix(".sql")
    if not _NAME.fullmatch(stem):
        raise SuiteError(f"{name!r} is no name for an input: letters, digits, _, - and / between folders")
    path = folder / INPUTS / f"{stem}.sql"
    if path.exists():
        raise SuiteError(f"{path} exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def import_slt(path: Path, folder: Path) -> Path:
    """A new input with the statements of a file of sqllogictest. Raises SuiteError if they cannot be taken over."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error
    return create_input(folder, path.stem, convert_slt(text, path.name))

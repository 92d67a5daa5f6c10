"""What comes out on an older Spark line in another way than the golden files record, which are the newest line's.

Errors of Spark's own have other names there, or fewer parameters; statements that the line's parser lacks are syntax
errors. `sql-tests/lines` has the difference of each file, line by line as it must be.
"""

from __future__ import annotations

from pathlib import Path

from hive_acid_sqltest.golden import diff_golden, parse_golden
from hive_acid_sqltest.input.parsing import load_input
from hive_acid_sqltest.input_run import run_input
from hive_acid_sqltest.session import SessionFactory
from hive_acid_sqltest.suite import SuiteFile

BEGAN = {"names_with_commas": "4.0", "replace_matches": "4.2", "schema_evolution": "4.2"}
"""Files for which a later line is needed than the oldest."""


def find_differences(file: SuiteFile, sessions: SessionFactory) -> dict[str, str]:
    """The difference of each of the file's runs, by the run's name; empty texts if there is none."""
    test = load_input(file.input)
    expected = parse_golden(file.result.read_bytes().decode(), str(file.result))
    found = {}
    for variant in test.runs():
        results = [run.result for run in run_input(test, variant, sessions, file.name)]
        found[variant.label] = diff_golden(expected, results, file.name)
    return found


def difference_path(suite: Path, file: SuiteFile, line: str) -> Path:
    """Where the difference of the file on that line is recorded, if it has one."""
    return suite / "lines" / f"spark-{line}" / f"{file.name}.diff"


def read_difference(path: Path) -> str:
    """What is recorded there; nothing for a file that comes out as on the newest line."""
    return path.read_bytes().decode().removesuffix("\n") if path.is_file() else ""


def record_difference(path: Path, difference: str) -> None:
    """Records it, or removes the record of one that is no more."""
    if difference:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{difference}\n".encode())
    else:
        path.unlink(missing_ok=True)

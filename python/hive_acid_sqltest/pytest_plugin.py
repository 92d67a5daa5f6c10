"""The pytest plugin, by which every input of a golden-file suite is a test.

It does nothing unless a suite is named:

[tool.pytest.ini_options]
hive_acid_sqltests = ["sql-tests"]            # suites, relative to the folder of this file
hive_acid_metastore = "thrift://host:9083"    # else that of spark-defaults.conf or hive-site.xml, else an embedded one

A suite of the configuration is collected by `pytest`, and by `pytest PATH` if it lies there; one that is named on the
command line, by `--hive-acid-sqltests DIR`, always. All inputs run on one Spark: the session that is active when the
first of them runs, which `hive_acid.configure` must have set up, or one of their own that ends with the test run. With
SPARK_GENERATE_GOLDEN_FILES=1 results are recorded instead of compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.session import METASTORE_HELP
from hive_acid_sqltest.suite import INPUTS, SuiteFile, find_suite

if TYPE_CHECKING:
    from hive_acid_sqltest.session import SessionFactory

SUITES, METASTORE = "hive_acid_sqltests", "hive_acid_metastore"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings, each also an option of the command line."""
    parser.addini(SUITES, "golden-file suites of hive-acid sqltest that are collected", "paths", [])
    parser.addini(METASTORE, f"the metastore of these suites: {METASTORE_HELP}", "string", "")
    group = parser.getgroup("hive-acid", "golden files of hive-acid sqltest")
    group.addoption(
        "--hive-acid-sqltests", action="append", default=[], type=Path, metavar="DIR", help="run this suite too"
    )
    group.addoption("--hive-acid-metastore", metavar="URI", help=METASTORE_HELP)


def pytest_configure(config: pytest.Config) -> None:
    """Takes part in the test run if there are suites."""
    asked = [folder.absolute() for folder in config.getoption(SUITES)]
    configured = [Path(folder) for folder in config.getini(SUITES)]
    if not asked and not configured:
        return
    wanted = asked if config.args_source is config.ArgsSource.ARGS else [*asked, *configured]
    roots = [(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args]
    for folder in wanted:
        if not any(folder.resolve().is_relative_to(root) for root in roots):
            config.args.append(str(folder / INPUTS))
    metastore = config.getoption(METASTORE) or config.getini(METASTORE) or None
    config.pluginmanager.register(_Suites([*asked, *configured], metastore))


class _Suites:
    def __init__(self, folders: list[Path], metastore: str | None) -> None:
        self._folders = {(folder / INPUTS).resolve(): folder for folder in folders}
        self._metastore = metastore
        self._open = ExitStack()
        self._files: dict[Path, list[SuiteFile]] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """An input of a suite."""
        resolved = file_path.resolve()
        for inputs, folder in self._folders.items():
            if resolved.is_relative_to(inputs) and resolved.suffix == ".sql":
                name = resolved.relative_to(inputs).with_suffix("").as_posix()
                file: SqlFile = SqlFile.from_parent(parent, path=file_path)
                file.suites, file.folder, file.suite_name = self, folder, name
                return file
        return None

    def files(self, folder: Path) -> list[SuiteFile]:
        """The tests of a suite. Raises SuiteError."""
        if folder not in self._files:
            self._files[folder] = find_suite(folder)
        return self._files[folder]

    def pytest_sessionfinish(self) -> None:
        """Ends what was started."""
        self._open.close()

    @cached_property
    def sessions(self) -> SessionFactory:
        """The session of the one Spark, which the first test starts."""
        from hive_acid_sqltest.spark_session import join_sessions

        return self._open.enter_context(join_sessions(self._metastore))


class SqlFile(pytest.File):
    """An input file."""

    suites: _Suites
    folder: Path
    suite_name: str

    def collect(self) -> Iterator[pytest.Item]:
        """The one test of the file. An unsound suite, with an orphaned result say, is an error of each of its files."""
        for file in self.suites.files(self.folder):
            if file.name == self.suite_name:
                yield SqlItem.from_parent(self, name=file.name, file=file)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The fault of the suite, without the way there."""
        return str(excinfo.value) if isinstance(excinfo.value, SuiteError) else super().repr_failure(excinfo)


class Unexpected(Exception):
    """The results of an input differ, or it cannot be run; the text is the report's."""


class SqlItem(pytest.Item):
    """The test of an input: it answers what was recorded."""

    def __init__(self, *, file: SuiteFile, **more: Any) -> None:
        super().__init__(**more)
        self._file = file

    def runtest(self) -> None:
        """Runs the input. Raises Unexpected."""
        from hive_acid_sqltest.runner import Verdict, is_recording, run_file

        assert isinstance(self.parent, SqlFile)
        report = run_file(self._file, self.parent.suites.sessions, is_recording())
        if report.verdict is Verdict.SKIPPED:
            pytest.skip(report.text)
        if not report.is_good:
            raise Unexpected(report.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The diff, without the way there."""
        if isinstance(excinfo.value, Unexpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test stands."""
        return self.path, None, self.name

"""Input files: statements with what to record after each, and the settings they run under.

Directives are comments on lines of their own; the word follows the two dashes without a blank:

--SET key=value[,key=value…]           a setting of the session, for the whole file
--IMPORT file.sql                      the statements (and directives) of another input, run first
--CONFIG_DIM1 key=value[,key=value…]   one choice of settings; the file runs with every choice of each dimension
                                       (lines of one number are the choices), always with the same result
--FILES table                          record the files of the table after the next statement
--ROWS table                           record every row in the files of the table after the next statement
--QUERY-DELIMITER-START                what stands between these two lines is one statement, whatever `;` it holds:
--QUERY-DELIMITER-END                  a SQL script (BEGIN … END), say

All but the two of tables are Spark's (SQLQueryTestSuite).
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hive_acid.testing.errors import SuiteError
from hive_acid.testing.splitting import split_statements

_DIRECTIVE = re.compile(r"--([A-Z][A-Z_]*)([0-9]*)(?:\s+(.*))?", re.DOTALL)
_KNOWN = ("SET", "IMPORT", "CONFIG_DIM", "FILES", "ROWS")
_NOT_SUPPORTED = ("TABLE_DIM", "SESSION", "ONLY_IF", "DEBUG")
Settings = tuple[tuple[str, str], ...]


class Recording(Enum):
    """What is recorded of a table after a statement."""

    FILES = "files"
    ROWS = "rows"


@dataclass(frozen=True)
class InputStatement:
    """A statement, its line in its own file, and what is recorded after it: kind and table, in order."""

    text: str
    line: int
    recordings: tuple[tuple[Recording, str], ...] = ()


@dataclass(frozen=True)
class TestInput:
    """A parsed input file. `dimensions`: for each dimension its choices, each a list of settings."""

    __test__ = False  # no test class, whatever pytest thinks of the name

    settings: Settings
    dimensions: tuple[tuple[Settings, ...], ...]
    statements: tuple[InputStatement, ...]

    def runs(self) -> list[Settings]:
        """The settings of each run: those of the file and one choice of every dimension."""
        return [self.settings + tuple(itertools.chain(*choice)) for choice in itertools.product(*self.dimensions)]


def load_input(path: Path) -> TestInput:
    """The parsed file with its imports, which are relative to its folder. Raises SuiteError."""
    return _load(path, ())


def parse_input(text: str, source: str, load_import: Callable[[str], TestInput]) -> TestInput:
    """The parsed text. `source` is its name in errors; `load_import` finds an imported input by its name.

    Raises SuiteError for what cannot be split and for directives that are wrong, misspelt or not supported.
    """
    parser = _Parser(source, load_import)
    for statement in split_statements(text, source):
        recordings = [found for line, comment in statement.comments if (found := parser.directive(line, comment))]
        if statement.text:
            parser.statement(InputStatement(statement.text, statement.line, tuple(recordings)))
        elif recordings:
            raise SuiteError(f"{source}:{statement.line}: --{recordings[0][0].name} has no statement after it")
    dimensions = tuple(tuple(choices) for _, choices in sorted(parser.dimensions.items()))
    return TestInput(tuple(parser.settings), dimensions, tuple(parser.statements))


def _load(path: Path, importing: tuple[Path, ...]) -> TestInput:
    if path in importing:
        raise SuiteError(f"{path}: imports itself by way of {' and '.join(p.name for p in importing)}")

    def load_import(name: str) -> TestInput:
        return _load((path.parent / name).resolve(), (*importing, path))

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error
    return parse_input(text.replace("\r\n", "\n"), str(path), load_import)


class _Parser:
    def __init__(self, source: str, load_import: Callable[[str], TestInput]) -> None:
        self._source = source
        self._load_import = load_import
        self.settings: list[tuple[str, str]] = []
        self.dimensions: dict[int, list[Settings]] = {}
        self.statements: list[InputStatement] = []
        self._has_own = False

    def statement(self, statement: InputStatement) -> None:
        """Takes in one statement of the file itself."""
        self.statements.append(statement)
        self._has_own = True

    def directive(self, line: int, comment: str) -> tuple[Recording, str] | None:
        """Takes in one comment; what it asks to be recorded after the next statement."""
        match = _DIRECTIVE.fullmatch(comment)
        if match is None:
            return None
        word, number, value = match[1], match[2], (match[3] or "").strip()
        if word in _NOT_SUPPORTED:
            raise self._error(line, f"--{word} is not supported")
        if word not in _KNOWN or (number and word != "CONFIG_DIM"):
            if close := difflib.get_close_matches(word, _KNOWN + _NOT_SUPPORTED, cutoff=0.8):
                raise self._error(line, f"--{word}{number} is no directive; is --{close[0]} meant?")
            return None  # a statement that was commented out, say
        if not value:
            raise self._error(line, f"--{word} needs a value")
        if word in Recording.__members__:
            return Recording[word], value
        if word == "SET":
            self.settings += self._settings(line, value)
        elif word == "CONFIG_DIM":
            self.dimensions.setdefault(int(number or 0), []).append(self._settings(line, value))
        else:
            self._import(line, value)
        return None

    def _import(self, line: int, name: str) -> None:
        if self._has_own:
            raise self._error(line, "--IMPORT comes before all statements")
        imported = self._load_import(name)
        self.settings += imported.settings
        self.statements += imported.statements
        for choices in imported.dimensions:
            self.dimensions[-1 - len(self.dimensions)] = list(choices)

    def _settings(self, line: int, value: str) -> Settings:
        pairs = [part.partition("=") for part in value.split(",")]
        if not all(key.strip() and equals for key, equals, _ in pairs):
            raise self._error(line, f"not of the form key=value[,key=value…]: {value}")
        return tuple((key.strip(), setting.strip()) for key, _, setting in pairs)

    def _error(self, line: int, reason: str) -> SuiteError:
        return SuiteError(f"{self._source}:{line}: {reason}")

"""Reads input files; `sql-tests/README.md` tells their form."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.expectations import FORMS, Expectation, Requirement, parse_expectation, parse_requirement
from hive_acid_sqltest.input.splitting import split_statements
from hive_acid_sqltest.input.values import (
    MAIN_SESSION,
    InputStatement,
    Recorder,
    Recording,
    Settings,
    TestInput,
    Variant,
)

_DIRECTIVE = re.compile(r"--([A-Z][A-Z_]*)([0-9]*)(?:\s+(.*))?", re.DOTALL)
_TABLE_KIND = re.compile(r"(\w+)\s+(\w+)(?:\s+(.+))?")
DIRECTIVES: Final = {
    "SET": ("key=value[,…]", "a setting of the session, for the whole file"),
    "IMPORT": ("file.sql", "the statements of another input, run first"),
    "CONFIG_DIM": ("key=value[,…]", "with a number: one choice of settings; the file runs with every choice"),
    "TABLE_DIM": ("table kind [clauses]", "one kind of a table, whose clauses replace ${table}"),
    "ONLY_IF": ("spark|metastore >=|<|== version", "the file runs only on these versions"),
    "MASK": ("regular expression", "matching text is left out of all answers of the file"),
    "HASH_ABOVE": ("number", "for answers of more rows, the number of rows and a hash are recorded"),
    "SESSION": ("name", "the statements from here on run in the session of that name"),
    "EXPECT": (FORMS, "what the next statement must do, whatever was recorded"),
    "FILES": ("table", "record the files of the table after the next statement"),
    "ROWS": ("table", "record every row in the files of the table after the next statement"),
    "HISTORY": ("table", "record the notes in the table's folders after the next statement"),
    "HOLD": ("point", "hold the next statement there; in the project's own tests"),
    "CONTINUE": ("session[,…]", "continue held statements; in the project's own tests"),
}
"""Each word, with what it takes and what it means."""
_NOT_SUPPORTED = ("DEBUG",)


def load_input(path: Path) -> TestInput:
    """The parsed file with its imports, which are relative to its folder.

    Raises SuiteError, also if no statement is in it: nothing would be compared, and the file would pass.
    """
    test = _load(path, ())
    if not test.statements:
        raise SuiteError(f"{path}: there is no statement in it")
    return test


def parse_input(text: str, source: str, load_import: Callable[[str], TestInput]) -> TestInput:
    """The parsed text. `source` is its name in errors; `load_import` finds an imported input by its name.

    Raises SuiteError for what cannot be split and for directives that are wrong, misspelt or not supported.
    """
    parser = _Parser(source, load_import)
    for statement in split_statements(text, source):
        recordings = [found for line, comment in statement.comments if (found := parser.directive(line, comment))]
        if statement.text:
            parser.statement(statement.text, statement.line, tuple(recordings))
        elif recordings or parser.hold or parser.expectation:
            word = recordings[0][0].name if recordings else "HOLD" if parser.hold else "EXPECT"
            raise SuiteError(f"{source}:{statement.line}: --{word} has no statement after it")
    dimensions = tuple(tuple(choices) for _, choices in sorted(parser.dimensions.items()))
    test = TestInput(tuple(parser.settings), dimensions, tuple(parser.statements), parser.requirements, parser.recorder)
    _refuse_unsound_kinds(test, source)
    return test


def _refuse_unsound_kinds(test: TestInput, source: str) -> None:
    tables = [choices[0].clauses[0][0] for choices in test.dimensions if choices[0].clauses]
    for table in tables:
        if tables.count(table) > 1:
            raise SuiteError(f"{source}: --TABLE_DIM {table} stands here and in an imported file")
        if not any(f"${{{table}}}" in statement.text for statement in test.statements):
            raise SuiteError(f"{source}: --TABLE_DIM {table} changes nothing: no statement holds ${{{table}}}")
        for statement in test.statements:
            for kind, recorded in statement.recordings:
                if recorded.split(".")[-1].strip("`").lower() == table.lower():
                    raise SuiteError(
                        f"{source}:{statement.line}: --{kind.name} {recorded} and --TABLE_DIM {table} exclude each "
                        "other: the files are different for each kind"
                    )


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
        self.dimensions: dict[tuple[str, str], list[Variant]] = {}
        self.statements: list[InputStatement] = []
        self.session = MAIN_SESSION
        self.hold: str | None = None
        self.expectation: Expectation | None = None
        self.requirements: tuple[Requirement, ...] = ()
        self.recorder = Recorder()
        self._has_own = False

    def statement(self, text: str, line: int, recordings: tuple[tuple[Recording, str], ...]) -> None:
        """Takes in one statement of the file itself."""
        self.statements.append(
            InputStatement(text, line, recordings, self.session, self.hold, expectation=self.expectation)
        )
        self.hold = self.expectation = None
        self._has_own = True

    def directive(self, line: int, comment: str) -> tuple[Recording, str] | None:
        """Takes in one comment; what it asks to be recorded after the next statement."""
        match = _DIRECTIVE.fullmatch(comment)
        if match is None:
            return None
        word, number, value = match[1], match[2], (match[3] or "").strip()
        if word in _NOT_SUPPORTED:
            raise self._error(line, f"--{word} is not supported")
        if word not in DIRECTIVES or (number and word != "CONFIG_DIM"):
            if close := difflib.get_close_matches(word, (*DIRECTIVES, *_NOT_SUPPORTED), cutoff=0.8):
                raise self._error(line, f"--{word}{number} is no directive; is --{close[0]} meant?")
            return None  # a statement that was commented out, say
        if not value:
            raise self._error(line, f"--{word} needs a value")
        if word in Recording.__members__:
            return Recording[word], value
        if word == "CONFIG_DIM":
            self._settings_choice(line, number, value)
        else:
            known = {
                "SET": self._set,
                "IMPORT": self._import,
                "TABLE_DIM": self._table_kind,
                "ONLY_IF": self._require,
                "MASK": self._mask,
                "HASH_ABOVE": self._hash_above,
                "SESSION": self._switch,
                "EXPECT": self._expect,
                "HOLD": self._hold,
                "CONTINUE": self._continue,
            }
            known[word](line, value)
        return None

    def _set(self, line: int, value: str) -> None:
        self.settings += self._settings(line, value)

    def _settings_choice(self, line: int, dimension: str, value: str) -> None:
        choice = Variant(self._settings(line, value), label=value)
        self.dimensions.setdefault(("CONFIG_DIM", dimension), []).append(choice)

    def _require(self, line: int, value: str) -> None:
        try:
            self.requirements += (parse_requirement(value),)
        except ValueError:
            raise self._error(line, f"not of the form {DIRECTIVES['ONLY_IF'][0]}: {value}") from None

    def _mask(self, line: int, value: str) -> None:
        try:
            pattern = re.compile(value, re.MULTILINE)
        except re.error as error:
            raise self._error(line, f"no regular expression: {value}: {error}") from error
        if pattern.search("") is not None:
            raise self._error(line, f"it matches where there is nothing: {value}")
        self.recorder = replace(self.recorder, masks=(*self.recorder.masks, pattern))

    def _hash_above(self, line: int, value: str) -> None:
        if not value.isdecimal():
            raise self._error(line, f"no number of rows: {value}")
        self.recorder = replace(self.recorder, most_rows=int(value))

    def _expect(self, line: int, value: str) -> None:
        if self.expectation:
            raise self._error(line, f"the next statement is expected to do {self.expectation.text} already")
        try:
            self.expectation = parse_expectation(value)
        except ValueError:
            raise self._error(line, f"not {FORMS}: {value}") from None

    def _switch(self, line: int, value: str) -> None:
        if not re.fullmatch(r"\w+", value):
            raise self._error(line, f"no name for a session: {value}")
        self.session = value

    def _hold(self, line: int, value: str) -> None:
        if self.hold:
            raise self._error(line, f"the next statement is held at {self.hold} already")
        self.hold = value

    def _continue(self, line: int, value: str) -> None:
        sessions = tuple(name.strip() for name in value.split(","))
        known = {statement.session for statement in self.statements}
        for name in sessions:
            if name not in known:
                raise self._error(line, f"there is no statement before it in a session {name}")
        self.statements.append(InputStatement("", line, continues=sessions, expectation=self.expectation))
        self.expectation = None
        self._has_own = True

    def _import(self, line: int, name: str) -> None:
        if self._has_own:
            raise self._error(line, "--IMPORT comes before all statements")
        imported = self._load_import(name)
        self.settings += imported.settings
        self.statements += imported.statements
        self.requirements += imported.requirements
        self.recorder = Recorder(self.recorder.masks + imported.recorder.masks, imported.recorder.most_rows)
        for choices in imported.dimensions:
            self.dimensions["", f"{name} {len(self.dimensions)}"] = list(choices)

    def _table_kind(self, line: int, value: str) -> None:
        match = _TABLE_KIND.fullmatch(value)
        if match is None:
            raise self._error(line, f"not of the form table kind [clauses]: {value}")
        choice = Variant(clauses=((match[1], match[3] or ""),), label=f"{match[1]} {match[2]}")
        kinds = self.dimensions.setdefault(("TABLE_DIM", match[1]), [])
        if choice.label in (kind.label for kind in kinds):
            raise self._error(line, f"{match[1]} has the kind {match[2]} already")
        kinds.append(choice)

    def _settings(self, line: int, value: str) -> Settings:
        pairs = [part.partition("=") for part in value.split(",")]
        if not all(key.strip() and equals for key, equals, _ in pairs):
            raise self._error(line, f"not of the form key=value[,key=value…]: {value}")
        return tuple((key.strip(), setting.strip()) for key, _, setting in pairs)

    def _error(self, line: int, reason: str) -> SuiteError:
        return SuiteError(f"{self._source}:{line}: {reason}")

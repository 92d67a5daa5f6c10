"""Splits a SQL file into statements by the rules of Spark's own lexer (SqlBaseLexer.g4 of Spark 4.3).

A `;` ends a statement unless it lies in a string ('…' and "…" with backslash escapes, r'…' without, $tag$…$tag$), in a
quoted name (`…`), or in a comment (`--` to the end of the line, which a backslash continues; /* … */, nested).

Text between the lines `--QUERY-DELIMITER-START` and `--QUERY-DELIMITER-END` is one statement, whatever `;` it
holds: a SQL script (BEGIN … END). As in Spark's SQLQueryTestSuite, a `;` at its very end is no part of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive_acid_sqltest.errors import SuiteError

_TOKEN = re.compile(
    r"""
    (?P<line_comment> --(?:\\\n|[^\n])*\n? )
  | (?P<block_comment> /\*(?!\+) )
  | (?P<string> [rR]'[^']*' | [rR]"[^"]*" | '(?:\\.|''|[^'\\])*' | "(?:\\.|""|[^"\\])*" | `(?:``|[^`])*`
              | (?P<tag> \$[A-Za-z]*\$ ).*?(?P=tag) )
  | (?P<word> \w+ )
  | (?P<end> ; )
  | (?P<open> ['"`] )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_SCRIPT = re.compile(r"(?:\w+\s*:\s*)?BEGIN\b(?!\s*(?:TRANSACTION|WORK)?\s*$)", re.IGNORECASE)
_START, _END = "--QUERY-DELIMITER-START", "--QUERY-DELIMITER-END"
_HEAD_CHARACTERS = 200  # of a statement without its comments; enough to see what it begins with


@dataclass(frozen=True)
class SplitStatement:
    """`text` without the lines that are only a comment, stripped; `line` of its first character, from 1.

    `comments` are the `--` comments that stand on lines of their own before the statement, each with its line.
    """

    text: str
    line: int
    comments: tuple[tuple[int, str], ...]


def split_statements(text: str, source: str) -> list[SplitStatement]:
    """The statements of a file; the last one, without text, holds the comments that come after all others.

    Raises SuiteError for a string, name or comment that never ends, a directive inside a statement, delimiters that do
    not pair, and for a SQL script (BEGIN … END) without them: only Spark's parser could tell where it ends.
    """
    splitter = _Splitter(text, source)
    splitter.run()
    return splitter.statements


class _Splitter:
    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._position = 0
        self._code = ""
        self._code_start = 0
        self._head = ""
        self._delimited_from: int | None = None
        self._comments: list[tuple[int, str]] = []
        self.statements: list[SplitStatement] = []

    def run(self) -> None:
        while self._position < len(self._text):
            match = _TOKEN.match(self._text, self._position)
            assert match is not None  # the last alternative takes any character
            kind = match.lastgroup
            if kind == "line_comment":
                self._line_comment(match[0])
            elif kind == "block_comment":
                self._append(self._text[self._position : self._block_comment_end()], is_code=False)
            elif kind == "end" and self._delimited_from is None:
                self._position += 1
                self._end_statement()
            elif kind == "open":
                raise self._error(f"the text or name that begins with {match[0]} never ends")
            else:
                self._append(match[0])
        if self._delimited_from is not None:
            raise SuiteError(f"{self._source}:{self._line(self._delimited_from)}: {_START} has no {_END}")
        self._end_statement()
        if self._comments:
            self.statements.append(SplitStatement("", self._line(len(self._text)), tuple(self._comments)))

    def _append(self, piece: str, is_code: bool = True) -> None:
        self._head += piece if is_code and len(self._head) < _HEAD_CHARACTERS else ""
        if not self._code.strip():
            self._code_start = self._position + len(piece) - len(piece.lstrip())
        self._code += piece
        self._position += len(piece)

    def _line_comment(self, piece: str) -> None:
        before = self._text[self._text.rfind("\n", 0, self._position) + 1 : self._position]
        if before.strip():
            self._append(piece)  # it follows code on its line and stays with it
            return
        comment = piece.strip()
        if comment.startswith((_START, _END)):
            self._delimit(comment)
        elif self._code.strip():
            if re.match(r"--[A-Z]", comment):
                raise self._error(f"{comment.split()[0]} stands inside a statement; put it before the statement")
        else:
            self._comments.append((self._line(self._position), comment))
        self._code = self._code[: len(self._code) - len(before)]
        self._position += len(piece)

    def _delimit(self, comment: str) -> None:
        is_start, is_inside = comment.startswith(_START), self._delimited_from is not None
        if is_start == is_inside:
            raise self._error(f"{_START} stands before its {_END}" if is_start else f"{_END} has no {_START}")
        if not is_start:
            if not self._code.strip():
                raise self._error(f"there is no statement between {_START} and {_END}")
            self._code = self._code.strip().removesuffix(";")
        self._end_statement()
        self._delimited_from = self._position if is_start else None

    def _block_comment_end(self) -> int:
        depth, position = 1, self._position + 2
        while depth:
            edge = _COMMENT_EDGE.search(self._text, position)
            if edge is None:
                raise self._error("the comment that begins with /* never ends")
            depth += 1 if edge[0] == "/*" else -1
            position = edge.end()
        return position

    def _end_statement(self) -> None:
        text = self._code.strip()
        head, self._head, self._code = self._head.strip(), "", ""
        if not text:
            return
        line = self._line(self._code_start)
        if self._delimited_from is None and _SCRIPT.match(head):
            raise SuiteError(f"{self._source}:{line}: a SQL script (BEGIN … END) stands between {_START} and {_END}")
        self.statements.append(SplitStatement(text, line, tuple(self._comments)))
        self._comments = []

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1

    def _error(self, reason: str) -> SuiteError:
        return SuiteError(f"{self._source}:{self._line(self._position)}: {reason}")

"""Where prose stands in the project, and which of its sentences begin without their subject."""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator

from architecture.documents import ROOT
from hive_acid import cli, config

LATE_SUBJECT = ("Of", "By", "What", "Whose", "Those", "Such", "Who", "Whoever", "Whom", "Which", "Whatever")
"""Words after which a reader has to wait for what the sentence is about."""

_CODE = re.compile(r"```.*?```|<!-- ([\w-]+) -->\n\n.*?<!-- /\1 -->", re.DOTALL)
_BEGIN = re.compile(
    rf"(?:\A|(?<=[.!?:])[*)\"']*\s+|\n\s*\n|\n *(?:[*-]|\d+\.) |\| )\W*((?:{'|'.join(LATE_SUBJECT)})\b[^\n]{{0,50}})",
    re.MULTILINE,
)
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_SCALA_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
_LINE_COMMENTS = re.compile(r"(?:^[ \t]*//[^\n]*\n)+", re.MULTILINE)


def late_subjects(text: str) -> list[str]:
    """The beginnings of sentences that keep their subject back. Headings, code and made tables do not count."""
    return _BEGIN.findall(_HEADING.sub("", _CODE.sub("", text)))


def prose() -> Iterator[tuple[str, str]]:
    """Each text that users and developers read, with its place: documents, docstrings, comments, settings, help."""
    for name in _tracked():
        text = (ROOT / name).read_text("utf-8")
        if name.endswith(".md"):
            yield name, text
        elif name.startswith("python/hive_acid") and name.endswith(".py") and "/generated/" not in name:
            yield from _docstrings(name, text)
            yield from _comments(name, text)
        elif name.endswith(".scala"):
            yield from _scala_comments(name, text)
    for setting in config.SETTINGS:
        yield f"setting {setting.key}", setting.meaning
    yield from _help(cli.build_parser())


def _tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def _docstrings(name: str, text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield f"{name}:{node.lineno}", node.value.value


def _comments(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Comments on lines of their own, those below each other as one text."""
    block: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or token.line.split("#")[0].strip():
            continue
        line = token.start[0]
        if block and line != last + 1:
            yield f"{name}:{start}", "\n".join(block)
            block = []
        start, last = (start if block else line), line
        block.append(token.string.lstrip("# "))
    if block:
        yield f"{name}:{start}", "\n".join(block)


def _scala_comments(name: str, text: str) -> Iterator[tuple[str, str]]:
    for pattern in (_SCALA_COMMENT, _LINE_COMMENTS):
        for match in pattern.finditer(text):
            lines = (line.strip().removeprefix("//").lstrip("*/ ") for line in match[0].splitlines())
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}", "\n".join(lines).strip()


def _help(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield f"{parser.prog} {choice.dest}", choice.help or ""
            for child in action.choices.values():
                yield from _help(child)
        elif action.help:
            yield f"{parser.prog} {action.dest}", action.help

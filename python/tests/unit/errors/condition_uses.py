"""Where conditions stand in the code of both halves, and with which parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hive_acid.errors import conditions

ROOT = Path(conditions.__file__).parents[3]
_PREFIX = "HIVE_ACID_"
_NAME = re.compile(r"HIVE_ACID_[A-Z_]+(\.[A-Z][A-Z0-9_]+)?")
_BUILDERS = frozenset({"build_error", "build_refusal"})
_REFUSALS = frozenset({"build_refusal", "Refusal"})
_SCALA_CALL = re.compile(r'(\w+)?(\()?\s*"(HIVE_ACID_[A-Z_]+(?:\.[A-Z][A-Z0-9_]+)?)"(,\s*Map\(|\s*\)|,\s*\w+(?=[,)]))?')
_SCALA_BUILDERS = frozenset({"AcidException", "Refusal"})
_NEAR = 400
_SCALA_PAIR = re.compile(r'"(\w+)"\s*->\s*(s?"[^"]*")?')


@dataclass(frozen=True)
class Use:
    """A condition's name in a file.

    `texts` are the parameters that are given beside it, with what is written as text in each, None where none stand
    there. `is_refusal`: they are those of the sub-condition's part alone.
    """

    place: str
    name: str
    texts: Mapping[str, str] | None = None
    is_refusal: bool = False


def parse_python(text: str, place: str) -> Iterator[Use]:
    """Every string that is a condition's name, and the keywords of a call that builds an error of it."""
    tree = ast.parse(text)
    calls = {id(node.args[0]): node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
            call = calls.get(id(node))
            is_built = call is not None and _called(call) in _BUILDERS
            texts = _keywords(tree, call) if call is not None and is_built else None
            yield Use(f"{place}:{node.lineno}", node.value, texts, call is not None and _called(call) in _REFUSALS)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _keywords(tree: ast.Module, call: ast.Call) -> dict[str, str] | None:
    """None if a dictionary is handed over that is not written down right before the call."""
    found: dict[str, str] = {}
    for keyword in call.keywords:
        if keyword.arg is not None:
            found[keyword.arg] = _literal(keyword.value)
            continue
        written = _find_dictionary(tree, keyword.value, call.lineno)
        if written is None:
            return None
        found |= written
    return found


def _find_dictionary(tree: ast.Module, name: ast.expr, line: int) -> dict[str, str] | None:
    near = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and 0 <= line - node.lineno <= 3
        if isinstance(node.targets[0], ast.Name) and isinstance(name, ast.Name) and node.targets[0].id == name.id
    ]
    if len(near) != 1:
        return None
    return {_literal(key): _literal(value) for key, value in zip(near[0].keys, near[0].values, strict=True) if key}


def _literal(value: ast.expr) -> str:
    """What is written as text in an expression."""
    found = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    return " … ".join(text for text in found if isinstance(text, str))


def parse_scala(text: str, place: str) -> Iterator[Use]:
    """Every literal that is a condition's name, and the keys of a `Map` that is written right behind it."""
    for match in _SCALA_CALL.finditer(text):
        place_of = f"{place}:{text.count(chr(10), 0, match.start(3)) + 1}"
        is_built = match[1] in _SCALA_BUILDERS and match[2] is not None
        texts = _scala_parameters(text, match) if is_built else None
        yield Use(place_of, match[3], texts, match[1] == "Refusal")


def _scala_parameters(text: str, match: re.Match[str]) -> dict[str, str] | None:
    """Those of a `Map`, none, or those of the `Map` that a name stands for, which is written shortly before."""
    behind = (match[4] or "").strip()
    if behind == ")":
        return {}
    begin = match.end()
    if not behind.endswith("("):
        written = f"val {behind.strip(', ')} = Map("
        found = text.rfind(written, max(0, match.start() - _NEAR), match.start())
        if found < 0:
            return None
        begin = found + len(written)
    return dict(_SCALA_PAIR.findall(_until_closed(text[begin:])))


def _until_closed(text: str) -> str:
    """Up to the parenthesis that closes what is open at its beginning."""
    depth = 1
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return text[:position]
    return text


@cache
def find_uses() -> tuple[Use, ...]:
    """All of both halves, without their tests."""
    python = sorted((ROOT / "python").glob("hive_acid*/**/*.py"))
    scala = [file for file in sorted((ROOT / "jvm-shim").rglob("*.scala")) if "test" not in file.parts]
    found: list[Use] = []
    for parse, files in ((parse_python, python), (parse_scala, scala)):
        texts = ((file, file.read_text("utf-8")) for file in files)
        for file, text in texts:
            if _PREFIX in text:
                found += parse(text, str(file.relative_to(ROOT)))
    return tuple(found)

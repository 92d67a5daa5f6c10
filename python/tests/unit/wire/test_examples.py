"""Each message has one example in `python/tests/wire`, which the shim's `ExamplesSuite` reads too."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import pkgutil
import re
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import hive_acid.wire
from hive_acid.wire import codec
from hive_acid.wire.ddl_kinds import DdlKind, load_ddl_kinds
from hive_acid.wire.statement_kinds import StatementKind, load_statement_kinds

EXAMPLES = sorted((Path(__file__).parents[2] / "wire").glob("*.json"))
PYTHON = Path(__file__).parents[3]
SHIM = Path(__file__).parents[4] / "jvm-shim"
ELSEWHERE = {"AnalysedTable", "Column", "Evolution"}
"""Parts of messages that are values of the model here."""


def message_classes() -> dict[str, Any]:
    """The dataclasses of the package, and of the modules of wings that have messages of their own, by name."""
    names = [f"hive_acid.wire.{module.name}" for module in pkgutil.iter_modules(hive_acid.wire.__path__)]
    names += [f"{path.parent.name}.{path.stem}" for path in PYTHON.glob("hive_acid_*/messages.py")]
    modules = [importlib.import_module(name) for name in names]
    found = [value for module in modules for value in vars(module).values() if dataclasses.is_dataclass(value)]
    return {cls.__name__: cls for cls in found if isinstance(cls, type) and cls.__module__ in names}


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where objects and arrays stand in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict | list):
        yield at
    for key, item in items:
        yield from places(item, (*at, key))


def at(value: Any, place: tuple[str | int, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def parts(form: Any) -> Iterator[Any]:
    """The dataclasses in a type."""
    if dataclasses.is_dataclass(form):
        yield form
        for hint in typing.get_type_hints(form).values():
            yield from parts(hint)
    for argument in typing.get_args(form):
        yield from parts(argument)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_read_and_written_as_it_stands(path: Path) -> None:
    message = codec.read(message_classes()[path.stem], path.read_text("utf-8"))
    assert json.loads(codec.write(message)) == load(path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_key_that_is_missing_or_unknown_is_an_error(path: Path) -> None:
    form, whole, tried = message_classes()[path.stem], load(path), 0
    for place in places(whole):
        part = at(whole, place)
        if not isinstance(part, dict) or not any(set(part) == keys(cls) for cls in message_classes().values()):
            continue  # a mapping, whose keys are free
        for key in part:
            lacking = copy.deepcopy(whole)
            del at(lacking, place)[key]
            with pytest.raises(codec.MalformedMessage, match=key):
                codec.read(form, json.dumps(lacking))
        wider = copy.deepcopy(whole)
        at(wider, place)["surplus"] = 1
        with pytest.raises(codec.MalformedMessage, match="surplus"):
            codec.read(form, json.dumps(wider))
        tried += 1
    assert tried


def keys(form: Any) -> set[str]:
    return {codec.to_key(field.name) for field in dataclasses.fields(form)}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_field_of_an_example_is_empty(path: Path) -> None:
    """Or it would not show that both halves mean the same by it. A partition may have nulls."""
    free = {("partition",)}
    whole = load(path)
    for place in places(whole):
        part = at(whole, place)
        values = part.values() if isinstance(part, dict) else part
        assert part
        assert place in free or None not in values, place


def test_every_message_occurs_in_an_example() -> None:
    classes = message_classes()
    shown = {part.__name__ for path in EXAMPLES for part in parts(classes[path.stem])}
    assert set(classes) - shown == {"StatementTraits", "DdlTraits"}, "whose examples are the tables of kinds"


def test_the_shim_has_a_case_class_for_each_message() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in SHIM.glob("*/src/main/scala/hiveacid/wire/*.scala"))
    kinds = {"StatementKind", "DdlKind"}
    assert set(re.findall(r"final case class (\w+)", sources)) == set(message_classes()) | ELSEWHERE | kinds


def test_the_tables_of_kinds_have_each_kind() -> None:
    assert list(load_statement_kinds()) == [kind.value for kind in StatementKind]
    assert list(load_ddl_kinds()) == [kind.value for kind in DdlKind]


@dataclasses.dataclass(frozen=True)
class Point:
    WIRE_POSITIONAL = True

    x: int
    label: str | None


class Colour(Enum):
    RED = "red"


@dataclasses.dataclass(frozen=True)
class Shape:
    corner_points: tuple[Point, ...]
    colour: Colour | None


def test_fields_are_camel_case_and_points_are_arrays() -> None:
    shape = Shape((Point(1, None), Point(2, "b")), Colour.RED)
    assert codec.write(shape) == '{"cornerPoints":[[1,null],[2,"b"]],"colour":"red"}'
    assert codec.read(Shape, codec.write(shape)) == shape


@dataclasses.dataclass(frozen=True)
class ShapeWithEdges(Shape):
    edge_count: int


def test_a_field_is_one_line_and_whoever_lacks_it_names_it() -> None:
    wider = ShapeWithEdges((), None, 4)
    assert codec.read(ShapeWithEdges, codec.write(wider)) == wider
    with pytest.raises(codec.MalformedMessage, match=r"Shape lacks or does not know .*edgeCount"):
        codec.read(Shape, codec.write(wider))
    with pytest.raises(codec.MalformedMessage, match=r"ShapeWithEdges lacks or does not know .*edgeCount"):
        codec.read(ShapeWithEdges, codec.write(Shape((), None)))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"cornerPoints":[],"colour":"blue"}',
        '{"cornerPoints":{},"colour":null}',
        '{"cornerPoints":[[1]],"colour":null}',
        '{"cornerPoints":[[1,null,2]],"colour":null}',
        '{"cornerPoints":[["1",null]],"colour":null}',
        '{"cornerPoints":[[true,null]],"colour":null}',
        '{"cornerPoints":[[1.0,null]],"colour":null}',
        '{"cornerPoints":null,"colour":null}',
        "no JSON",
    ],
)
def test_what_is_not_the_message_is_an_error(text: str) -> None:
    with pytest.raises(codec.MalformedMessage):
        codec.read(Shape, text)


def test_null_is_nothing_where_it_may_be() -> None:
    assert codec.read_if_any(Shape, "null") is None
    with pytest.raises(codec.MalformedMessage):
        codec.read(Shape, "null")

"""Temporary SQL functions that know the hash key and the subjects' hashes; plans show their names only."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType

from hive_acid.api.conditions import build_error, condition_of
from hive_acid.api.messages import read as read_message
from hive_acid.api.messages import write as write_message
from hive_acid.api.secrets import unlogged
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher
from hive_acid_erasure.messages import KeyDescription
from hive_acid_erasure.spark.erasure_sql import HashFunctions, TypedKey, build_elements, build_parts, quote_table

_WHOLE_NUMBER = re.compile(r"tinyint|smallint|int|bigint|decimal\(\d+,0\)")
_CHAR = re.compile(r"char\((\d+)\)")
_QUIET = "hiveacid.erasure.quiet"


@contextmanager
def quiet_jobs(context: SparkContext) -> Iterator[None]:
    """The errors of tasks of this thread's jobs tell no path (hiveacid.errors.QuietPaths)."""
    before: Any = context.getLocalProperty(_QUIET)
    context.setLocalProperty(_QUIET, "true")
    try:
        yield
    finally:
        context.setLocalProperty(_QUIET, before)


@contextmanager
def telling_missing(table: TableName) -> Iterator[None]:
    """Spark's word that the table is not there becomes the metastore's: HIVE_ACID_TABLE_NOT_FOUND."""
    try:
        yield
    except AnalysisException as error:
        if condition_of(error) != "TABLE_OR_VIEW_NOT_FOUND":
            raise
        raise build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table) from error


class KeyForm(Enum):
    """The values that name a subject by a key: a whole number, another value by itself, or several together."""

    NUMBER = "number"
    TEXT = "text"
    SEVERAL = "several"


@dataclass(frozen=True)
class KeyCondition:
    """Whether a row names a subject by a key: the SQL text, and the function in it that knows the subjects.

    `char_length`: values of the key are filled up with blanks to it; None for another type than CHAR.
    """

    text: str
    function: str
    form: KeyForm
    char_length: int | None


class SubjectFunctions:
    """Makes such functions in a session, each for as long as it is used."""

    def __init__(self, session: SparkSession, hash_key: bytes) -> None:
        self._session = session
        self._hash_key = hash_key
        self._prints = self.api.newPrints()
        """Where the JVM keeps a quick mark of each subject that it has spelled."""

    @property
    def api(self) -> Any:
        jvm: Any = self._session._jvm
        return jvm.hiveacid.api.SearchApi

    @property
    def session(self) -> Any:
        session: Any = self._session
        return session._jsparkSession

    @contextmanager
    def conditions(self, matcher: Matcher) -> Iterator[tuple[str, ...]]:
        """An SQL condition for each key of the table: whether a row names a subject by it."""
        with self.named_conditions(matcher) as found:
            yield tuple(each.text for each in found)

    @contextmanager
    def named_conditions(self, matcher: Matcher) -> Iterator[tuple[KeyCondition, ...]]:
        """The same with the functions that they call."""
        names: list[str] = []
        try:
            yield tuple(self._condition(matcher.table, keyed, names) for keyed in matcher.keys if keyed.hashes)
        finally:
            self._drop(names)

    def _condition(self, table: TableName, keyed: KeyedHashes, names: list[str]) -> KeyCondition:
        typed = self.type_key(table, keyed.key)
        name = _new_name()
        names += [name, f"{name}_any"]
        hashes = b"".join(sorted(keyed.hashes))
        with unlogged():
            self.api.registerMembership(self.session, name, self._hash_key, hashes, self._prints)
        if typed.is_array:
            text = f"{name}_any({build_elements(typed.key, typed.types[0])})"
        else:
            text = f"{name}({build_parts(typed.key, typed.types)})"
        char = _CHAR.fullmatch(typed.types[0])
        return KeyCondition(text, name, _find_form(typed), None if char is None else int(char[1]))

    @contextmanager
    def hash_functions(self) -> Iterator[HashFunctions]:
        """Functions of SQL for keyed hashes."""
        names = HashFunctions(_new_name(), _new_name())
        with unlogged():
            self.api.registerHash(self.session, names.hash, self._hash_key)
        self.api.registerQuiet(self.session, names.quiet)
        try:
            yield names
        finally:
            self._drop([names.hash, names.quiet])

    @contextmanager
    def limit(self, partitions: str | None) -> Iterator[str | None]:
        """The condition on partitions as SQL whose errors tell no value; None if there is none."""
        if partitions is None:
            yield None
            return
        name = _new_name()
        self.api.registerQuiet(self.session, name)
        try:
            yield f"{name}({partitions})"
        finally:
            self._drop([name])

    def type_key(self, table: TableName, key: Key) -> TypedKey:
        """The key as the table's columns type it."""
        return TypedKey(key, self.describe(table, key).parts, self._is_array(table, key))

    def _is_array(self, table: TableName, key: Key) -> bool:
        if len(key.parts) != 1:
            return False
        return isinstance(self._session.table(quote_table(table)).selectExpr(*key.parts).schema[0].dataType, ArrayType)

    def describe(self, table: TableName, key: Key) -> KeyDescription:
        """The types that the key's texts depend on."""
        found = self.api.describeKey(self.session, quote_table(table), write_message(key.parts))
        return read_message(KeyDescription, found)

    def spell(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[str | None, ...]:
        """The hash of each subject in hexadecimal; None for one that the key's types cannot spell."""
        parts, texts = write_message(key.parts), write_message(tuple(subjects))
        with unlogged():
            found = self.api.spell(self.session, self._hash_key, quote_table(table), parts, texts, self._prints)
        return read_message(tuple[str | None, ...], found)

    def _drop(self, names: Sequence[str]) -> None:
        self.api.drop(self.session, write_message(tuple(names)))


def _find_form(typed: TypedKey) -> KeyForm:
    if len(typed.types) != 1:
        return KeyForm.SEVERAL
    return KeyForm.NUMBER if _WHOLE_NUMBER.fullmatch(typed.types[0]) else KeyForm.TEXT


def _new_name() -> str:
    return f"hive_acid_{uuid.uuid4().hex[:16]}"


def describe_failure(error: Exception) -> str:
    """The text of an error of ours, the condition or class of another's, whose text may hold a value."""
    condition = (condition_of(error) if isinstance(error, PySparkException) else None) or ""
    if condition.startswith("HIVE_ACID_"):
        return str(error).rstrip(".")
    if condition or not isinstance(error, Py4JJavaError):
        return condition or type(error).__name__
    return str(error.java_exception.getClass().getName())

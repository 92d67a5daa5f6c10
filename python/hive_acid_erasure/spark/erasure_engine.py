"""The engine of an erasure: counts, deletes, compacts and searches files by a Spark session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.jobs import run_job
from hive_acid.api.messages import read as read_message
from hive_acid.api.messages import write as write_message
from hive_acid.api.sessions import AcidTransaction, attach
from hive_acid.api.settings import COLUMNS_BY_POSITION, Settings
from hive_acid.api.tables import (
    NULL_PARTITION,
    TableDescription,
    TableKind,
    TableName,
    find_evolution,
    list_evolutions,
)
from hive_acid_erasure.engine import (
    Compaction,
    Deletion,
    FileFinding,
    Key,
    KeyedHashes,
    KeyTypes,
    MatchCount,
    Matcher,
    PhysicalFile,
    Within,
)
from hive_acid_erasure.messages import SearchedFile, SearchResult, SearchSpec
from hive_acid_erasure.plan.key_types import refuse_changes
from hive_acid_erasure.spark.erasure_compactions import compact_partitions
from hive_acid_erasure.spark.erasure_queries import ErasureQueries
from hive_acid_erasure.spark.erasure_sql import (
    build_filter,
    build_overwrite,
    build_partition_key,
    join_conditions,
    quote_table,
)
from hive_acid_erasure.spark.pinned_session import pin_session
from hive_acid_erasure.spark.subject_functions import (
    KeyForm,
    SubjectFunctions,
    describe_failure,
    quiet_jobs,
    telling_missing,
)
from hive_acid_erasure.spark.typed_keys import find_key_types

_FILES_A_JOB = 2000
"""Results of so many files are in memory at once."""
_PART_BYTES = 128 * 1024 * 1024
"""Larger files are read by several tasks."""
_JUDGED_FORMS = (KeyForm.TEXT, KeyForm.NUMBER)
_SEARCH_JOB = "erasure-search"
_DIGEST_JOB = "erasure-digest"


class SparkErasureEngine:
    """Works in a session of its own, see `pin_session`.

    The hash key is shown nowhere: neither in a plan nor in a log nor in an error.
    """

    def __init__(self, session: SparkSession, hash_key: bytes, part_bytes: int = _PART_BYTES) -> None:
        self._attachment = attach(session)
        self._caller = session
        self._session = pin_session(session)
        self._part_bytes = part_bytes
        self._functions = SubjectFunctions(self._session, hash_key)
        self._queries = ErasureQueries(self._session, self._attachment.metastore, self._functions)

    def check_session(self) -> None:
        with AcidTransaction(self._caller):  # refused within another block, whose locks this session would wait for
            pass
        line = self._attachment.metastore.line
        settings = self._attachment.settings_of(self._caller)
        found, wanted = find_evolution(settings, line), find_evolution(Settings({}), line)
        if found != wanted:
            ways = {True: "position", False: "name"}
            told = {"found": ways[found.by_position], "wanted": ways[wanted.by_position]}
            raise build_error("HIVE_ACID_ERASURE.COLUMNS_SETTING", setting=COLUMNS_BY_POSITION.key, **told)

    def types(self, table: TableName, key: Key) -> KeyTypes:
        """Raises HIVE_ACID_ERASURE with PLAN_CHAR, PLAN_COLLATION or PLAN_KEY."""
        with telling_missing(table):
            return find_key_types(self._functions, table, key)

    def spell(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> frozenset[bytes]:
        return frozenset(self.spell_each(table, key, subjects))

    def spell_each(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[bytes, ...]:
        found = self._functions.spell(table, key, subjects)
        missing = sum(text is None for text in found)
        if missing:
            named = ", ".join(key.parts)
            raise build_error("HIVE_ACID_ERASURE.SUBJECT_TYPE", count=missing, key=named, table=table)
        return tuple(bytes.fromhex(text) for text in found if text is not None)

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        return self._queries.links(matcher, link)

    def count_shared(self, matcher: Matcher, link: Key, links: frozenset[bytes]) -> int:
        return self._queries.count_shared(matcher, link, links)

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        return self._queries.count(matcher, partitions)

    def counts_all(self, table: TableName) -> bool:
        return self._queries.counts_all(table)

    def choose_partitions(self, table: TableName, condition: str, names: Sequence[str]) -> frozenset[str]:
        functions = self._functions
        given = write_message(tuple(names))
        try:
            found = functions.api.choosePartitions(functions.session, quote_table(table), condition, given)
        except HiveAcidError:
            raise
        except (PySparkException, Py4JJavaError) as error:
            failure = describe_failure(error)
            raise build_error("HIVE_ACID_ERASURE.PLAN_PARTITIONS", table=table, failure=failure) from None
        return frozenset(read_message(tuple[str, ...], found))

    def delete(
        self, matchers: Sequence[Matcher], partitions: Mapping[TableName, str], within: Within | None = None
    ) -> Sequence[Deletion]:
        purpose = within.purpose if within else None
        with quiet_jobs(self._session.sparkContext), AcidTransaction(self._session, purpose) as transaction:
            if within is not None and within.reads:  # a busy table that is first used after the snapshot ends the block
                transaction.read_together(self._leave_out_plain(within.reads | {each.table for each in matchers}))
            chosen = matchers if within is None else within.match(matchers)
            counts = [self._delete_from(matcher, partitions.get(matcher.table)) for matcher in chosen]
            txn_id = transaction.id
            write_ids = transaction.write_ids
            for matcher in chosen:  # an ALTER that came after the texts of the conditions is seen here
                refuse_changes(self, matcher)
            flat = ("",)
            written = {table: frozenset(names or flat) for table, names in transaction.partitions.items()}
            deletions = {
                matcher.table: Deletion(
                    count, txn_id, write_ids.get(matcher.table), written.get(matcher.table, frozenset())
                )
                for matcher, count in zip(chosen, counts, strict=True)
            }
            if within is not None:
                within.confirm(deletions)
        return list(deletions.values())

    def _leave_out_plain(self, tables: Iterable[TableName]) -> list[TableName]:
        return [
            table for table in sorted(tables) if self._attachment.metastore.table(table).kind is not TableKind.PLAIN
        ]

    def _delete_from(self, matcher: Matcher, partitions: str | None) -> int:
        table = self._attachment.metastore.table(matcher.table)
        if table.kind is TableKind.PLAIN:
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", operation="Erasure", table=matcher.table)
        with self._functions.conditions(matcher) as conditions, self._functions.limit(partitions) as limit:
            chosen = build_filter(join_conditions(conditions), limit)
            if table.kind is TableKind.INSERT_ONLY:
                return self._rewrite(table, join_conditions(conditions), chosen)
            statement = f"DELETE FROM {quote_table(table.name)} WHERE {chosen}"
            return int(self._session.sql(statement).collect()[0].num_affected_rows)

    def _rewrite(self, table: TableDescription, condition: str, chosen: str) -> int:
        """Writes the partitions that hold a row of a subject anew, by one statement; one without others is empty."""
        counts = self._queries.count_by_partition(table, chosen)
        if not counts:
            return 0
        functions = self._functions
        if not table.is_partitioned:
            functions.api.overwrite(functions.session, build_overwrite(table, condition, None), write_message(()))
            return sum(counts.values())
        names = tuple(sorted(counts))
        with functions.conditions(self._partition_matcher(table, names)) as inside:
            statement = build_overwrite(table, condition, join_conditions(inside))
            functions.api.overwrite(functions.session, statement, write_message(names))
        return sum(counts.values())

    def _partition_matcher(self, table: TableDescription, names: Sequence[str]) -> Matcher:
        """Finds the rows of partitions by the hashes of their values, which may be those of subjects."""
        key = build_partition_key(table)
        texts = self._queries.find_texts(table)
        values = [tuple(NULL_PARTITION if text is None else text for text in texts[name]) for name in names]
        return Matcher(table.name, (KeyedHashes(key, self.spell(table.name, key, values)),))

    def compact(self, table: TableName, partitions: Sequence[str]) -> Iterator[Compaction]:
        return compact_partitions(self._session, self._attachment, table, partitions)

    def search(
        self, matcher: Matcher, files: Sequence[PhysicalFile], *, former_columns: bool = True
    ) -> Iterator[FileFinding]:
        """One job reads up to two thousand files. Without functions to judge them by, no former column is read."""
        evolutions = list_evolutions(self._attachment.metastore.line)
        largest_first = sorted(files, key=lambda file: -file.length_bytes)
        with self._functions.named_conditions(matcher) as named:
            conditions = tuple(each.text for each in named)
            judging = named if former_columns else ()
            texts, numbers = (tuple(each.function for each in judging if each.form is form) for form in _JUDGED_FORMS)
            lengths = tuple(sorted({each.char_length for each in judging if each.char_length is not None}))
            for start in range(0, len(largest_first), _FILES_A_JOB):
                chosen = largest_first[start : start + _FILES_A_JOB]
                listed = tuple(map(_build_file, chosen))
                table, bytes_ = quote_table(matcher.table), self._part_bytes
                spec = SearchSpec(table, conditions, texts, numbers, lengths, evolutions, bytes_, listed)
                yield from map(_build_finding, self._run_search(write_message(spec)))

    def _run_search(self, spec: str) -> tuple[SearchResult, ...]:
        functions = self._functions
        found = run_job(self._session.sparkContext, _SEARCH_JOB, lambda: functions.api.search(functions.session, spec))
        return read_message(tuple[SearchResult, ...], found)

    def judge_values(self, matcher: Matcher, rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
        """The texts stand in no SQL text, for they may be subjects'."""
        functions, table = self._functions, quote_table(matcher.table)
        with telling_missing(matcher.table), functions.conditions(matcher) as conditions:
            found = functions.api.judgeValues(
                functions.session, table, write_message(conditions), write_message(tuple(rows))
            )
        return read_message(tuple[bool | None, ...], found)

    def digest(self, files: Sequence[PhysicalFile]) -> Sequence[str | None]:
        """One job reads all."""
        functions, listed = self._functions, write_message(tuple(map(_build_file, files)))
        context = self._session.sparkContext
        found = run_job(context, _DIGEST_JOB, lambda: functions.api.digests(functions.session, listed))
        return read_message(tuple[str | None, ...], found)


def _build_file(file: PhysicalFile) -> SearchedFile:
    return SearchedFile(file.path, file.length_bytes, file.modified_ms, file.partition)


def _build_finding(found: SearchResult) -> FileFinding:
    return FileFinding(
        found.path,
        found.row_count,
        found.match_count,
        found.in_statistics,
        found.problem,
        found.in_dictionary,
        found.former_columns,
    )

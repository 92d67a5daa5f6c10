"""The first phase: the subjects' hashes for each table, and how many rows they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_acid.erasure.engine import ErasureEngine, Key, KeyedHashes, MatchCount, Matcher
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.plan import NamedKey, Plan, TablePlan
from hive_acid.erasure.spotting import Spotter
from hive_acid.erasure.state import FoundTable
from hive_acid.erasure.subjects import Subjects
from hive_acid.erasure.verification import Verification
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableDescription, TableKind, TableName


@dataclass(frozen=True)
class Finder:
    """Finds the subjects in the visible rows of tables."""

    engine: ErasureEngine
    metastore: Metastore
    verification: Verification
    key: HashKey
    subjects: Subjects

    def check(self, plan: Plan, *, erases: bool) -> None:
        """Looks at the tables of the plan, and at its texts, before anything is done.

        Raises HIVE_ACID_ERASURE with NO_SUCH_TABLE, NOT_TRANSACTIONAL or PLAN_NAMES_SUBJECT.
        """
        for table in plan.tables:
            for step in table.via:
                self._describe(step.table)
            if self._describe(table.table).kind is TableKind.PLAIN and erases:
                raise build_error("HIVE_ACID_ERASURE.NOT_TRANSACTIONAL", table=table.table)
            self._check_texts(table)

    def _describe(self, name: TableName) -> TableDescription:
        try:
            return self.metastore.table(name)
        except HiveAcidError as error:
            if error.main_condition == "HIVE_ACID_TABLE_NOT_FOUND":
                raise build_error("HIVE_ACID_ERASURE.NO_SUCH_TABLE", table=name) from None
            raise

    def _check_texts(self, table: TablePlan) -> None:
        """Literals of a plan are shown wherever it is."""
        spotter = Spotter(self.key, [KeyedHashes(Key(("",)), self.subjects.spotters(self.key).hidden)])
        expressions = [*table.keys, *(key for step in table.via for key in (*step.keys, step.link))]
        texts = [part for key in expressions for part in key.key.parts]
        if any(spotter.count_literals(text) for text in (*texts, table.partitions or "")):
            raise build_error("HIVE_ACID_ERASURE.PLAN_NAMES_SUBJECT", table=table.table)

    def match(self, table: TablePlan) -> Matcher:
        """The keys and hashes that name the subjects in the table, by way of the tables on its path."""
        hashes: frozenset[bytes] | None = None
        for step in table.via:
            hashes = self.engine.linked(Matcher(step.table, self._hash(step.table, step.keys, hashes)), step.link.key)
        return Matcher(table.table, self._hash(table.table, table.keys, hashes))

    def _hash(
        self, table: TableName, keys: Sequence[NamedKey], linked: frozenset[bytes] | None
    ) -> tuple[KeyedHashes, ...]:
        if linked is not None:
            return tuple(KeyedHashes(named.key, linked) for named in keys)
        return tuple(
            KeyedHashes(named.key, self.engine.spell(table, named.key, self.subjects.project(named))) for named in keys
        )

    def find(self, table: TablePlan) -> FoundTable:
        """The table's hashes, counts and files. Raises HIVE_ACID_ERASURE.NOT_COUNTED."""
        matcher = self.match(table)
        count, beyond = self.engine.count(matcher, table.partitions), frozenset[str]()
        if table.partitions is not None:
            everywhere = self.engine.count(matcher, None)
            beyond = frozenset(everywhere.by_partition) - frozenset(count.by_partition)
        return self._describe_found(matcher, count, beyond)

    def find_for_search(self, table: TablePlan) -> tuple[FoundTable, str]:
        """The same for a search of the files, and why visible rows were not counted; empty: they were."""
        try:
            return self.find(table), ""
        except HiveAcidError as error:
            if error.getCondition() != "HIVE_ACID_ERASURE.NOT_COUNTED":
                raise
            found = self._describe_found(self.match(table), MatchCount(0, {}), frozenset())
            return found, self.subjects.spotters(self.key).of(found.matcher.keys).mask(str(error))

    def _describe_found(self, matcher: Matcher, count: MatchCount, beyond: frozenset[str]) -> FoundTable:
        spotter = self.subjects.spotters(self.key).of(matcher.keys)
        sight = self.verification.look(matcher)
        files = self.verification.list_files(sight, ())
        masked = MatchCount(count.total, _mask_names(count.by_partition, spotter))
        return FoundTable(
            matcher,
            sight.identity,
            tuple(spotter.mask(location) for location in sight.locations),
            masked,
            frozenset(map(spotter.mask, beyond)),
            {spotter.mask(file.path): file.length_bytes for file in files},
        )


def _mask_names(by_partition: Mapping[str, int], spotter: Spotter) -> dict[str, int]:
    return {spotter.mask(name): count for name, count in by_partition.items() if count}

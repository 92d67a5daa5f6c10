"""The ways from subjects to the rows of a table: by its own keys, or by links that other tables give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import ErasureEngine, Key, KeyedHashes, Matcher
from hive_acid_erasure.plan.plan import NamedKey, Step, TablePlan
from hive_acid_erasure.subjects.subjects import Subjects

Links = tuple[frozenset[bytes], ...]
"""Keyed hashes of links, for each step of a path."""


@dataclass(frozen=True)
class Reach:
    """How many subjects or links were looked for in a table, and how many of them led nowhere from there.

    In the table of a key, `without` have no value for it. In that of a step, they gave no link. `hidden_rows` are rows
    of its files that name some of these though no query shows a link of them. `unsearched_files` cannot tell.
    """

    table: TableName
    asked: int
    without: int
    hidden_rows: int = 0
    unsearched_files: int = 0

    @property
    def is_open(self) -> bool:
        """True if there may be links that nobody can follow."""
        return bool(self.hidden_rows or self.unsearched_files)

    def describe(self) -> dict[str, Any]:
        """As ledger and certificate keep it."""
        return {
            "table": str(self.table),
            "asked": self.asked,
            "without": self.without,
            "hidden_rows": self.hidden_rows,
            "unsearched_files": self.unsearched_files,
        }


def read_reach(described: Mapping[str, Any]) -> Reach:
    """The reach that `describe` has described."""
    database, _, name = described["table"].partition(".")
    return Reach(**{**described, "table": TableName(database, name)})


@dataclass(frozen=True)
class Stage:
    """A table of a path: `asked` are the hashes of each subject or link, `given` the links by such a hash.

    `seen` are the hashes of those of whom a query has shown a link, now or in an earlier look: a row that the erasure
    has deleted since hides none. `doubtful` are those of the matcher by which rows are others' by now.
    """

    matcher: Matcher
    asked: tuple[frozenset[bytes], ...]
    given: Mapping[bytes, frozenset[bytes]]
    seen: frozenset[bytes]
    doubtful: frozenset[bytes] = frozenset()

    @property
    def sure(self) -> Matcher:
        """The rows of subjects alone."""
        return _leave_out(self.matcher, self.doubtful)

    @property
    def sure_links(self) -> frozenset[bytes]:
        """The links that these give."""
        return _join(links for subject, links in self.given.items() if subject not in self.doubtful)

    @property
    def reach(self) -> Reach:
        """Without a look into files."""
        without = sum(
            not hashes & self.seen - self.given.keys() and not any(self.given.get(hashed) for hashed in hashes)
            for hashes in self.asked
        )
        return Reach(self.matcher.table, len(self.asked), without)

    def find_unseen(self, link: Key) -> Matcher | None:
        """Finds rows with a link of those of whom no link was seen; None if there are none of these."""
        unseen = _join(hashes for hashes in self.asked if not hashes & self.seen)
        if not unseen:
            return None
        has_link = " AND ".join(f"({part}) IS NOT NULL" for part in link.parts)
        keys = (
            KeyedHashes(
                Key(tuple(f"if({has_link}, ({part}), NULL)" for part in keyed.key.parts)), keyed.hashes & unseen
            )
            for keyed in self.matcher.keys
        )
        return Matcher(self.matcher.table, tuple(keys))


@dataclass(frozen=True)
class Trail:
    """The keys and hashes that name the subjects in a table, and the way to them.

    `links` are all that any row has given, `doubtful` those of the last step that rows of others give by now and none
    of a subject's. `gone` are tables of the path that are not there.
    """

    matcher: Matcher
    links: Links = ()
    stages: tuple[Stage, ...] = ()
    reach: tuple[Reach, ...] = ()
    doubtful: frozenset[bytes] = frozenset()
    gone: tuple[TableName, ...] = ()

    @property
    def seen(self) -> Links:
        """Hashes of those of whom a query has shown a link, for each step."""
        return tuple(stage.seen for stage in self.stages)

    @property
    def for_deletion(self) -> Matcher:
        """The matcher without the doubtful ones: nobody else's rows are deleted by a link that was once a subject's."""
        return _leave_out(self.matcher, self.doubtful)


@dataclass(frozen=True)
class TrailFinder:
    """Finds trails. `is_there` tells of a table, `learn` hears of each key before a table is searched by it.

    `links` are those of `ErasureEngine`.
    """

    engine: ErasureEngine
    subjects: Subjects
    links: Callable[[Matcher, Key], Mapping[bytes, frozenset[bytes]]]
    is_there: Callable[[TableName], bool]
    learn: Callable[[Iterable[KeyedHashes]], None]

    def find(self, table: TablePlan, known: Links = (), seen: Links = (), shared: Links = ()) -> Trail:
        """The trail by the rows that are visible, which go on from the links that are `known` as well.

        `seen` are those of an earlier trail, and `shared` links that once were others', too.
        """
        if table.via:
            none = (frozenset[bytes](),) * len(table.via)
            return self._follow(table, known or none, seen or none, shared or none)
        keys, asked = self._name(table.table, table.keys)
        reach = Reach(table.table, len(asked), sum(not hashes for hashes in asked))
        return Trail(Matcher(table.table, keys), reach=(reach,))

    def _name(
        self, table: TableName, keys: Sequence[NamedKey]
    ) -> tuple[tuple[KeyedHashes, ...], tuple[frozenset[bytes], ...]]:
        """The keys with the hashes of all subjects, and the hashes of each subject by all keys."""
        asked = [set[bytes]() for _ in self.subjects.rows]
        found = []
        for named in keys:
            values = self.subjects.project(named)
            spelled = self.engine.spell_each(table, named.key, values) if values else ()
            hashes = dict(zip(values, spelled, strict=True))
            found.append(KeyedHashes(named.key, frozenset(spelled)))
            self.learn(found)
            for subject, value in zip(asked, self.subjects.project_each(named), strict=True):
                subject.update(() if value is None else (hashes[value],))
        return tuple(found), tuple(map(frozenset, asked))

    def _follow(self, table: TablePlan, known: Links, seen: Links, shared: Links) -> Trail:
        links, stages, gone = list[frozenset[bytes]](), list[Stage](), list[TableName]()
        doubtful = frozenset[bytes]()
        first = table.via[0]
        keys = tuple(KeyedHashes(named.key, frozenset()) for named in first.keys)
        asked: tuple[frozenset[bytes], ...] = ()
        if self.is_there(first.table):
            keys, asked = self._name(first.table, first.keys)
        for step, before, seen_before, once_shared in zip(table.via, known, seen, shared, strict=True):
            is_there = self.is_there(step.table)
            given = self.links(Matcher(step.table, keys), step.link.key) if is_there else {}
            if not is_there:
                gone.append(step.table)
            seen_now = seen_before | find_givers(given)
            stages.append(Stage(Matcher(step.table, keys), asked, given, seen_now, doubtful))
            current = _join(given.values())
            lost = before - current
            doubtful = self._find_doubtful(step, lost, given, doubtful) if is_there else frozenset()
            doubtful |= lost & once_shared
            links.append(before | current)
            asked = tuple(frozenset((link,)) for link in sorted(links[-1]))
            following = table.via[len(links)].keys if len(links) < len(table.via) else table.keys
            keys = tuple(KeyedHashes(named.key, links[-1]) for named in following)
            self.learn(keys)
        reach = tuple(stage.reach for stage in stages)
        return Trail(Matcher(table.table, keys), tuple(links), tuple(stages), reach, doubtful, tuple(gone))

    def _find_doubtful(
        self, step: Step, lost: frozenset[bytes], given: Mapping[bytes, frozenset[bytes]], doubtful: frozenset[bytes]
    ) -> frozenset[bytes]:
        """Links that others' rows give: of those that subjects gave before, and those behind a doubtful link."""
        behind = _join(links for subject, links in given.items() if subject in doubtful)
        sure = _join(links for subject, links in given.items() if subject not in doubtful)
        if not lost:
            return behind - sure
        others = self.engine.links(Matcher(step.table, (KeyedHashes(step.link.key, lost),)), step.link.key)
        return (behind - sure) | others.keys()


def find_givers(given: Mapping[bytes, frozenset[bytes]]) -> frozenset[bytes]:
    """The subjects of whom a row has a link."""
    return frozenset(subject for subject, links in given.items() if links)


def _leave_out(matcher: Matcher, doubtful: frozenset[bytes]) -> Matcher:
    if not doubtful:
        return matcher
    return Matcher(matcher.table, tuple(replace(keyed, hashes=keyed.hashes - doubtful) for keyed in matcher.keys))


def _join(links: Iterable[frozenset[bytes]]) -> frozenset[bytes]:
    return frozenset[bytes]().union(*links)

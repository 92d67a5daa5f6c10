"""Clients that alter the tables under those who read and write them, in Spark sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext

from support.chaos.answers import NOT_FOUND, read_rows
from support.chaos.arena import FIRST_MOVED, PARTED, Arena, add, bind, note, remove, unbind
from support.chaos.catalog_client import CatalogClient
from support.chaos.events import Answer, Effect, EffectKind, Operation, Region
from support.chaos.row_clients import AS_JSON, SessionActor
from support.chaos.rows import ADDED, Layout, Slot, source_of
from support.client_history import Outcome
from support.drivers import Gate
from support.polling import eventually
from support.session_process import SessionProcess, StatementFailed

GATE_SECONDS = 20.0
MEANWHILE = 5
"""Operations on rows while a CREATE TABLE AS that is to fail waits."""
MOST_MOVED = 3
"""Partitions of new names; with more, one is dropped."""


class DdlClient(SessionActor):
    """Alters tables in a Spark session."""

    def __init__(
        self, arena: Arena, name: str, number: int, seed: int, process: SessionProcess, catalog: CatalogClient
    ) -> None:
        """`catalog` looks whether a table is there."""
        super().__init__(arena, name, number, seed, process)
        self._catalog = catalog
        self._renewing: dict[Callable[[Slot], object], int] = {
            self.drop_and_create: 6,
            self.rename_away: 3,
            self.fail_to_create: 6,
            self.create_as: 3,
        }
        self._alone: dict[Callable[[Slot], object], int] = {
            self.set_property: 4,
            self.add_column: 2,
            self.analyze: 2,
        }
        self._beside: dict[Callable[[Slot], object], int] = {
            self.drop_partition: 8,
            self.add_partition: 4,
            self.rename_partition: 4,
            self.truncate: 2,
            self.compact: 4,
        }

    def step(self) -> None:
        """One operation, or a few that belong together."""
        slot = self.choose_slot()
        if self.arena.may_renew(slot):
            ways = self._renewing
        else:
            ways = self._alone if self.chance.random() < 0.3 else self._beside
        (way,) = self.chance.choices(list(ways), list(ways.values()))
        with nullcontext() if ways is self._beside else self.arena.guards[slot.name]:
            way(slot)
            if ways is self._renewing:
                self.arena.note_renewal(slot)

    def create(self, slot: Slot) -> None:
        """A table of the name, if there is none; if Spark refuses to make it, the run goes on with that of a call."""
        layout = Layout.choose(slot, self.chance)
        if self._catalog.exists(slot.name):
            self.note_binding(slot)
        elif self.statement(layout.create(slot.name), slot, [bind(slot)]).outcome is not Outcome.OK:
            self._catalog.create(slot.name, layout)
            self.note_binding(slot)

    def drop_and_create(self, slot: Slot) -> None:
        """Another table takes the name."""
        if self._drop(slot):
            self.create(slot)

    def _drop(self, slot: Slot) -> bool:
        """True if the name may be free now."""
        dropped = self.statement(f"DROP TABLE {slot.name}", slot, [unbind(slot)])
        return dropped.outcome is not Outcome.FAILED or dropped.reason in NOT_FOUND

    def rename_away(self, slot: Slot) -> None:
        """The table gets another name, under which its rows are as they were; another one takes the old name."""
        aside = f"{slot.name}_aside_{self.arena.next_number()}"
        renamed = self.statement(f"ALTER TABLE {slot.name} RENAME TO {aside}", slot, [unbind(slot)])
        if renamed.outcome is not Outcome.FAILED:
            self.create(slot)
        if renamed.outcome is Outcome.OK:
            self._look_aside(slot, aside, renamed)

    def _look_aside(self, slot: Slot, aside: str, renamed: Operation) -> None:
        """Nobody knows the new name, so its rows are those of the moment of the rename."""
        try:
            reading = read_rows(slot.name, self.sql(f"SELECT {AS_JSON} FROM {aside}"))
            self.arena.history.look_again(renamed, [reading], excuses=[renamed.number])
            self.sql(f"DROP TABLE {aside}")
        except StatementFailed as error:
            failure = str(error)

            def work(answer: Answer) -> None:
                answer.complaint = f"after the rename: {failure[:500]}"

            self.run(f"read and drop {aside}", (), work)

    def fail_to_create(self, slot: Slot) -> None:
        """CREATE TABLE AS of a query that fails, while others write into what is there meanwhile."""
        if not self._drop(slot):
            return
        write = self.next_write()
        gate = Gate(self.arena.scratch / f"gate-{self.arena.next_number()}")
        gate.folder.mkdir()
        fails = f"IF(gate('{gate}', n) >= 0, raise_error('on purpose'), 0)"
        columns = [column for column in slot.columns if column != "v"]
        source = f"SELECT *, CAST({fails} AS INT) AS v FROM ({source_of(write, columns)})"
        text = Layout.choose(slot, self.chance).create_as(slot.name, source)
        opener = threading.Thread(target=self._open, args=(gate,))
        opener.start()
        self.statement(text, slot, [bind(slot), add(slot, write)], expected="USER_RAISED_EXCEPTION")
        opener.join()
        self.create(slot)
        query = f"SELECT {AS_JSON} FROM {slot.name}"  # before anybody else can take away what others have written
        self.query(query, slot, lambda: self.process.submit_for(self.name, [query], together=False))

    def _open(self, gate: Gate) -> None:
        """Once somebody waits at it and others have read and written for a while."""
        if eventually(lambda: any(gate.folder.glob("waiting-*")), GATE_SECONDS):
            enough = self.arena.row_operations + MEANWHILE
            eventually(lambda: self.arena.row_operations >= enough, GATE_SECONDS)
        gate.open()

    def create_as(self, slot: Slot) -> None:
        """CREATE TABLE AS that succeeds."""
        if not self._drop(slot):
            return
        write = self.next_write()
        text = Layout.choose(slot, self.chance).create_as(slot.name, source_of(write, slot.columns))
        if self.statement(text, slot, [bind(slot), add(slot, write)]).outcome is not Outcome.OK:
            self.create(slot)

    def set_property(self, slot: Slot) -> None:
        """A new one each time."""
        name = f"chaos.{self.arena.next_number()}"
        self.statement(f"ALTER TABLE {slot.name} SET TBLPROPERTIES ('{name}'='1')", slot, [note(slot, name)])

    def add_column(self, slot: Slot) -> None:
        """A new one each time."""
        name = f"{ADDED}{self.arena.next_number()}"
        self.statement(f"ALTER TABLE {slot.name} ADD COLUMNS ({name} INT)", slot, [note(slot, name)])

    def analyze(self, slot: Slot) -> None:
        """Changes no row."""
        self.statement(f"ANALYZE TABLE {slot.name} COMPUTE STATISTICS", slot)

    def drop_partition(self, _: Slot) -> None:
        """One partition, or all of a `p`; sometimes one that was renamed."""
        p, q = self.choose_place()
        if len(self.arena.moved) > MOST_MOVED:
            p = self.arena.moved.pop(0)
        if p < FIRST_MOVED and self.chance.random() < 0.5:
            text, effect = f"p = {p}, q = {q}", remove(PARTED, p, q)
        else:
            text, effect = f"p = {p}", remove(PARTED, p)
        self.statement(f"ALTER TABLE {PARTED.name} DROP IF EXISTS PARTITION ({text})", PARTED, [effect])

    def add_partition(self, _: Slot) -> None:
        """Changes no row."""
        p, q = self.choose_place()
        self.statement(f"ALTER TABLE {PARTED.name} ADD IF NOT EXISTS PARTITION (p = {p}, q = {q})", PARTED)

    def rename_partition(self, _: Slot) -> None:
        """Its rows go with it."""
        p, q = self.choose_place()
        target = FIRST_MOVED + self.arena.next_number()
        text = f"ALTER TABLE {PARTED.name} PARTITION (p = {p}, q = {q}) RENAME TO PARTITION (p = {target}, q = {q})"
        effect = Effect(EffectKind.MOVE, PARTED.name, Region(p, q), moved_to=target)
        if self.statement(text, PARTED, [effect]).outcome is not Outcome.FAILED:
            self.arena.moved.append(target)

    def truncate(self, slot: Slot) -> None:
        """The table, or a partition."""
        if slot.is_partitioned and self.chance.random() < 0.5:
            p, q = self.choose_place()
            self.statement(f"TRUNCATE TABLE {slot.name} PARTITION (p = {p}, q = {q})", slot, [remove(slot, p, q)])
        else:
            self.statement(f"TRUNCATE TABLE {slot.name}", slot, [remove(slot)])

    def compact(self, slot: Slot) -> None:
        """Changes no row; the metastore's Cleaner then removes what nobody reads."""
        p, q = self.choose_place()
        partition = f"PARTITION (p = {p}, q = {q})" if slot.is_partitioned else ""
        self.statement(f"ALTER TABLE {slot.name} {partition} COMPACT 'major' AND WAIT", slot)

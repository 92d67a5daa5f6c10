"""A client that alters tables by plain calls: as Hive does under its locks, or as others do without any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import LockKind
from support.chaos.answers import CallFailed, carry_out_call, translate
from support.chaos.arena import FIRST_MOVED, PARTED, Actor, Arena, bind, note, remove, unbind
from support.chaos.catalog_client import Busy, CatalogClient
from support.chaos.events import Answer, Effect, EffectKind, Reading, Region
from support.chaos.rows import ADDED, Layout, Slot
from support.client_history import Outcome

BURST = 4
"""Properties set one after the other."""
RENEWALS = 0.2
"""How many operations make a table anew, if it is time."""


class PlainClient(Actor):
    """Alters tables by calls to the metastore, as Hive does under its locks, or as others do without any."""

    def __init__(self, arena: Arena, name: str, number: int, seed: int, uri: str, locks: float) -> None:
        """`locks` is how many of its changes take locks."""
        super().__init__(arena, name, number, seed)
        self._catalog = CatalogClient(uri)
        self._locks = locks
        self._ways: dict[Callable[[Slot], object], int] = {
            self.set_property: 12,
            self.add_column: 3,
            self.look: 6,
            self.add_partition: 14,
            self.drop_partition: 6,
            self.rename_partition: 2,
            self.exchange: 3,
        }
        self._of_partitions = (self.add_partition, self.drop_partition, self.rename_partition, self.exchange)

    def step(self) -> None:
        """One operation, or two that belong together."""
        (way,) = self.chance.choices(list(self._ways), list(self._ways.values()))
        slot = self.choose_slot()
        if self.chance.random() < RENEWALS and self.arena.may_renew(slot):
            way = self.chance.choice((self.drop_and_create, self.rename_away))
        slot = PARTED if way in self._of_partitions else slot
        with self.arena.guards[slot.name]:
            way(slot)

    def close(self) -> None:
        """Closes its connections."""
        self._catalog.close()

    def _call(
        self,
        text: str,
        slot: Slot,
        effects: Sequence[Effect],
        call: Callable[[], Any],
        kind: LockKind,
        partition: str | None = None,
    ) -> Outcome:
        """A change, with the lock that Hive takes or without."""
        is_locked = self.chance.random() < self._locks

        def execute() -> None:
            holding: AbstractContextManager[None] = nullcontext()
            if is_locked:
                holding = self._catalog.locked(slot.name, kind, partition)
            with holding:
                translate(call)

        def work(answer: Answer) -> None:
            try:
                carry_out_call(answer, execute)
            except Busy:
                answer.outcome, answer.reason = Outcome.FAILED, "busy"

        return self.run(f"{'locked' if is_locked else 'plain'}: {text}", effects, work).outcome

    def look(self, slot: Slot) -> None:
        """Properties and columns."""

        def work(answer: Answer) -> None:
            try:
                answer.readings.append(Reading(slot.name, notes=self._catalog.notes(slot.name)))
            except ttypes.NoSuchObjectException:
                answer.readings.append(Reading(slot.name))

        self.run(f"describe {slot.name}", (), work)

    def set_property(self, slot: Slot) -> None:
        """Some new ones, one after the other."""
        for _ in range(BURST):
            name = f"chaos.{self.arena.next_number()}"
            self._call(
                f"set {name}",
                slot,
                [note(slot, name)],
                partial(self._catalog.set_property, slot.name, name),
                LockKind.SHARED_READ,
            )

    def add_column(self, slot: Slot) -> None:
        """A new one each time."""
        name = f"{ADDED}{self.arena.next_number()}"
        self._call(
            f"add {name}",
            slot,
            [note(slot, name)],
            lambda: self._catalog.add_column(slot.name, name),
            LockKind.EXCLUSIVE,
        )

    def create(self, slot: Slot) -> None:
        """A table of the name, if there is none."""
        if self._catalog.exists(slot.name):
            self.note_binding(slot)
            return
        layout = Layout.choose(slot, self.chance)
        self._call(
            f"create {slot.name} {layout}",
            slot,
            [bind(slot)],
            lambda: self._catalog.create(slot.name, layout),
            LockKind.SHARED_READ,
        )

    def drop_and_create(self, slot: Slot) -> None:
        """Another table takes the name."""
        dropped = self._call(
            f"drop {slot.name}",
            slot,
            [unbind(slot)],
            lambda: self._catalog.drop(slot.name),
            LockKind.EXCLUSIVE,
        )
        if dropped is not Outcome.FAILED:
            self.create(slot)

    def rename_away(self, slot: Slot) -> None:
        """Another table takes the name; nobody reads the old one."""
        aside = f"{slot.name}_aside_{self.arena.next_number()}"
        renamed = self._call(
            f"rename {slot.name} to {aside}",
            slot,
            [unbind(slot)],
            lambda: self._catalog.rename(slot.name, aside),
            LockKind.EXCLUSIVE,
        )
        if renamed is not Outcome.FAILED:
            self.create(slot)
        if renamed is Outcome.OK:
            self._catalog.drop(aside)

    def _choose_partition(self) -> tuple[int, int, list[int], str]:
        """One of the partitions: `p`, `q`, its values in the table's order, its name there."""
        p, q = self.choose_place()
        values = {"p": p, "q": q}
        try:
            columns = self._catalog.partition_columns(PARTED.name)
        except ttypes.NoSuchObjectException:
            columns = ["p", "q"]
        return p, q, [values[column] for column in columns], "/".join(f"{name}={values[name]}" for name in columns)

    def add_partition(self, _: Slot) -> None:
        """Changes no row; every other one lies elsewhere."""
        folder = self.arena.scratch / f"elsewhere-{self.arena.next_number()}"
        location = folder.as_uri() if self.chance.random() < 0.5 else None
        _p, _q, values, name = self._choose_partition()
        self._call(
            f"add partition {name} at {location}",
            PARTED,
            (),
            lambda: self._catalog.add_partition(PARTED.name, values, location),
            LockKind.SHARED_READ,
        )

    def drop_partition(self, _: Slot) -> None:
        """With its files."""
        p, q, values, name = self._choose_partition()
        self._call(
            f"drop partition {name}",
            PARTED,
            [remove(PARTED, p, q)],
            lambda: self._catalog.drop_partition(PARTED.name, values),
            LockKind.EXCLUSIVE,
            name,
        )

    def rename_partition(self, _: Slot) -> None:
        """Its rows go with it."""
        target = FIRST_MOVED + self.arena.next_number()
        p, q, values, name = self._choose_partition()
        new = [target if value == p else value for value in values]
        moved = self._call(
            f"rename partition {name} to p={target}",
            PARTED,
            [Effect(EffectKind.MOVE, PARTED.name, Region(p, q), moved_to=target)],
            lambda: self._catalog.rename_partition(PARTED.name, values, new),
            LockKind.EXCLUSIVE,
            name,
        )
        if moved is not Outcome.FAILED:
            self.arena.moved.append(target)

    def exchange(self, _: Slot) -> None:
        """Moves a partition into another table, which is dropped."""
        other = f"exchanged_{self.arena.next_number()}"
        p, q, _values, name = self._choose_partition()

        def exchange() -> None:
            self._catalog.create_like(other, PARTED.name)
            try:
                self._catalog.exchange_out(PARTED.name, {"p": p, "q": q}, other)
            except ttypes.MetaException as error:  # the server rolls back, and brings the folder back
                raise CallFailed(f"MetaException: {error.message}", True) from error
            finally:
                self._catalog.drop(other)

        self._call(f"exchange partition {name}", PARTED, [remove(PARTED, p, q)], exchange, LockKind.EXCLUSIVE, name)

"""Clients that read and write rows in Spark sessions, some of them by DataFrames and views that they made earlier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from support.chaos.answers import carry_out, read_rows, wait
from support.chaos.arena import COPIES, SLOTS, Actor, Arena, add, overwrite, remove
from support.chaos.events import Answer, Effect, EffectKind, Operation, Region
from support.chaos.rows import KEYS_PER_WRITE, RESIDUES, Slot, insert_into
from support.client_history import Outcome
from support.session_process import SessionProcess

AS_JSON = "to_json(struct(*)) AS row"
ALL_TRUE = ("a >= 10000000 AND b >= 20000000", "b < 30000000 AND n >= 0", "a < 20000000", "t LIKE 'w%' AND v >= 0")
"""Conditions that hold of every row, so that a filter loses none."""
Rows = list[tuple[Any, ...]]


class SessionActor(Actor):
    """A client with a session of its own in a process that it shares."""

    def __init__(self, arena: Arena, name: str, number: int, seed: int, process: SessionProcess) -> None:
        super().__init__(arena, name, number, seed)
        self.process = process

    def sql(self, text: str) -> Rows:
        """Rows of a statement. Raises StatementFailed and Hangs."""
        return wait(self.process.submit_for(self.name, [text], together=False))

    def statement(
        self,
        text: str,
        slot: Slot,
        effects: Sequence[Effect] = (),
        affected: int | None = None,
        expected: str = "",
    ) -> Operation:
        """A statement that shows no rows of the table; `affected` is the number it must tell."""

        def work(answer: Answer) -> None:
            def execute() -> None:
                found = self.sql(text)
                if affected is not None and found[0][0] != affected:
                    answer.complaint = f"tells {found[0][0]} rows instead of {affected}"

            carry_out(answer, [slot.name], execute, expected)

        return self.run(text, effects, work)

    def query(self, text: str, slot: Slot, ask: Callable[[], Future[Rows]], is_held: bool = False) -> None:
        """Rows as JSON of one table; `is_held`: by a plan that was made before, whose own table may be gone."""

        def work(answer: Answer) -> None:
            carry_out(
                answer,
                [] if is_held else [slot.name],
                lambda: answer.readings.append(read_rows(slot.name, wait(ask()))),
            )

        self.run(text, (), work)


class RowClient(SessionActor):
    """Reads and writes rows."""

    def __init__(self, arena: Arena, name: str, number: int, seed: int, process: SessionProcess) -> None:
        super().__init__(arena, name, number, seed, process)
        self._held: set[str] = set()
        self._ways: dict[Callable[[Slot], object], int] = {
            self.insert: 24,
            self.read: 10,
            self.read_filtered: 6,
            self.hold: 6,
            self.read_held: 14,
            self.copy: 6,
            self.update: 6,
            self.delete: 4,
            self.overwrite: 2,
            self.transaction: 8,
            self.undo: 3,
        }

    def step(self) -> None:
        """One operation."""
        (way,) = self.chance.choices(list(self._ways), list(self._ways.values()))
        way(self.choose_slot())
        self.arena.count_row_operation()

    def _shuffled(self, slot: Slot) -> list[str]:
        return self.chance.sample(slot.columns, len(slot.columns))

    def insert(self, slot: Slot) -> None:
        """Four rows, one for each partition."""
        write = self.next_write()
        text = insert_into(slot.name, write, self._shuffled(slot))
        self.statement(text, slot, [add(slot, write)], KEYS_PER_WRITE)

    def overwrite(self, slot: Slot) -> None:
        """INSERT OVERWRITE: of a partitioned table what is in the partitions of the new rows."""
        write = self.next_write()
        text = insert_into(slot.name, write, self._shuffled(slot), "OVERWRITE")
        self.statement(text, slot, overwrite(slot, write), KEYS_PER_WRITE)

    def update(self, slot: Slot) -> None:
        """Counts in some rows."""
        residue = self.chance.randrange(RESIDUES)
        effect = Effect(EffectKind.INCREASE, slot.name, Region(residue=residue))
        self.statement(f"UPDATE {slot.name} SET v = v + 1 WHERE n % {RESIDUES} = {residue}", slot, [effect])

    def delete(self, slot: Slot) -> None:
        """Removes some rows."""
        residue = self.chance.randrange(RESIDUES)
        effect = remove(slot, residue=residue)
        self.statement(f"DELETE FROM {slot.name} WHERE n % {RESIDUES} = {residue}", slot, [effect])

    def read(self, slot: Slot) -> None:
        """Everything."""
        text = f"SELECT {AS_JSON} FROM {slot.name}"
        self.query(text, slot, lambda: self.process.submit_for(self.name, [text], together=False))

    def read_filtered(self, slot: Slot) -> None:
        """Everything, by conditions that are pushed down."""
        text = f"SELECT {AS_JSON} FROM {slot.name} WHERE {self.chance.choice(ALL_TRUE)}"
        self.query(text, slot, lambda: self.process.submit_for(self.name, [text], together=False))

    def hold(self, slot: Slot) -> None:
        """Makes a DataFrame and a view, to be read later."""

        def work(answer: Answer) -> None:
            def execute() -> None:
                wait(self.process.hold_for(self.name, f"held_{slot.name}", f"SELECT * FROM {slot.name}"))
                self._held.add(slot.name)

            carry_out(answer, [slot.name], execute)

        self.run(f"DataFrame of {slot.name}", (), work)

    def read_held(self, slot: Slot) -> None:
        """By the DataFrame or the view."""
        if slot.name not in self._held:
            self.hold(slot)
        elif self.chance.random() < 0.5:
            name = f"held_{slot.name}"
            ask = lambda: self.process.collect_for(self.name, name, [AS_JSON])  # noqa: E731
            self.query(f"collect the DataFrame of {slot.name}", slot, ask, is_held=True)
        else:
            text = f"SELECT {AS_JSON} FROM held_{slot.name} WHERE {self.chance.choice(ALL_TRUE)}"
            ask = lambda: self.process.submit_for(self.name, [text], together=False)  # noqa: E731
            self.query(text, slot, ask, is_held=True)

    def copy(self, slot: Slot) -> None:
        """INSERT … SELECT of everything into the table of copies, which is read at the end."""
        is_held = slot.name in self._held and self.chance.random() < 0.5
        number = self.arena.history.next_number()
        source = f"held_{slot.name}" if is_held else slot.name
        text = f"INSERT INTO {COPIES} SELECT {number}, {AS_JSON} FROM {source}"

        def work(answer: Answer) -> None:
            carry_out(answer, [] if is_held else [slot.name], lambda: self._copy(answer, text))

        self.run(f"copy {slot.name}: {text}", (), work, number)

    def _copy(self, answer: Answer, text: str) -> None:
        answer.reason = f"{self.sql(text)[0][0]} rows"

    def transaction(self, slot: Slot) -> None:
        """Reads and writes of both tables at one snapshot, the second one touched late."""
        other = next(other for other in SLOTS if other is not slot)
        write = self.next_write()
        tables = {0: other, 1: slot, 2: slot}
        reads = {number: f"SELECT {number}, {AS_JSON} FROM {table.name}" for number, table in tables.items()}
        inserts = [insert_into(table.name, write, self._shuffled(table)) for table in (other, slot)]
        statements = [reads[0], inserts[0], reads[1], inserts[1], reads[2]]

        def work(answer: Answer) -> None:
            def execute() -> None:
                rows = wait(self.process.submit_for(self.name, statements, together=True))
                for number, table in tables.items():
                    answer.readings.append(read_rows(table.name, [row for row in rows if row[0] == number and row[1:]]))

            carry_out(answer, [other.name, slot.name], execute)

        self.run(f"transaction: {'; '.join(statements)}", [add(other, write), add(slot, write)], work)

    def undo(self, slot: Slot) -> None:
        """A DataFrame that was collected in a transaction is collected after the rollback."""
        write = self.next_write()
        query = f"SELECT {AS_JSON} FROM (SELECT * FROM {slot.name} DISTRIBUTE BY n)"
        statements = [insert_into(slot.name, write, self._shuffled(slot)), query]

        def work(answer: Answer) -> None:
            def execute() -> None:
                rows = wait(self.process.read_after_rollback_for(self.name, statements))
                answer.readings.append(read_rows(slot.name, rows))
                answer.outcome = Outcome.FAILED  # the rows were rolled back

            carry_out(answer, [slot.name], execute)

        self.run(f"rolled back: {'; '.join(statements)}", [add(slot, write)], work)

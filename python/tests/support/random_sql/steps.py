"""One step of a random run: what is run on this package's table, and what it does to the other implementation's."""

from __future__ import annotations

from dataclasses import dataclass, field

from support.random_sql.effects import Create, Effect


@dataclass(frozen=True)
class Call:
    """One statement: a Python expression over `spark`, `functions` and `hive_acid`, which the effects describe.

    Several effects are those of a statement that changes several tables: they are done together.
    """

    code: str
    effects: tuple[Effect, ...] = ()
    asked: str = ""
    """Kind and target as an extension is told of them, if it is one of this package's statements."""
    refusal: str = ""
    """A condition by which it may be refused, where plain tables have no such rule."""

    @property
    def tables(self) -> list[str]:
        """Those that it changes."""
        return [effect.table.name if isinstance(effect, Create) else effect.table for effect in self.effects]


def sql(text: str, *effects: Effect, asked: str = "", refusal: str = "") -> Call:
    """The call of `spark.sql`."""
    return Call(f"spark.sql({text!r})", effects, asked, refusal)


@dataclass(frozen=True)
class Step:
    """Calls one after the other; `is_block` has them in one transaction, and `is_undone` leaves it by an error."""

    kind: str
    calls: tuple[Call, ...]
    is_block: bool = False
    is_undone: bool = False

    @property
    def tables(self) -> list[str]:
        """Those that it changes."""
        return [name for call in self.calls for name in call.tables]

    @property
    def statements(self) -> int:
        """How many it has; a query and what is no statement count as one."""
        return max(1, len(self.calls))

    @property
    def text(self) -> str:
        """Python that one can paste."""
        lines = [f"{call.code}.collect()" if call.code.startswith("spark.sql") else call.code for call in self.calls]
        if not self.is_block:
            return "\n".join(lines)
        lines += ["raise ZeroDivisionError  # to undo it"] if self.is_undone else []
        return "with hive_acid.transaction(spark):\n    " + "\n    ".join(lines)


@dataclass(frozen=True)
class Query(Step):
    """A query that both implementations answer."""

    query: str = ""

    @property
    def text(self) -> str:
        return sql(self.query).code + ".collect()"


@dataclass(frozen=True)
class Settings(Step):
    """Settings that change no meaning; None is the default."""

    changed: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True)
class Adoption(Step):
    """A plain table's files get names of Hive's, and it becomes transactional."""

    table: str = ""

    @property
    def text(self) -> str:
        return (
            f"# the files of {self.table} are renamed to 000000_0 and so on; REFRESH TABLE {self.table}\n{super().text}"
        )


@dataclass(frozen=True)
class HandCompaction(Step):
    """Folders as Hive 3.1 or 4 leaves them after a compaction; `cleans` says that what they stand for is removed."""

    table: str = ""
    is_major: bool = False
    hive_4: bool = False
    cleans: bool = False

    @property
    def text(self) -> str:
        options = f"is_major={self.is_major}, hive_4={self.hive_4}, cleans={self.cleans}"
        return f"# support.compactor.Compactor compacts {self.table}: {options}"


@dataclass(frozen=True)
class Worker(Step):
    """The calls only ask for compactions, and a worker that serves the queue does them."""

    @property
    def text(self) -> str:
        return f"spark.conf.set('spark.hiveacid.compaction.runIn', 'queue')  # a worker does it\n{super().text}"


@dataclass(frozen=True)
class Segment:
    """Tables and statements under settings that may change what statements mean."""

    seed: str
    settings: dict[str, str]
    steps: list[Step] = field(default_factory=list)

    def with_steps(self, steps: list[Step]) -> Segment:
        """The same of other steps."""
        return Segment(self.seed, self.settings, steps)

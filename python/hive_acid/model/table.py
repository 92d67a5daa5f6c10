"""A table as a statement needs to know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, order=True)
class TableName:
    """Database and table in lower case, as the metastore keeps them."""

    database: str
    table: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "database", self.database.lower())
        object.__setattr__(self, "table", self.table.lower())

    def __str__(self) -> str:
        return f"{self.database}.{self.table}"

    @classmethod
    def parse(cls, text: str) -> TableName:
        """From `database.table`. Raises ValueError for a text without a dot."""
        database, dot, table = text.partition(".")
        if not dot:
            raise ValueError(f"{text!r} is no database.table")
        return cls(database, table)


@dataclass(frozen=True)
class Column:
    """Name in lower case and type in Hive's spelling, e.g. `decimal(10,2)`, `struct<a:int>`."""

    name: str
    type: str


class TableKind(Enum):
    """How a table takes part in transactions."""

    PLAIN = "plain"
    INSERT_ONLY = "insert_only"
    FULL_ACID = "full_acid"

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> TableKind:
        """From the table properties `transactional` and `transactional_properties` (values in any case)."""
        if parameters.get("transactional", "").lower() != "true":
            return cls.PLAIN
        insert_only = parameters.get("transactional_properties", "").lower() == "insert_only"
        return cls.INSERT_ONLY if insert_only else cls.FULL_ACID

    @property
    def has_row_ids(self) -> bool:
        """True if each row carries its row ID and write IDs, so that rows can be deleted one by one.

        The rows of an insert-only table carry nothing: only the names of folders tell their write IDs.
        """
        return self is TableKind.FULL_ACID


class FileFormat(Enum):
    """The format of a table's files; the values are the words of STORED AS."""

    ORC = "ORC"
    PARQUET = "PARQUET"
    TEXTFILE = "TEXTFILE"
    AVRO = "AVRO"
    SEQUENCEFILE = "SEQUENCEFILE"
    RCFILE = "RCFILE"
    JSONFILE = "JSONFILE"

    @classmethod
    def of(cls, input_format: str, serde: str = "") -> FileFormat | None:
        """From the names of Hive's input format and SerDe, or None for a format that no word stands for."""
        found = _INPUT_FORMATS.get(input_format.rpartition(".")[2])
        return cls.JSONFILE if found is cls.TEXTFILE and serde == JSON_SERDE else found


JSON_SERDE = "org.apache.hadoop.hive.serde2.JsonSerDe"
_INPUT_FORMATS = {
    "OrcInputFormat": FileFormat.ORC,
    "MapredParquetInputFormat": FileFormat.PARQUET,
    "TextInputFormat": FileFormat.TEXTFILE,
    "AvroContainerInputFormat": FileFormat.AVRO,
    "SequenceFileInputFormat": FileFormat.SEQUENCEFILE,
    "RCFileInputFormat": FileFormat.RCFILE,
}


@dataclass(frozen=True)
class RowFormat:
    """How a SerDe makes rows of what is in a file: its class; of `JSON_SERDE` also properties and columns."""

    serde: str = ""
    properties: frozenset[tuple[str, str]] = frozenset()
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True)
class TableDescription:
    """A table of the metastore. `columns` leaves out the partition columns; `bucket_count` is 0 for unbucketed.

    `sort_columns` are those of SORTED BY; `has_skew_folders`: SKEWED BY … STORED AS DIRECTORIES, where folders within
    folders tell values of rows. `created_s`: when it was made, in seconds since 1970 by the metastore's clock, 0 if not
    known. `table_id` is the metastore's own number of it, which no table made later gets; 0 on 3.1, which shows none.
    `source_path` is the folder in which Spark reads a table of its data sources, empty for another table.
    """

    name: TableName
    location: str
    columns: tuple[Column, ...]
    partition_columns: tuple[Column, ...] = ()
    bucket_columns: tuple[str, ...] = ()
    bucket_count: int = 0
    input_format: str = ""
    parameters: dict[str, str] = field(default_factory=dict, hash=False)
    sort_columns: tuple[str, ...] = ()
    has_skew_folders: bool = False
    row_format: RowFormat = RowFormat()
    created_s: int = 0
    table_id: int = 0
    source_path: str = ""

    @property
    def kind(self) -> TableKind:
        """How the table takes part in transactions."""
        return TableKind.of(self.parameters)

    @property
    def file_format(self) -> FileFormat | None:
        """The format of its files, None for one that has no word of its own."""
        return FileFormat.of(self.input_format, self.row_format.serde)

    @property
    def is_partitioned(self) -> bool:
        """True if the table has partition columns."""
        return bool(self.partition_columns)

    @property
    def is_immutable(self) -> bool:
        """True if it takes only one INSERT INTO of each place, by its property."""
        return any(key.lower() == "immutable" and value.lower() == "true" for key, value in self.parameters.items())


@dataclass(frozen=True)
class TableConstraints:
    """The metastore's constraints on new rows: columns without NULL, and the names of CHECK constraints.

    Only those that are enabled; all names in lower case.
    """

    not_null: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Partition:
    """A partition: `name` as the metastore spells it (`k1=v1/k2=v2`, escaped), values unescaped, own location.

    `input_format` and `row_format` are those of its files, which may be others than the table's; empty and None where
    they are not known.
    """

    name: str
    values: tuple[str, ...]
    location: str
    parameters: dict[str, str] = field(default_factory=dict, hash=False)
    input_format: str = ""
    row_format: RowFormat | None = None

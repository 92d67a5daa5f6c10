"""Tables and partitions as a metastore describes them, and the calls by which it is asked."""

from hive_acid.metastore.conversion import parse_partition_values
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Partition, TableDescription, TableKind, TableName

__all__ = [
    "Metastore",
    "MetastoreLine",
    "Partition",
    "TableDescription",
    "TableKind",
    "TableName",
    "parse_partition_values",
]

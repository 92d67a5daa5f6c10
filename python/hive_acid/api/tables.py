"""Tables and partitions as a metastore describes them, and the calls by which it is asked."""

from hive_acid.metastore.client.conversion import parse_partition_values
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.evolution import Evolution
from hive_acid.model.names import NULL_PARTITION
from hive_acid.model.table import FileFormat, Partition, TableDescription, TableKind, TableName
from hive_acid.reading.evolution import find_evolution, list_evolutions

__all__ = [
    "NULL_PARTITION",
    "Evolution",
    "FileFormat",
    "Metastore",
    "MetastoreLine",
    "Partition",
    "TableDescription",
    "TableKind",
    "TableName",
    "find_evolution",
    "list_evolutions",
    "parse_partition_values",
]

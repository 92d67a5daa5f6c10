"""Tables and partitions as a metastore describes them, and the calls of a metastore."""

from hive_acid.metastore.client.conversion import build_table as build_table
from hive_acid.metastore.client.conversion import parse_partition_values as parse_partition_values
from hive_acid.metastore.protocol import Metastore as Metastore
from hive_acid.metastore.types import MetastoreLine as MetastoreLine
from hive_acid.model.evolution import Evolution as Evolution
from hive_acid.model.names import NULL_PARTITION as NULL_PARTITION
from hive_acid.model.table import FileFormat as FileFormat
from hive_acid.model.table import Partition as Partition
from hive_acid.model.table import TableDescription as TableDescription
from hive_acid.model.table import TableKind as TableKind
from hive_acid.model.table import TableName as TableName
from hive_acid.reading.evolution import find_evolution as find_evolution
from hive_acid.reading.evolution import list_evolutions as list_evolutions

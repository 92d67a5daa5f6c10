"""The calls of `AcidTable`, which a session carries out in its own way. Importing this imports PySpark."""

from hive_acid.spark_lines import line_of as line_of
from hive_acid.user.table_calls import AcidTableCalls as AcidTableCalls
from hive_acid.user.table_calls import Rows as Rows
from hive_acid.wire.table_calls import TableCall as TableCall
from hive_acid.wire.table_detail import TableDetail as TableDetail

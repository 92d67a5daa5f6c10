"""Names and secrets that errors and log records must not tell. Importing this imports PySpark's errors."""

from hive_acid.bridge.secrets import unlogged as unlogged
from hive_acid.errors.masking import work_masked as work_masked

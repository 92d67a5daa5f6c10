"""The parts of SQL texts. Importing this imports sqlglot."""

from hive_acid.sql.dialect import find_name as find_name
from hive_acid.sql.dialect import find_tokens as find_tokens
from hive_acid.sql.dialect import upper_word as upper_word

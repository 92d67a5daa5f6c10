"""The version of an installation, its jars, and libraries that it may lack."""

from hive_acid.shim_jars import SHIM_JARS as SHIM_JARS
from hive_acid.wings import check_libraries as check_libraries
from hive_acid.wings import find_version as find_version
from hive_acid.wings import needing as needing

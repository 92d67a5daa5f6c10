"""Parts that commands of `hive-acid` share. The module of a wing adds its command by a function `add_command`."""

from hive_acid.commands.shared import DONE as DONE
from hive_acid.commands.shared import FAILED as FAILED
from hive_acid.commands.shared import FOUND as FOUND
from hive_acid.commands.shared import INTERRUPTED as INTERRUPTED
from hive_acid.commands.shared import NOT_RUNNING as NOT_RUNNING
from hive_acid.commands.shared import Commands as Commands
from hive_acid.commands.shared import add_metastore_option as add_metastore_option
from hive_acid.commands.shared import add_spark_options as add_spark_options
from hive_acid.commands.shared import find_uris as find_uris
from hive_acid.commands.shared import parse_count as parse_count
from hive_acid.commands.shared import parse_settings as parse_settings

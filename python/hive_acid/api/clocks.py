"""The clocks of this machine, and how old something is."""

from hive_acid.clock import format_age as format_age
from hive_acid.clock import is_old as is_old
from hive_acid.clock import monotonic_ms as monotonic_ms
from hive_acid.clock import pause_ms as pause_ms
from hive_acid.clock import wall_clock_ms as wall_clock_ms

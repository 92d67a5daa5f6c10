"""The clocks of this machine."""

from hive_acid.clock import monotonic_ms as monotonic_ms
from hive_acid.clock import pause_ms as pause_ms
from hive_acid.clock import wall_clock_ms as wall_clock_ms
